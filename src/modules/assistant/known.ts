import { sql } from 'kysely'
import type { PrepareContext } from '#action'
import { forbidden, noneOf } from '#kernel/errors.ts'
import { searchScopeOf } from '#modules/search'

interface Known {
  document_id: number
  number: string
  version_id: number
  /** Whether the person may know what it says, and not only what it is called. */
  may_know: boolean
}

/** The version of each of these documents that the caller is shown; a refusal where there is none, or what it says is not for them. */
export async function requireKnown(
  { actor, services, read }: Pick<PrepareContext, 'actor' | 'services' | 'read'>,
  documents: readonly number[],
): Promise<Known[]> {
  if (documents.length === 0) return []
  if (!actor.permissions.has('documents.read')) throw forbidden('This needs the permission documents.read')
  const known = await read(async tx => {
    const asked = await searchScopeOf({ tx, actor, services }, { documents: [...documents] })
    const { rows } = await sql<Known>`select * from known_documents(${JSON.stringify(asked)}::jsonb)`.execute(tx)
    return rows
  })
  const missing = documents.filter(id => !known.some(each => each.document_id === id))
  if (missing.length > 0) throw noneOf('Document', documents, missing)
  const restricted = known.filter(({ may_know }) => !may_know).map(({ number }) => number)
  if (restricted.length === 0) return known
  throw forbidden(`What ${restricted.join(', ')} says is for those who are trained on it`)
}
