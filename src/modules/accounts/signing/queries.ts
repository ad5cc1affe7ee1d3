import { type Insertable, sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { EvidenceKind, ProofKind } from './rules.ts'

export const insertChallenge = (tx: Tx, values: Insertable<Tables['signing_challenges']>) =>
  tx.insertInto('signing_challenges').values(values).returning('id').executeTakeFirstOrThrow()

const challenges = (tx: Tx) =>
  tx
    .selectFrom('signing_challenges')
    .select(['id', 'user_id', 'session_id', 'text', 'sha256', 'expires_at', 'proved_at', 'evidence_id'])
    .select(['refused_reason', sql<ProofKind>`kind`.as('kind'), sql<Record<string, string>>`spent`.as('spent')])

export const findChallenge = (tx: Tx, id: number) => challenges(tx).where('id', '=', id).executeTakeFirst()

/** Undefined if there is none. Two requests with one challenge wait for each other. */
export const lockChallenge = (tx: Tx, id: number) =>
  challenges(tx).where('id', '=', id).forNoKeyUpdate().executeTakeFirst()
/** By what the proof names it with. */
export const lockChallengeBySha256 = (tx: Tx, sha256: string) =>
  challenges(tx).where('sha256', '=', sha256).forNoKeyUpdate().executeTakeFirst()
export type Challenge = NonNullable<Awaited<ReturnType<typeof lockChallenge>>>

export interface Evidence {
  id: number
  kind: EvidenceKind
  /** The text of the challenge. */
  challenge: string
  evidence: string
  key: Record<string, string>
  sha256: string
}

export const insertEvidence = (
  tx: Tx,
  { key, ...values }: Omit<Evidence, 'id'> & { challenge_id: number },
): Promise<{ id: number }> =>
  tx
    .insertInto('signature_evidence')
    .values({ ...values, key: JSON.stringify(key) })
    .returning('id')
    .executeTakeFirstOrThrow()

export const findEvidence = (tx: Tx, id: number): Promise<Evidence> =>
  tx
    .selectFrom('signature_evidence')
    .select(['id', 'challenge', 'evidence', 'sha256'])
    .select([sql<EvidenceKind>`kind`.as('kind'), sql<Evidence['key']>`key`.as('key')])
    .where('id', '=', id)
    .executeTakeFirstOrThrow()

export const markProved = (tx: Tx, id: number, { at, evidence_id }: { at: Date; evidence_id: number }) =>
  tx.updateTable('signing_challenges').set({ proved_at: at.toISOString(), evidence_id }).where('id', '=', id).execute()

export const markRefused = (tx: Tx, id: number, refused_reason: string) =>
  tx.updateTable('signing_challenges').set({ refused_reason }).where('id', '=', id).execute()

export const spendAct = (tx: Tx, id: number, { place, at }: { place: number; at: Date }) =>
  tx
    .updateTable('signing_challenges')
    .set({ spent: sql`spent || jsonb_build_object(${String(place)}::text, ${at.toISOString()}::text)` })
    .where('id', '=', id)
    .execute()

/** Active users with a way to sign that needs neither a password alone nor the log-in. */
export const countSigners = async (
  tx: Tx,
  { otp, passkey, deviceBound, provider }: { otp: boolean; passkey: boolean; deviceBound: boolean; provider: boolean },
) =>
  Number(
    (
      await tx
        .selectFrom('users as u')
        .innerJoin('credentials as c', join =>
          join.onRef('c.tenant_id', '=', 'u.tenant_id').onRef('c.user_id', '=', 'u.id'),
        )
        .select(sql<string>`count(*)`.as('count'))
        .where('u.is_active', '=', true)
        .where(
          sql<boolean>`(${otp} and c.totp_confirmed_at is not null or ${passkey} and exists (select from passkeys p
            where p.tenant_id = u.tenant_id and p.user_id = u.id and p.revoked_at is null and (p.is_device_bound or not ${deviceBound}))
            or ${provider} and exists (select from user_identities i join identity_providers o on o.tenant_id = i.tenant_id and o.id = i.provider_id
              where i.tenant_id = u.tenant_id and i.user_id = u.id and o.is_active and o.may_sign))`,
        )
        .executeTakeFirstOrThrow()
    ).count,
  )
