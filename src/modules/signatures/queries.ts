import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Actor } from '#action'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains, countRows, isoMoment, personOf, sentMoment } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { SignedRow } from './checks.ts'
import { type Occasion, type RecordType, type Signable, verificationCode } from './rules.ts'
import type { GivenSignature, Signature, SignatureFilter, SignatureVoid } from './schema.ts'
import type { Signing } from './signing.ts'

export const signatureSorts = ['id', 'signed_at'] as const

type OrNull<T> = { [K in keyof T]: T[K] | null }
type Joined = Tables &
  Record<'s', Tables['signatures']> &
  Record<'v', OrNull<Tables['document_versions']>> &
  Record<'d', OrNull<Tables['documents']>> &
  Record<'x', OrNull<Tables['signature_voids']>>

const joined = (tx: Tx) =>
  tx
    .selectFrom('signatures as s')
    .leftJoin('document_versions as v', 'v.id', 's.version_id')
    .leftJoin('documents as d', 'd.id', 's.document_id')
    .leftJoin('signature_voids as x', 'x.signature_id', 's.id')

const recordNumber = sql<string>`coalesce(s.record_number, d.number)`

const signatures = (tx: Tx) =>
  joined(tx)
    .select(recordNumber.as('resource_number'))
    .select([
      's.id',
      's.record_type as resource_type',
      's.record_id as resource_id',
      's.document_id',
      'd.number as document_number',
      'v.version as document_version',
      's.signature_type',
      's.intent',
      's.signed_at',
      's.time_zone',
      's.method',
      's.digest',
      's.key_id',
    ])
    .select(
      sql<SignatureVoid | null>`case when x.signature_id is not null then jsonb_build_object('cause', x.cause,
        'reason', x.reason, 'voided_at', ${isoMoment('x.voided_at')}, 'voided_by', ${personOf('x.voided_by')}) end`.as(
        'void',
      ),
    )
    .select(
      sql<{
        id: number
        username: string
        full_name: string | null
        role: string
      }>`jsonb_build_object('id', s.signer_id, 'username', s.signer_username,
        'full_name', s.signer_full_name, 'role', s.signer_role)`.as('signer'),
    )
    .select(
      sql<Signature['on_behalf_of']>`case when s.on_behalf_of_id is not null
        then jsonb_build_object('id', s.on_behalf_of_id, 'name', s.on_behalf_of_name) end`.as('on_behalf_of'),
    )
    .select(sql<Occasion>`jsonb_build_object('kind', s.occasion_kind, 'ref', s.occasion_ref)`.as('occasion'))

export const present = (row: { digest: string }) =>
  ({ ...row, verification_code: verificationCode(row.digest) }) as Signature

type Visible = RawBuilder<SqlBool>

/** `readable` is a condition on `v`, the version, and `d`, its document. Everybody sees their own signatures. */
export const visibleTo = (actor: Actor, { readable, records }: Pick<Signing, 'readable' | 'records'>): Visible => {
  const ofRecords = Object.entries(records).map(([type, reader]) => {
    const which = reader.readable(actor)
    return sql`s.record_type = ${type} and ${typeof which === 'boolean' ? sql.lit(which) : which}`
  })
  return sql`(s.document_id is not null and ${readable(actor)} or ${sql.join(ofRecords, sql` or `)} or s.signer_id = ${actor.userId})`
}

const matching =
  ({
    resource_type,
    resource_id,
    document_id,
    signer_id,
    signature_type,
    is_void,
    verification_code,
    q,
  }: SignatureFilter) =>
  (e: ExpressionBuilder<Joined, 's' | 'v' | 'd' | 'x'>) =>
    e.and([
      ...(resource_type ? [e('s.record_type', '=', resource_type)] : []),
      ...(resource_id ? [e('s.record_id', '=', resource_id)] : []),
      ...(document_id ? [e('s.document_id', '=', document_id)] : []),
      ...(signer_id ? [e('s.signer_id', '=', signer_id)] : []),
      ...(signature_type ? [e('s.signature_type', '=', signature_type)] : []),
      ...(is_void === undefined ? [] : [e('x.signature_id', is_void ? 'is not' : 'is', null)]),
      ...(verification_code ? [e('s.digest', 'like', `${verification_code.replaceAll('-', '').toLowerCase()}%`)] : []),
      ...(q
        ? [
            e.or([
              e('s.intent', 'ilike', contains(q)),
              e('s.signer_username', 'ilike', contains(q)),
              e(recordNumber, 'ilike', contains(q)),
            ]),
          ]
        : []),
    ])

export const listSignatures = (
  tx: Tx,
  filter: SignatureFilter,
  visible: Visible,
  { field, direction }: Sort<(typeof signatureSorts)[number]>,
  limit: number,
  offset: number,
) =>
  signatures(tx)
    .where(visible)
    .where(matching(filter))
    .orderBy(`s.${field}`, direction)
    .orderBy('s.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countSignatures = (tx: Tx, filter: SignatureFilter, visible: Visible) =>
  countRows(joined(tx).where(visible).where(matching(filter)))

/** The first entry that says that the signature `s` was given. Written once, for the readers of a tenant and of all tenants. */
export const entryOfSignature = `
  select jsonb_build_object('digest', e.changes #>> '{digest,to}', 'user_id', e.user_id, 'occurred_at', e.occurred_at,
    'is_redacted', e.detail_salt is null,
    'has_place', exists (select from audit_leaves l where l.tenant_id = e.tenant_id and l.entry_id = e.id)
      or exists (select from audit_pending w where w.tenant_id = e.tenant_id and w.entry_id = e.id))
  from audit_entries e where e.tenant_id = s.tenant_id and e.resource_type = 'signature' and e.resource_id = s.id
    and e.action = 'signature.created' and e.outcome = 'success' order by e.id limit 1`

/** What proved the identity of the signer of `s`. Written once, for the readers of a tenant and of all tenants. */
export const evidenceOfSignature = `
  select jsonb_build_object('kind', p.kind, 'challenge', p.challenge, 'evidence', p.evidence, 'key', p.key, 'sha256', p.sha256)
  from signature_evidence p where p.tenant_id = s.tenant_id and p.id = s.evidence_id`

/** Signatures with all that their verification compares. */
const records = (tx: Tx) =>
  signatures(tx)
    .innerJoin('signing_keys as k', 'k.key_id', 's.key_id')
    .leftJoin('users as u', 'u.id', 's.signer_id')
    .select(recordNumber.as('record_number'))
    .select([
      's.tenant_id',
      's.record_type',
      's.record_id',
      's.format',
      's.version_id',
      's.content_revision',
      's.round',
      's.payload',
      's.seal',
    ])
    .select(['s.occasion_kind', 's.occasion_ref', 's.previous_digest', 's.request_id', 's.client_addr'])
    .select(['s.signer_id', 's.signer_username', 's.signer_full_name', 's.signer_role'])
    .select(['s.on_behalf_of_id', 's.on_behalf_of_name'])
    .select(['k.public_key', 'u.username as account'])
    .select([
      sql<SignedRow['preceding']>`(select jsonb_build_object('id', p.id, 'digest', p.digest, 'signed_at', p.signed_at)
        from signatures p where p.record_type = s.record_type and p.record_id = s.record_id and p.id < s.id order by p.id desc limit 1)`.as(
        'preceding',
      ),
      sql<number | null>`(select min(p.id) from signatures p
        where p.record_type = s.record_type and p.record_id = s.record_id and p.digest = s.digest and p.id < s.id)`.as(
        'copy_of',
      ),
      sql<SignedRow['entry']>`(${sql.raw(entryOfSignature)})`.as('entry'),
      sql<SignedRow['earliest']>`greatest(u.created_at, v.created_at)`.as('earliest'),
      sql<SignedRow['evidence']>`(${sql.raw(evidenceOfSignature)})`.as('evidence'),
      sql<string>`clock_timestamp()`.as('read_at'),
    ])

export const findSignature = (tx: Tx, id: number, visible: Visible) =>
  records(tx).where('s.id', '=', id).where(visible).executeTakeFirst()

/** A page of all signatures, in the order of their ids. */
export const listSignaturesAfter = (tx: Tx, after: number, limit: number) =>
  records(tx).where('s.id', '>', after).orderBy('s.id').limit(limit).execute()

/** Also those of which the key is missing, and so the rest of what their verification compares. */
export const countAllSignatures = (tx: Tx) => countRows(tx.selectFrom('signatures'))

/** The signatures of a document, or of one of its versions, in order. The caller has checked that they may be read. */
export const listRecords = (tx: Tx, { document_id, version_id }: { document_id: number; version_id?: number }) =>
  records(tx)
    .select('v.content_revision as current_content_revision')
    .$narrowType<{ version_id: number; current_content_revision: number }>()
    .where('s.document_id', '=', document_id)
    .$if(version_id !== undefined, query => query.where('s.version_id', '=', version_id!))
    .orderBy('s.id')
    .execute()

/** The signatures of records that have no versions, in order. The caller has checked that they may be read. */
export const listOfRecords = (tx: Tx, type: RecordType, ids: readonly number[]) =>
  records(tx)
    .where('s.record_type', '=', type)
    .where('s.record_id', '=', sql<number>`any(${ids}::bigint[])`)
    .orderBy('s.id')
    .execute()

/** A signature with the content revision that its version or record has now. */
export type SignatureRecord = Awaited<ReturnType<typeof listOfRecords>>[number] & { current_content_revision: number }

/** The facts that decide whether a signature may be declared void. */
export const findForVoiding = (tx: Tx, id: number) =>
  tx
    .selectFrom('signatures as s')
    .leftJoin('document_versions as v', 'v.id', 's.version_id')
    .select(['s.record_type', 's.signer_id', 's.occasion_kind', 'v.status_kind'])
    .select(sql<boolean>`v.approved_at is not null`.as('is_approved'))
    .where('s.id', '=', id)
    .executeTakeFirstOrThrow()

/** Returns false if the signature is already void. */
export const insertVoid = async (
  tx: Tx,
  values: Pick<Tables['signature_voids'], 'signature_id' | 'cause' | 'reason'>,
) => {
  const inserted = await tx
    .insertInto('signature_voids')
    .values(values)
    .onConflict(on => on.columns(['tenant_id', 'signature_id']).doNothing())
    .returning('signature_id')
    .executeTakeFirst()
  return inserted !== undefined
}

/** The newest voided signature of a person for this content and meaning that belongs to no other act. */
export const findVoidedFree = (
  tx: Tx,
  key: Pick<Signable, 'version_id' | 'content_revision' | 'round'> & { signer_id: number; signature_type: string },
) =>
  tx
    .selectFrom('signatures as s')
    .innerJoin('signature_voids as x', 'x.signature_id', 's.id')
    .select('s.id')
    .where(e =>
      e.and([
        e('s.version_id', '=', key.version_id),
        e('s.content_revision', '=', key.content_revision),
        e('s.round', '=', key.round),
        e('s.signer_id', '=', key.signer_id),
        e('s.signature_type', '=', key.signature_type),
        e('s.occasion_kind', '=', 'free'),
      ]),
    )
    .orderBy('s.id', 'desc')
    .limit(1)
    .executeTakeFirst()

type GivenRow = Omit<GivenSignature, 'verification_code'> & { digest: string }

/** The signature `s` as the record shows it that it completed; `withCode` gives it its verification code. */
export const givenSignature = sql<GivenRow>`jsonb_build_object('id', s.id, 'meaning', s.signature_type, 'intent', s.intent,
  'signed_at', ${sentMoment('s.signed_at')}, 'digest', s.digest, 'signer',
  jsonb_build_object('username', s.signer_username, 'full_name', s.signer_full_name, 'role', s.signer_role))`

export const withCode = ({ digest, ...signature }: GivenRow): GivenSignature => ({
  ...signature,
  verification_code: verificationCode(digest),
})
