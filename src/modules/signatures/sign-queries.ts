import type { Insertable } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { isFileRemoved } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { SignedRow } from './checks.ts'
import type { RecordSubject } from './rules.ts'

export type RecordKey = Pick<SignedRow, 'record_type' | 'record_id'>

/** The record's newest signature, which the next one is chained to. The caller holds the record's lock. */
export const findNewest = (tx: Tx, { record_type, record_id }: RecordKey) =>
  tx
    .selectFrom('signatures')
    .select(['id', 'digest'])
    .where('record_type', '=', record_type)
    .where('record_id', '=', record_id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** A file that is attached to a record. An effectiveness review has the files of its CAPA. */
export interface AttachedFile {
  id: number
  name: string
  file_key: string
  sha256: string
  size: number
}

const withoutFiles: readonly string[] = [
  'training_assignment',
  'audit_review',
  'access_review',
  'configuration_change',
  'file_removal',
  // What is signed names the files by one hash.
  'migration_batch',
  'disposal',
  'legal_hold',
]

/** The files that a signature covers now: content that two people removed is not there to be signed. */
export const listToSign = (tx: Tx, of: Pick<RecordSubject, 'type' | 'id'>): Promise<AttachedFile[]> =>
  attached(tx, of)
    .where(e => e.not(isFileRemoved('attachments', 'attachment_id')))
    .execute()

export const listAttached = (tx: Tx, of: Pick<RecordSubject, 'type' | 'id'>): Promise<AttachedFile[]> =>
  attached(tx, of).execute()

const attached = (tx: Tx, { type, id }: Pick<RecordSubject, 'type' | 'id'>) =>
  tx
    .selectFrom('attachments')
    .select(['id', 'file_name as name', 'file_key', 'sha256', 'file_size as size'])
    .$if(type === 'deviation', query => query.where('deviation_id', '=', id))
    .$if(type === 'capa', query => query.where('capa_id', '=', id))
    .$if(type === 'effectiveness_review', query =>
      query.where('capa_id', '=', e => e.selectFrom('effectiveness_reviews').select('capa_id').where('id', '=', id)),
    )
    // The content of a training names the files that were read by their hashes; the others have no files.
    .$if(withoutFiles.includes(type), query => query.where(e => e.lit(false)))
    .orderBy('id')

export type NewSignature = Insertable<Tables['signatures']>

const once = ['content_revision', 'signer_id', 'signature_type', 'occasion_kind', 'occasion_ref'] as const
const onceForVersion = ['tenant_id', 'version_id', 'round', ...once] as const
const onceForRecord = ['tenant_id', 'record_type', 'record_id', ...once] as const

/** Returns undefined if this person has already signed this content with this meaning on this occasion. */
export const insertSignature = (tx: Tx, values: NewSignature) =>
  tx
    .insertInto('signatures')
    .values(values)
    .onConflict(on =>
      values.document_id
        ? on.columns(onceForVersion).doNothing()
        : on.columns(onceForRecord).where('document_id', 'is', null).doNothing(),
    )
    .returning('id')
    .executeTakeFirst()
