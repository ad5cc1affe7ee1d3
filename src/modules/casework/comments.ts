import { sql } from 'kysely'
import { type Static, Type } from 'typebox'
import { command, query } from '#action'
import { notFound } from '#kernel/errors.ts'
import { PageParams, pageOf, parseSort } from '#kernel/paging.ts'
import { Body, Id, IdParams, Page, Person, Timestamp, Words } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { countRows, personOf } from '#platform/db/expressions.ts'
import { type CaseAccess, openCase } from './base/access.ts'
import { type CaseRef, caseKinds, ownerOf } from './base/kinds.ts'
import { filterReaders } from './base/people.ts'

const Comment = Type.Object({ id: Id, text: Type.String(), created_at: Timestamp, created_by: Person })
type Comment = Static<typeof Comment>

const CommentFilter = Type.Object(PageParams, { additionalProperties: false })
const CommentParams = Type.Object({ id: Id, comment_id: Id })

const select = (tx: Tx, { kind, id }: CaseRef) =>
  tx
    .selectFrom('record_comments as c')
    .select(['c.id', 'c.text', 'c.created_at'])
    .select(sql<Person>`${personOf('c.created_by')}`.as('created_by'))
    .where(`c.${caseKinds[kind].column}`, '=', id)

const countComments = (tx: Tx, { kind, id }: CaseRef) =>
  countRows(tx.selectFrom('record_comments').where(caseKinds[kind].column, '=', id))

async function findComment(tx: Tx, ref: CaseRef, id: number): Promise<Comment> {
  const comment = await select(tx, ref).where('c.id', '=', id).executeTakeFirst()
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
      const { direction } = parseSort(query.sort, ['id'], { field: 'id', direction: 'asc' })
      return pageOf(
        query,
        (limit, offset) => select(tx, record).orderBy('c.id', direction).limit(limit).offset(offset).execute(),
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
      const { id } = await tx
        .insertInto('record_comments')
        .values({ ...ownerOf(record), text })
        .returning('id')
        .executeTakeFirstOrThrow()
      tell(`${record.kind}.commented`, record.id, {
        number: record.number,
        after: { comment_id: id, comment: text },
        notify: await filterReaders(tx, record.kind, record.people),
      })
      return findComment(tx, record, id)
    },
  })
