import { Type } from 'typebox'
import { command, query } from '#action'
import { conflict, forbidden, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { Id, IdParams, Page } from '#kernel/schema.ts'
import { loadAtWork, requireReadable } from '../core/view.ts'
import { messages } from '../messages.ts'
import { countComments, findComment, insertComment, listComments, lockComment, setCommentResolved } from './queries.ts'
import { Comment, CommentCreate, CommentFilter, CommentResolution } from './schema.ts'

export const comments = query({
  summary: 'List the comments on a document',
  description: 'Lists the comments on all versions that the caller may read, also superseded and obsolete ones.',
  permission: 'documents.read',
  input: { params: IdParams, query: CommentFilter },
  response: Page(Comment),
  async run({ tx, actor }, { params, query }) {
    const { atWork } = await requireReadable(tx, actor, params.id)
    const sort = parseSort(query.sort, ['id', 'created_at'], { field: 'id', direction: 'asc' })
    const sought = { documentId: params.id, actor, atWork: atWork.version.id }
    return pageOf(
      query,
      (limit, offset) => listComments(tx, sought, query, sort, limit, offset),
      () => countComments(tx, sought, query),
    )
  },
})

const CommentParams = Type.Object({ id: Id, comment_id: Id })

export const commentDetails = query({
  summary: 'Read a comment on a document',
  permission: 'documents.read',
  input: { params: CommentParams },
  response: Comment,
  async run({ tx, actor }, { params }) {
    const { row, atWork } = await requireReadable(tx, actor, params.id)
    const sought = { documentId: row.id, actor, atWork: atWork.version.id }
    return present(await findComment(tx, sought, params.comment_id))
  },
})

function present(found: Awaited<ReturnType<typeof findComment>>): Comment {
  if (!found) throw notFound('Comment')
  const { number, owner_id, author_id, ...comment } = found
  return comment
}

/** A comment does not change the version: its revision stays, and no approval waits for it. */
export const addComment = command({
  summary: 'Comment on a version of a document',
  description:
    'Comments on the version under way, or on `version`. Open comments do not block an approval; approvers read them.',
  permission: 'documents.comment',
  input: { params: IdParams, body: CommentCreate },
  response: Comment,
  async run({ tx, actor, record }, { params, body: { text, page = null, quote = null, version: label } }) {
    const { row, atWork: shown } = await requireReadable(tx, actor, params.id, label)
    const { version } = label === undefined ? shown : await loadAtWork(tx, row.version_id)
    if (version.status_kind === 'final')
      throw conflict(messages.document_comments_closed({ version: version.version, status: version.status }))
    const { id } = await insertComment(tx, {
      document_id: row.id,
      version_id: version.id,
      round: version.round,
      text,
      page,
      quote,
    })
    record('document.commented', row.id, {
      number: row.number,
      after: { version: version.version, comment_id: id, comment: text, page, quote },
      notify: [...new Set([version.owner_id, version.created_by])],
    })
    return present(await findComment(tx, { documentId: row.id, actor, atWork: version.id }, id))
  },
})

export const resolveComment = command({
  summary: 'Resolve a comment on a document',
  description: 'Its writer, the author or owner of the document, or a reviewer can resolve a comment, once.',
  permission: 'documents.comment',
  input: { params: CommentParams, body: CommentResolution },
  response: Comment,
  async run({ tx, actor, record }, { params, body: { reply = null } }) {
    const { row, atWork } = await requireReadable(tx, actor, params.id)
    const sought = { documentId: row.id, actor, atWork: atWork.version.id }
    await lockComment(tx, row.id, params.comment_id)
    const comment = await findComment(tx, sought, params.comment_id)
    if (!comment) throw notFound('Comment')
    const { created_by, owner_id, author_id } = comment
    if (![created_by.id, owner_id, author_id].includes(actor.userId!) && !actor.permissions.has('documents.review'))
      throw forbidden(messages.document_comment_not_yours(), row)
    if (comment.resolved_by)
      throw conflict(messages.document_comment_already_resolved({ username: comment.resolved_by.username }))
    await setCommentResolved(tx, comment.id, { resolved_by: actor.userId!, reply })
    record('document.comment_resolved', row.id, {
      number: row.number,
      after: { version: comment.version, comment_id: comment.id, reply },
      notify: [created_by.id],
    })
    return present(await findComment(tx, sought, comment.id))
  },
})
