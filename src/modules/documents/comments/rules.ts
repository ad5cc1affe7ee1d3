import type { Actor } from '#action'
import { type Acts, type Check, requirePermission } from '#action/allowed.ts'
import { conflict, type DeniedRecord, forbidden } from '#kernel/errors.ts'
import type { Person } from '#kernel/schema.ts'
import { messages } from '../messages.ts'

/** The minutes in which the writer may change a comment; the database has a few more, because a request takes its time. */
export const changeMinutes = 15

export const commenting = 'documents.comment'

/** A comment with all that its acts depend on. */
interface CommentSeen {
  parent_id: number | null
  replies: number
  created_at: string
  created_by: Person
  resolved_at: string | null
  resolved_by: Person | null
  /** The owner of the document. */
  owner_id: number
  /** The author of the version. */
  author_id: number
  version: string
  status: string
  status_kind: string
}

/** The conditions of what can be done with a comment on this document. */
export function actsOn(actor: Actor, document: DeniedRecord, comment: CommentSeen, now: Date) {
  const { parent_id, resolved_by } = comment
  const permitted = () => requirePermission(actor, commenting)
  const ofThread = () => {
    if (parent_id !== null) throw conflict(messages.document_comment_is_reply())
  }
  const mayResolve = () => {
    const people = [comment.created_by.id, comment.owner_id, comment.author_id]
    if (!people.includes(actor.userId!) && !actor.permissions.has('documents.review'))
      throw forbidden(messages.document_comment_not_yours(), document)
  }
  const unresolved = () => {
    if (resolved_by) throw conflict(messages.document_comment_already_resolved({ username: resolved_by.username }))
  }
  return {
    reply: [permitted, () => requireCommentable(comment), ofThread],
    resolve: [permitted, mayResolve, ofThread, unresolved],
    reopen: [
      permitted,
      mayResolve,
      ofThread,
      () => {
        if (!resolved_by) throw conflict(messages.document_comment_not_resolved())
      },
    ],
    update: [
      permitted,
      () => {
        if (comment.created_by.id !== actor.userId) throw forbidden(messages.document_comment_of_another(), document)
      },
      () => requireCommentable(comment),
      unresolved,
      () => {
        if (comment.replies > 0) throw conflict(messages.document_comment_answered())
      },
      () => {
        if (now.getTime() > Date.parse(comment.created_at) + changeMinutes * 60_000)
          throw conflict(messages.document_comment_too_old({ minutes: changeMinutes }))
      },
    ],
  } satisfies Acts satisfies Record<string, Check[]>
}

export function requireCommentable({
  version,
  status,
  status_kind,
}: Pick<CommentSeen, 'version' | 'status' | 'status_kind'>) {
  if (status_kind === 'final') throw conflict(messages.document_comments_closed({ version, status }))
}
