// The parts of a record that deviations and CAPAs share: attachments, comments and history.
import { type Insertable, sql } from 'kysely'
import type { StoredFile } from '#action/file.ts'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { countRows, personOf, removalNote, shownFileName, storedFileOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import { type CaseRef, caseKinds } from './base/kinds.ts'

export const selectAttachments = (tx: Tx, { kind, id }: CaseRef) =>
  tx
    .selectFrom('attachments as a')
    .select(['a.id', 'a.description', 'a.created_at'])
    .select([storedFileOf('a', 'attachment_id').as('file'), sql<Person>`${personOf('a.created_by')}`.as('created_by')])
    .where(`a.${caseKinds[kind].column}`, '=', id)

/** The attached files of a record, with their keys in the store. */
export const listRecordedFiles = (tx: Tx, { kind, id }: CaseRef) =>
  tx
    .selectFrom('attachments as a')
    .select(['a.id', 'a.description', 'a.file_size', 'a.content_type', 'a.sha256', 'a.file_key'])
    .select([shownFileName('a', 'attachment_id').as('file_name'), removalNote('a', 'attachment_id').as('file_removal')])
    .select(['a.created_at', sql<Person>`${personOf('a.created_by')}`.as('created_by')])
    .where(`a.${caseKinds[kind].column}`, '=', id)
    .orderBy('a.id')
    .execute()

export const countAttachments = (tx: Tx, { kind, id }: CaseRef) =>
  countRows(tx.selectFrom('attachments').where(caseKinds[kind].column, '=', id))

export const insertAttachment = (tx: Tx, values: Insertable<Tables['attachments']>) =>
  tx.insertInto('attachments').values(values).returning('id').executeTakeFirstOrThrow()

export const findAttachmentFile = (tx: Tx, { kind, id }: CaseRef, attachmentId: number) =>
  tx
    .selectFrom('attachments')
    .select(['file_key', 'file_name', 'content_type', 'file_size', 'sha256'])
    .select(removalNote('attachments', 'attachment_id').as('removal'))
    .where(caseKinds[kind].column, '=', id)
    .where('id', '=', attachmentId)
    .executeTakeFirst()

/** Those of the keys that belong to an attachment. */
export async function listFileKeys(tx: Tx, keys: string[]): Promise<string[]> {
  const rows = await tx.selectFrom('attachments').select('file_key').where('file_key', 'in', keys).execute()
  return rows.map(({ file_key }) => file_key)
}

/** The files that were attached by then. Attachments never change and are never removed. */
export const attachedBy = (tx: Tx, { kind, id }: CaseRef, at: string): Promise<({ id: number } & StoredFile)[]> =>
  tx
    .selectFrom('attachments as a')
    .select(['a.id', 'a.file_size as size', 'a.content_type', 'a.sha256'])
    .select(shownFileName('a', 'attachment_id').as('name'))
    .where(`a.${caseKinds[kind].column}`, '=', id)
    .where(
      sql<boolean>`exists (select from audit_entries e where e.resource_type = 'attachment' and e.resource_id = a.id
        and e.action = 'attachment.created' and e.occurred_at <= ${at})`,
    )
    .orderBy('a.id')
    .execute()

export const selectComments = (tx: Tx, { kind, id }: CaseRef) =>
  tx
    .selectFrom('record_comments as c')
    .select(['c.id', 'c.text', 'c.created_at'])
    .select(sql<Person>`${personOf('c.created_by')}`.as('created_by'))
    .where(`c.${caseKinds[kind].column}`, '=', id)

export const countComments = (tx: Tx, { kind, id }: CaseRef) =>
  countRows(tx.selectFrom('record_comments').where(caseKinds[kind].column, '=', id))

export const insertComment = (tx: Tx, values: Insertable<Tables['record_comments']>) =>
  tx.insertInto('record_comments').values(values).returning('id').executeTakeFirstOrThrow()

export const listHistory = (tx: Tx, { kind, id }: CaseRef) =>
  tx
    .selectFrom('record_history as h')
    .select([
      'h.id',
      'h.transition',
      'h.from_status as from',
      'h.to_status as to',
      'h.reason',
      'h.signature_id',
      'h.occurred_at',
    ])
    .select(personOf('h.user_id').as('user'))
    .where(`h.${caseKinds[kind].column}`, '=', id)
    .orderBy('h.id')
    .execute()
