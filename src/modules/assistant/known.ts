import { sql } from 'kysely'
import type { PrepareContext } from '#action'
import { forbidden, noneOf } from '#kernel/errors.ts'
import { searchScopeOf } from '#modules/search'
import { messages } from './messages.ts'

interface Known {
  document_id: number
  number: string
  version_id: number
  /** The person may read the content, not only the title. */
  may_know: boolean
}

/** The version of each document that the caller is shown, or a refusal if there is none or its content is restricted. */
export async function requireKnown(
  { actor, services, read }: Pick<PrepareContext, 'actor' | 'services' | 'read'>,
  documents: readonly number[],
): Promise<Known[]> {
  if (documents.length === 0) return []
  if (!actor.permissions.has('documents.read')) throw forbidden(messages.assistant_documents_permission_missing())
  const known = await read(async tx => {
    const asked = await searchScopeOf({ tx, actor, services }, { documents: [...documents] })
    const { rows } = await sql<Known>`select * from known_documents(${JSON.stringify(asked)}::jsonb)`.execute(tx)
    return rows
  })
  const missing = documents.filter(id => !known.some(each => each.document_id === id))
  if (missing.length > 0) throw noneOf('Document', documents, missing)
  const numbers = known.filter(({ may_know }) => !may_know).map(({ number }) => number)
  if (numbers.length > 0) throw forbidden(messages.assistant_document_not_trained({ numbers }))
  return known
}
