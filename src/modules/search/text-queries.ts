import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import { countRows, isFileRemoved } from '#platform/db/expressions.ts'
import type { Chunk } from './chunks.ts'

export const textStatuses = ['waiting', 'extracted', 'no_text', 'failed'] as const

/** The file of a version for the file store; undefined if there is none, or no more. */
export const findFile = (tx: Tx, versionId: number) =>
  tx
    .selectFrom('document_versions')
    .select(['file_key as key', 'file_name as name', 'file_size as size_bytes', 'sha256'])
    .where('id', '=', versionId)
    .where(e => e.not(isFileRemoved('document_versions', 'version_id')))
    .executeTakeFirst()
export type FileToRead = NonNullable<Awaited<ReturnType<typeof findFile>>>

/** The newest first, because people search for these. */
export const listWaiting = (tx: Tx, limit: number) =>
  tx
    .selectFrom('document_texts')
    .select(['tenant_id', 'version_id'])
    .where('status', '=', 'waiting')
    .orderBy('version_id', 'desc')
    .limit(limit)
    .execute()

/** `outdated`: texts that an older extractor read; `failed`: files that could not be read; `all`: every file. */
export const whatToRead = ['outdated', 'failed', 'all'] as const
export type WhatToRead = (typeof whatToRead)[number]

const toRead = (tx: Tx, what: WhatToRead, extractor: number) =>
  tx
    .selectFrom('document_texts')
    .$if(what === 'failed', select => select.where('status', '=', 'failed'))
    .$if(what === 'outdated', select => select.where('extractor', '<', extractor))

export const countToRead = (tx: Tx, what: WhatToRead, extractor: number) => countRows(toRead(tx, what, extractor))

export const listToRead = (
  tx: Tx,
  what: WhatToRead,
  extractor: number,
  { after, limit }: { after: number; limit: number },
) =>
  toRead(tx, what, extractor)
    .select(['tenant_id', 'version_id'])
    .where('version_id', '>', after)
    .orderBy('version_id')
    .limit(limit)
    .execute()

/** The number of texts of the tenant that were read since then. */
export const countRead = (tx: Tx, since: string) =>
  countRows(tx.selectFrom('document_texts').where('extracted_at', '>=', since))

/**
 * Locks the text of a version, behind its document: whoever changes a document locks that first, and then its texts, so any other order
 * would be a deadlock. It keeps out another process that reads the same file, and a rebuild of the index.
 */
export async function lockText(tx: Tx, versionId: number) {
  await sql`
    select from documents d join document_versions v on v.document_id = d.id where v.id = ${versionId} for no key update of d`.execute(
    tx,
  )
  await tx.selectFrom('document_texts').select('version_id').where('version_id', '=', versionId).forUpdate().execute()
}

interface Reading {
  status: 'extracted' | 'no_text' | 'failed'
  reason: string | null
  extractor: number
  language: string | null
  pages: number | null
  characters: number
  by_ocr: boolean
  extracted_at: string
}
export const saveReading = (tx: Tx, versionId: number, reading: Reading) =>
  tx.updateTable('document_texts').set(reading).where('version_id', '=', versionId).execute()

/** The vectors of a version; the bits of its passages go with them. */
export const deleteVectors = (tx: Tx, versionId: number) =>
  tx.deleteFrom('version_vectors').where('version_id', '=', versionId).execute()

const insertBatch = 500

/** Replaces the passages of a version. */
export async function replaceChunks(tx: Tx, versionId: number, language: string | null, chunks: readonly Chunk[]) {
  await tx.deleteFrom('document_chunks').where('version_id', '=', versionId).execute()
  for (let from = 0; from < chunks.length; from += insertBatch) {
    const some = chunks.slice(from, from + insertBatch).map((chunk, index) => ({ position: from + index, ...chunk }))
    await sql`insert into document_chunks (version_id, position, page, heading, body, gap, words)
      select ${versionId}, position, page, heading, body, gap, chunk_words(${language}, heading, body)
      from jsonb_to_recordset(${JSON.stringify(some)}::jsonb)
        as c (position integer, page integer, heading text, body text, gap text)`.execute(tx)
  }
}

export interface TextTrouble {
  /** Read by an older extractor. */
  outdated: number
  failed: number
  waiting: number
}

/** Counts over all tenants. */
export const troubleQuery = 'select outdated, failed, waiting from text_trouble($1)'
