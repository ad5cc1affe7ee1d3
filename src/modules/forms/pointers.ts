import type { Actor } from '#action'
import type { Issue } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { readable } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import { issueOf, type Pointer } from './data-rules.ts'
import { messages } from './messages.ts'

const idsOf = (pointers: readonly Pointer[], ...types: Pointer['type'][]) =>
  pointers.filter(({ type }) => types.includes(type)).map(({ id }) => id)

async function documentsSeen(tx: Tx, actor: Actor, ids: number[]): Promise<number[]> {
  if (ids.length === 0 || !actor.permissions.has('documents.read')) return []
  const rows = await tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as v', 'v.id', 'd.shown_version_id')
    .select('d.id')
    .where('d.id', 'in', ids)
    .where(readable(actor))
    .execute()
  return rows.map(({ id }) => id)
}

async function capasSeen(tx: Tx, actor: Actor, ids: number[]): Promise<number[]> {
  if (ids.length === 0 || !actor.permissions.has('capa.read')) return []
  const rows = await tx.selectFrom('capas').select('id').where('id', 'in', ids).execute()
  return rows.map(({ id }) => id)
}

async function attachmentsOf(tx: Tx, owner: { deviation_id: number } | null, ids: number[]) {
  if (ids.length === 0 || owner === null) return []
  return tx
    .selectFrom('attachments')
    .select(['id', 'content_type'])
    .where('id', 'in', ids)
    .where('deviation_id', '=', owner.deviation_id)
    .execute()
}

const notFoundMessages = {
  document_picker: messages.form_document_not_found(),
  capa_picker: messages.form_capa_not_found(),
  image: messages.form_attachment_not_found(),
  file: messages.form_attachment_not_found(),
} satisfies Record<Pointer['type'], Message>

/** A record that its writer may not see is refused in the same words as one that does not exist. */
export async function checkPointers(
  tx: Tx,
  actor: Actor,
  pointers: readonly Pointer[],
  owner: { deviation_id: number } | null,
): Promise<Issue[]> {
  const documents = new Set(await documentsSeen(tx, actor, idsOf(pointers, 'document_picker')))
  const capas = new Set(await capasSeen(tx, actor, idsOf(pointers, 'capa_picker')))
  const attachments = new Map(
    (await attachmentsOf(tx, owner, idsOf(pointers, 'image', 'file'))).map(({ id, content_type }) => [
      id,
      content_type,
    ]),
  )
  return pointers.flatMap(({ key, type, id }) => {
    const isThere = { document_picker: documents, capa_picker: capas, image: attachments, file: attachments }[type].has(
      id,
    )
    if (!isThere) return [issueOf(key, notFoundMessages[type])]
    const content_type = attachments.get(id) ?? ''
    if (type === 'image' && !content_type.startsWith('image/'))
      return [issueOf(key, messages.form_attachment_not_image({ content_type }))]
    return []
  })
}
