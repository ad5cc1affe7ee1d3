import type { Quote } from '../../records/viewer/quote.ts'
import type { Comment } from './comments-query.ts'

export interface Thread {
  first: Comment
  replies: Comment[]
}

/** Comments with their replies, in their order. */
export function threadsOf(comments: readonly Comment[]): Thread[] {
  const replies = Map.groupBy(comments, ({ parent_id }) => parent_id)
  return (replies.get(null) ?? []).map(first => ({ first, replies: replies.get(first.id) ?? [] }))
}

/** A thread is open or resolved as a whole: its replies are not counted. */
export const openThreads = (comments: readonly Comment[]) =>
  comments.filter(({ parent_id, resolved_at }) => parent_id === null && resolved_at === null).length

/** Why somebody may not do this with a comment, in the service's words; undefined where they may. */
export const whyNotOf = ({ you }: Pick<Comment, 'you'>, act: string) =>
  you.may.includes(act) ? undefined : (you.why_not[act] ?? []).map(({ detail }) => detail).join(' ')

/** A quote as a draft is kept. */
export const quoteKey = (userId: number, id: number, version: string) => `quote ${userId} ${id} ${version}`

export function quoteIn(draft: string): Quote | undefined {
  const [page, text] = draft.split('\n', 2)
  return text ? { page: Number(page), text } : undefined
}
export const draftOf = ({ page, text }: Quote) => `${page}\n${text}`
