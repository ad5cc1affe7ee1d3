import { type Static, Type } from 'typebox'
import { type ActionContext, command, query } from '#action'
import { Allowed, allowedActs } from '#action/allowed.ts'
import { FileContent, fileGone, StoredFile } from '#action/file.ts'
import { fileColumns, keepFile } from '#action/upload.ts'
import { notFound } from '#kernel/errors.ts'
import { PageParams, pageOf, parseSort } from '#kernel/paging.ts'
import { Body, DeputyFields, Id, IdParams, Nullable, Page, Person, Text, Timestamp } from '#kernel/schema.ts'
import { takeUploads } from '#modules/uploads'
import type { Tx } from '#platform/db/database.ts'
import { takeSpace } from '#platform/storage/quota.ts'
import { type CaseAccess, openCase, openToChange, requireOpen, toWriteIn } from './base/access.ts'
import { type CaseRef, caseKinds, ownerOf } from './base/kinds.ts'
import {
  countAttachments,
  findAttachmentFile,
  insertAttachment,
  listFileKeys,
  selectAttachments,
} from './part-queries.ts'

const Attachment = Type.Object({
  id: Id,
  file: StoredFile,
  description: Nullable(Type.String()),
  created_at: Timestamp,
  created_by: Person,
  you: Allowed,
})
type Attachment = Static<typeof Attachment>

const AttachmentFilter = Type.Object(PageParams, { additionalProperties: false })
const AttachmentParams = Type.Object({ id: Id, attachment_id: Id })
const AttachmentForm = Body({ description: Type.Optional(Text({ maxLength: 2000 })), ...DeputyFields })

type Found = Omit<Attachment, 'you'>

/** A file that two people removed is not given out. */
function requireContent({ file: { removal } }: Pick<Found, 'file'>) {
  if (removal) throw fileGone(removal)
}

const present = async (attachment: Found): Promise<Attachment> => ({
  ...attachment,
  you: await allowedActs({ download: [() => requireContent(attachment)] }),
})

async function findAttachment(tx: Tx, ref: CaseRef, id: number): Promise<Attachment> {
  const attachment = await selectAttachments(tx, ref).where('a.id', '=', id).executeTakeFirst()
  if (!attachment) throw notFound('Attachment')
  return present(attachment)
}

/** The sweep of the file store keeps the files of attachments. */
export const attachmentFiles = { table: 'attachments', named: listFileKeys }

export const attachments = (access: CaseAccess) =>
  query({
    summary: `List the attachments of a ${caseKinds[access.kind].noun}`,
    permission: caseKinds[access.kind].read,
    input: { params: IdParams, query: AttachmentFilter },
    response: Page(Attachment),
    async run({ tx, actor }, { params, query }) {
      const record = await openCase(tx, actor, access, params.id)
      const { direction } = parseSort(query.sort, ['id'], { field: 'id', direction: 'asc' })
      return pageOf(
        query,
        async (limit, offset) => {
          const rows = await selectAttachments(tx, record)
            .orderBy('a.id', direction)
            .limit(limit)
            .offset(offset)
            .execute()
          return Promise.all(rows.map(present))
        },
        () => countAttachments(tx, record),
      )
    },
  })

export const attachmentDetails = (access: CaseAccess) =>
  query({
    summary: `Read an attachment of a ${caseKinds[access.kind].noun}`,
    permission: caseKinds[access.kind].read,
    input: { params: AttachmentParams },
    response: Attachment,
    run: async ({ tx, actor }, { params }) =>
      findAttachment(tx, await openCase(tx, actor, access, params.id), params.attachment_id),
  })

export const attach = (access: CaseAccess) =>
  command({
    summary: `Attach a file to a ${caseKinds[access.kind].noun}`,
    description: 'An attachment and its description never change.',
    permission: toWriteIn(access),
    byDeputy: 'tasks',
    input: { params: IdParams, form: AttachmentForm },
    response: Attachment,
    async prepare(context, { params, file }) {
      requireOpen(await context.read(tx => openToChange(tx, context.actor, access, params.id, { lock: false })))
      return keepFile(context, file)
    },
    async run({ tx, actor, record: tell, prepared }, { params, form, file }) {
      const record = await openToChange(tx, actor, access, params.id)
      requireOpen(record)
      const columns = fileColumns(file)
      const description = form.description || null
      await takeSpace(tx, file.size_bytes)
      const { id } = await insertAttachment(tx, { ...ownerOf(record), ...columns, ...prepared, description })
      tell('attachment.created', id, {
        number: record.number,
        after: { ...ownerOf(record), ...columns, description },
      })
      return findAttachment(tx, record, id)
    },
  })

/** Makes attachments of files that the actor uploaded before. The caller has just made the record. */
export async function attachUploads(context: ActionContext<unknown>, ref: CaseRef, ids: readonly number[] = []) {
  if (ids.length === 0) return
  const owner = ownerOf(ref)
  const taken = await takeUploads(context, ids, { number: ref.number, after: owner })
  for (const { file_key, file_name, file_size, content_type, sha256, description } of taken) {
    const columns = { file_name, file_size, content_type, sha256 }
    const { id } = await insertAttachment(context.tx, { ...owner, ...columns, file_key, description })
    context.record('attachment.created', id, { number: ref.number, after: { ...owner, ...columns, description } })
  }
}

/** The file and the audit entry of its download. */
async function fileOf(tx: Tx, record: CaseRef, id: number) {
  const attachment = await findAttachmentFile(tx, record, id)
  if (!attachment) throw notFound('Attachment')
  const { file_key, file_name, content_type, file_size, sha256, removal } = attachment
  if (removal) throw fileGone(removal)
  return {
    file: { key: file_key, name: file_name, content_type, size_bytes: file_size, sha256 },
    entry: {
      event: 'attachment.downloaded',
      id,
      number: record.number,
      after: { ...ownerOf(record), file_name, sha256 },
    } as const,
  }
}

export const downloadAttachment = (access: CaseAccess) =>
  command({
    summary: `Download an attachment of a ${caseKinds[access.kind].noun}`,
    description: 'The bytes are checked against the stored hash.',
    permission: caseKinds[access.kind].read,
    input: { params: AttachmentParams },
    response: FileContent,
    async prepare({ actor, read, verifyBeforeSend }, { params }) {
      const { file, entry } = await read(async tx =>
        fileOf(tx, await openCase(tx, actor, access, params.id), params.attachment_id),
      )
      await verifyBeforeSend(file, entry)
    },
    async run({ tx, actor, record: tell }, { params }) {
      const { file, entry } = await fileOf(tx, await openCase(tx, actor, access, params.id), params.attachment_id)
      tell(entry.event, entry.id, entry)
      return file
    },
  })
