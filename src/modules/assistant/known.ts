import type { PrepareContext } from '#action'
import { forbidden, noneOf } from '#kernel/errors.ts'
import { searchScopeOf } from '#modules/search'
import { messages } from './messages.ts'
import { type Known, listKnown } from './queries.ts'

/** The version of each document that the caller is shown, or a refusal if there is none or its content is restricted. */
export async function requireKnown(
  { actor, services, read }: Pick<PrepareContext, 'actor' | 'services' | 'read'>,
  documents: readonly number[],
): Promise<Known[]> {
  if (documents.length === 0) return []
  if (!actor.permissions.has('documents.read')) throw forbidden(messages.assistant_documents_permission_missing())
  const known = await read(async tx => {
    const scope = await searchScopeOf({ tx, actor, services }, { documents: [...documents] })
    return listKnown(tx, scope)
  })
  const missing = documents.filter(id => !known.some(each => each.document_id === id))
  if (missing.length > 0) throw noneOf('Document', documents, missing)
  const numbers = known.filter(({ may_know }) => !may_know).map(({ number }) => number)
  if (numbers.length > 0) throw forbidden(messages.assistant_document_not_trained({ numbers }))
  return known
}
