import { queryOptions } from '@tanstack/react-query'
import { type Answer, call } from '../../api/client.ts'

const list = 'GET /api/documents/{id}/comments'
export type Comment = Answer<typeof list>['items'][number]

/** All comments on a version. The list of them and the count of open ones ask the same, and so only once. */
export const commentsOf = (id: number, version: string | undefined) =>
  queryOptions({
    queryKey: [list, { path: { id }, query: { version } }] as const,
    async queryFn({ signal }) {
      const comments: Comment[] = []
      for (let page = 1, pages = 1; page <= pages; page++) {
        const answer = await call(
          list,
          { path: { id }, query: { version, page, page_size: 100, sort: 'id:asc' } },
          signal,
        )
        comments.push(...answer.items)
        pages = answer.pages
      }
      return comments
    },
  })
