import type { Actor } from '#action'
import type { Issue } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import type { Tx } from '#platform/db/database.ts'
import { issueOf, type Pointer } from './data-rules.ts'
import { messages } from './messages.ts'
import { attachmentsOf, capasSeen, documentsSeen } from './queries.ts'

const idsOf = (pointers: readonly Pointer[], ...types: Pointer['type'][]) =>
  pointers.filter(({ type }) => types.includes(type)).map(({ id }) => id)

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
