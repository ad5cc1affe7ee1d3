import { Type } from 'typebox'
import { type ActionContext, command, query } from '#action'
import { allowedActs, oneself, requireAll } from '#action/allowed.ts'
import { conflict, invalidField, noneOf, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { Id, IdParams, Page } from '#kernel/schema.ts'
import { filterReadersOf, loadAtWork, requireReadable, type VersionAtWork } from '../core/view.ts'
import { messages } from '../messages.ts'
import {
  type CommentRow,
  countComments,
  findComment,
  insertComment,
  insertMentions,
  listComments,
  listNames,
  listWriters,
  lockComment,
  setCommentReopened,
  setCommentResolved,
  setCommentText,
} from './queries.ts'
import { actsOn, changeMinutes, commenting, requireCommentable } from './rules.ts'
import { Comment, CommentCreate, CommentFilter, CommentReopening, CommentResolution, CommentUpdate } from './schema.ts'

type Context = Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>

export const comments = query({
  summary: 'List the comments on a document',
  description:
    'Lists the comments on all versions that the caller may read, also superseded and obsolete ones. A reply names the comment that begins its thread (`parent_id`).',
  permission: 'documents.read',
  input: { params: IdParams, query: CommentFilter },
  response: Page(Comment),
  async run(context, { params, query }) {
    const { tx, actor } = context
    const { atWork } = await requireReadable(tx, actor, params.id)
    const sort = parseSort(query.sort, ['id', 'created_at'], { field: 'id', direction: 'asc' })
    const sought = { documentId: params.id, actor, atWork: atWork.version.id }
    return pageOf(
      query,
      async (limit, offset) => {
        const rows = await listComments(tx, sought, query, sort, limit, offset)
        return Promise.all(rows.map(row => present(context, row)))
      },
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
  run: async (context, { params }) => present(context, (await requireComment(context, params)).comment),
})

async function requireComment({ tx, actor }: Context, { id, comment_id }: { id: number; comment_id: number }) {
  const { row, atWork } = await requireReadable(tx, actor, id)
  const comment = await findComment(tx, { documentId: row.id, actor, atWork: atWork.version.id }, comment_id)
  if (!comment) throw notFound('Comment')
  return { row, comment }
}

/** Reads the comment under its lock, so that a reply, a change and a resolution of it come one after the other. */
async function lockForWork(context: Context, params: { id: number; comment_id: number }) {
  await requireReadable(context.tx, context.actor, params.id)
  await lockComment(context.tx, params.id, params.comment_id)
  const { row, comment } = await requireComment(context, params)
  return { row, comment, acts: actsOn(context.actor, row, comment, context.services.clock.now()) }
}

async function present({ actor, services }: Context, row: CommentRow): Promise<Comment> {
  const { number, owner_id, author_id, status, status_kind, version_id, ...comment } = row
  const acts = actsOn(oneself(actor), { id: comment.document_id, number }, row, services.clock.now())
  return { ...comment, you: await allowedActs(acts) }
}

const reload = async (context: Context, params: { id: number; comment_id: number }) =>
  present(context, (await requireComment(context, params)).comment)

/** A comment does not change the version: its revision stays, and no approval waits for it. */
export const addComment = command({
  summary: 'Comment on a version of a document, or reply to a comment',
  description:
    'Comments on the version under way, or on `version`; a reply (`parent_id`) is on the version of its thread. People in `mentions` are notified. Open comments do not block an approval; approvers read them.',
  permission: commenting,
  input: { params: IdParams, body: CommentCreate },
  response: Comment,
  async run(context, { params, body }) {
    const { tx, actor, record } = context
    const { text, page = null, quote = null, parent_id, mentions = [], version: label } = body
    const parent = parent_id === undefined ? undefined : await requireThread(context, params.id, parent_id, label)
    const { row, atWork: shown } = await requireReadable(tx, actor, params.id, parent?.version ?? label)
    const isNamed = parent !== undefined || label !== undefined
    const atWork = isNamed ? await loadAtWork(tx, row.version_id) : shown
    const { version } = atWork
    requireCommentable(version)
    const mentioned = await requireReaders(context, atWork, mentions)
    const { id } = await insertComment(tx, {
      ...{ document_id: row.id, version_id: version.id, round: version.round },
      ...{ text, page, quote, parent_id: parent?.id ?? null },
    })
    const writers = parent ? await filterReadersOf(tx, atWork, await listWriters(tx, parent)) : []
    const notify = new Set([version.owner_id, version.created_by, ...writers])
    record('document.commented', row.id, {
      number: row.number,
      after: { version: version.version, comment_id: id, parent_id: parent?.id ?? null, comment: text, page, quote },
      // They are told that they are mentioned, which says more.
      notify: [...notify.difference(new Set(mentions))],
    })
    await mention(context, row, { id, version: version.version, text }, mentioned)
    return present(context, (await findComment(tx, { documentId: row.id, actor, atWork: version.id }, id))!)
  },
})

/** The comment that begins the thread to reply to. */
async function requireThread(context: Context, id: number, comment_id: number, label: string | undefined) {
  const { comment, acts } = await lockForWork(context, { id, comment_id })
  await requireAll(acts.reply)
  if (label !== undefined && label !== comment.version)
    throw invalidField('version', messages.document_comment_other_version({ version: comment.version }))
  return comment
}

async function requirePeople({ tx }: Context, ids: readonly number[]) {
  const people = ids.length === 0 ? [] : await listNames(tx, ids)
  const missing = ids.filter(id => !people.some(each => each.id === id))
  if (missing.length > 0) throw noneOf('User', ids, missing)
  return people
}

/** The mentioned people, who may read the version. */
async function requireReaders(context: Context, atWork: VersionAtWork, ids: readonly number[]) {
  const { tx } = context
  const people = await requirePeople(context, ids)
  if (people.length === 0) return []
  const readers = await filterReadersOf(tx, atWork, ids)
  const others = people.filter(({ id }) => !readers.includes(id)).map(({ username }) => username)
  if (others.length > 0)
    throw conflict(messages.document_mention_cannot_read({ usernames: others, version: atWork.version.version }))
  return people
}

async function mention(
  { tx, record }: ActionContext<unknown>,
  { id: document_id, number }: { id: number; number: string },
  { id: comment_id, version, text }: { id: number; version: string; text: string },
  people: readonly { id: number; username: string }[],
) {
  if (people.length === 0) return
  const ids = people.map(({ id }) => id)
  await insertMentions(tx, { document_id, comment_id }, ids)
  record('document.comment_mentioned', document_id, {
    number,
    after: { version, comment_id, comment: text, mentioned: people.map(({ username }) => username) },
    notify: ids,
  })
}

export const updateComment = command({
  summary: 'Change a comment on a document',
  description: `By its writer, for ${changeMinutes} minutes and before anybody answers it. The audit trail keeps what it said. People who are newly mentioned are notified; nobody is taken out of \`mentions\`.`,
  permission: commenting,
  input: { params: CommentParams, body: CommentUpdate },
  response: Comment,
  async run(context, { params, body: { text, mentions = [] } }) {
    const { tx, record } = context
    const { row, comment, acts } = await lockForWork(context, params)
    await requirePeople(context, mentions)
    await requireAll(acts.update)
    const atWork = await loadAtWork(tx, comment.version_id)
    const known = new Set(comment.mentions.map(({ id }) => id))
    const mentioned = await requireReaders(context, atWork, mentions)
    await setCommentText(tx, comment.id, text)
    record('document.comment_changed', row.id, {
      number: row.number,
      before: { comment: comment.text },
      after: { version: comment.version, comment_id: comment.id, comment: text },
    })
    const added = mentioned.filter(({ id }) => !known.has(id))
    await mention(context, row, { id: comment.id, version: comment.version, text }, added)
    return reload(context, params)
  },
})

export const resolveComment = command({
  summary: 'Resolve a comment on a document',
  description:
    'Its writer, the author or owner of the document, or a reviewer can resolve a comment. A thread is resolved as a whole.',
  permission: commenting,
  input: { params: CommentParams, body: CommentResolution },
  response: Comment,
  async run(context, { params, body: { reply = null } }) {
    const { tx, actor, record } = context
    const { row, comment, acts } = await lockForWork(context, params)
    await requireAll(acts.resolve)
    await setCommentResolved(tx, comment.id, { resolved_by: actor.userId!, reply })
    record('document.comment_resolved', row.id, {
      number: row.number,
      after: { version: comment.version, comment_id: comment.id, reply },
      notify: [comment.created_by.id],
    })
    return reload(context, params)
  },
})

export const reopenComment = command({
  summary: 'Reopen a comment on a document',
  description: 'By the people who may resolve it. The audit trail keeps how it was resolved.',
  permission: commenting,
  input: { params: CommentParams, body: CommentReopening },
  response: Comment,
  async run(context, { params, body: { reason = null } }) {
    const { tx, record } = context
    const { row, comment, acts } = await lockForWork(context, params)
    await requireAll(acts.reopen)
    const { resolved_by, reply, resolved_at } = comment
    await setCommentReopened(tx, comment.id)
    const atWork = await loadAtWork(tx, comment.version_id)
    record('document.comment_reopened', row.id, {
      number: row.number,
      before: { resolved_by: resolved_by!.username, resolved_at, reply },
      after: { version: comment.version, comment_id: comment.id, resolved_by: null, resolved_at: null, reply: null },
      reason,
      notify: await filterReadersOf(tx, atWork, [comment.created_by.id, resolved_by!.id]),
    })
    return reload(context, params)
  },
})
