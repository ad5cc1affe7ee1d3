import { type ExpressionBuilder, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Actor } from '#action'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import { contains } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { SignatureFilter } from './schema.ts'

export const signatureSorts = ['id', 'signed_at'] as const

type Joined = Tables &
  Record<'s', Tables['signatures']> &
  Record<'v', Tables['document_versions']> &
  Record<'d', Tables['documents']>

const signatures = (tx: Tx) =>
  tx
    .selectFrom('signatures as s')
    .innerJoin('document_versions as v', 'v.id', 's.version_id')
    .innerJoin('documents as d', 'd.id', 's.document_id')
    .select([
      's.id',
      's.document_id',
      'd.number as document_number',
      'v.version as document_version',
      's.signature_type',
      's.intent',
      's.signed_at',
      's.method',
      's.digest',
      's.key_id',
    ])
    .select(
      sql<{
        id: number
        username: string
        full_name: string | null
        role: string
      }>`jsonb_build_object('id', s.signer_id, 'username', s.signer_username,
        'full_name', s.signer_full_name, 'role', s.signer_role)`.as('signer'),
    )

export type Visible = RawBuilder<SqlBool>

/** `readable` is about `v`, the version, and `d`, its document; what one has signed oneself one sees in any case. */
export const visibleTo = ({ userId }: Actor, readable: RawBuilder<SqlBool>): Visible =>
  sql`(${readable} or s.signer_id = ${userId})`

const matching =
  ({ document_id, signer_id, signature_type, q }: SignatureFilter) =>
  (e: ExpressionBuilder<Joined, 's' | 'v' | 'd'>) =>
    e.and([
      ...(document_id ? [e('s.document_id', '=', document_id)] : []),
      ...(signer_id ? [e('s.signer_id', '=', signer_id)] : []),
      ...(signature_type ? [e('s.signature_type', '=', signature_type)] : []),
      ...(q
        ? [
            e.or([
              e('s.intent', 'ilike', contains(q)),
              e('s.signer_username', 'ilike', contains(q)),
              e('d.number', 'ilike', contains(q)),
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
  tx
    .selectFrom('signatures as s')
    .innerJoin('document_versions as v', 'v.id', 's.version_id')
    .innerJoin('documents as d', 'd.id', 's.document_id')
    .select(e => e.fn.countAll<number>().as('total'))
    .where(visible)
    .where(matching(filter))
    .executeTakeFirstOrThrow()

export const findSignature = (tx: Tx, id: number, visible: Visible) =>
  signatures(tx)
    .innerJoin('signing_keys as k', 'k.key_id', 's.key_id')
    .select([
      's.payload',
      's.seal',
      's.tenant_id',
      's.version_id',
      's.content_revision',
      's.round',
      's.signer_id',
      's.signer_username',
      's.signer_full_name',
      's.signer_role',
      'k.public_key',
    ])
    .where('s.id', '=', id)
    .where(visible)
    .executeTakeFirst()

export interface NewSignature {
  document_id: number
  version_id: number
  signature_type: string
  intent: string
  round: number
  content_revision: number
  signer_id: number
  signer_username: string
  signer_full_name: string | null
  signer_role: string
  method: string
  signed_at: string
  payload: string
  digest: string
  key_id: string
  seal: string
}
/** Undefined where this person has signed this very content with this meaning in this round already. */
export const insertSignature = (tx: Tx, values: NewSignature) =>
  tx
    .insertInto('signatures')
    .values(values)
    .onConflict(on =>
      on.columns(['tenant_id', 'version_id', 'content_revision', 'round', 'signer_id', 'signature_type']).doNothing(),
    )
    .returning('id')
    .executeTakeFirst()

export const insertSigningKey = (tx: Tx, key: { key_id: string; public_key: string }) =>
  tx
    .insertInto('signing_keys')
    .values(key)
    .onConflict(on => on.column('key_id').doNothing())
    .execute()
