import { type Static, Type } from 'typebox'
import { command, query } from '#action'
import { notFound } from '#kernel/errors.ts'
import { PageParams, pageOf, parseSort } from '#kernel/paging.ts'
import { Body, Id, IdParams, Page, Person, Timestamp, Words } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { type CaseAccess, openCase } from './base/access.ts'
import { type CaseRef, caseKinds, ownerOf } from './base/kinds.ts'
import { filterReaders } from './base/people.ts'
import { countComments, insertComment, selectComments } from './part-queries.ts'

const Comment = Type.Object({ id: Id, text: Type.String(), created_at: Timestamp, created_by: Person })
type Comment = Static<typeof Comment>

const CommentFilter = Type.Object(PageParams, { additionalProperties: false })
const CommentParams = Type.Object({ id: Id, comment_id: Id })

async function findComment(tx: Tx, ref: CaseRef, id: number): Promise<Comment> {
  const comment = await selectComments(tx, ref).where('c.id', '=', id).executeTakeFirst()
  if (!comment) throw notFound('Comment')
  return comment
}

export const comments = (access: CaseAccess) =>
  query({
    summary: `List the comments on a ${caseKinds[access.kind].noun}`,
    permission: caseKinds[access.kind].read,
    input: { params: IdParams, query: CommentFilter },
    response: Page(Comment),
    async run({ tx, actor }, { params, query }) {
      const record = await openCase(tx, actor, access, params.id)
      const { field, direction } = parseSort(query.sort, ['id', 'created_at'], { field: 'id', direction: 'asc' })
      return pageOf(
        query,
        (limit, offset) =>
          selectComments(tx, record)
            .orderBy(`c.${field}`, direction)
            .orderBy('c.id', direction)
            .limit(limit)
            .offset(offset)
            .execute(),
        () => countComments(tx, record),
      )
    },
  })

export const commentDetails = (access: CaseAccess) =>
  query({
    summary: `Read a comment on a ${caseKinds[access.kind].noun}`,
    permission: caseKinds[access.kind].read,
    input: { params: CommentParams },
    response: Comment,
    run: async ({ tx, actor }, { params }) =>
      findComment(tx, await openCase(tx, actor, access, params.id), params.comment_id),
  })

/** A comment is no change of the record: it counts no revision, and a final record takes it too. */
export const addComment = (access: CaseAccess) =>
  command({
    summary: `Comment on a ${caseKinds[access.kind].noun}`,
    description: 'In every state.',
    permission: access.permissions.comment,
    input: { params: IdParams, body: Body({ text: Words(10_000) }) },
    response: Comment,
    async run({ tx, actor, record: tell }, { params, body: { text } }) {
      const record = await openCase(tx, actor, access, params.id)
      const { id } = await insertComment(tx, { ...ownerOf(record), text })
      tell(`${record.kind}.commented`, record.id, {
        number: record.number,
        after: { comment_id: id, comment: text },
        notify: await filterReaders(tx, record.kind, record.people),
      })
      return findComment(tx, record, id)
    },
  })
