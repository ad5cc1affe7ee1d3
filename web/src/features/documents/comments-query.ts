import { ask } from '../../api/queries.ts'

/** The list of comments and the count of open ones ask the same, and so only once. */
export const commentsOf = (id: number, version: string | undefined) =>
  ask('GET /api/documents/{id}/comments', { path: { id }, query: { version, page_size: 100, sort: 'id:asc' } })
