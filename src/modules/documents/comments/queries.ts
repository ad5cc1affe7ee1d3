import { sql } from 'kysely'
import type { Actor } from '#action'
import type { Sort } from '#kernel/paging.ts'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { countRows, personOf } from '#platform/db/expressions.ts'
import { readable } from '../core/list-queries.ts'
import type { CommentFilter } from './schema.ts'

/** Comments on the versions that the actor may read, and on the one that they were asked to decide about. */
interface Sought {
  documentId: number
  actor: Actor
  atWork: number
}

const comments = (tx: Tx, { documentId, actor, atWork }: Sought) =>
  tx
    .selectFrom('document_comments as c')
    .innerJoin('document_versions as v', 'v.id', 'c.version_id')
    .innerJoin('documents as d', 'd.id', 'c.document_id')
    .where('c.document_id', '=', documentId)
    .where(e => e.or([readable(actor), e('v.id', '=', atWork)]))

const shown = (tx: Tx, sought: Sought) =>
  comments(tx, sought)
    .select(['c.id', 'c.document_id', 'v.version', 'c.round', 'c.text', 'c.page', 'c.quote', 'c.created_at'])
    .select(['c.resolved_at', 'c.reply', personOf('c.resolved_by').as('resolved_by')])
    .select(sql<Person>`${personOf('c.created_by')}`.as('created_by'))

const matching = ({ version, is_resolved }: CommentFilter) =>
  sql<boolean>`(${version ?? null}::text is null or v.version = ${version ?? null})
    and (${is_resolved ?? null}::boolean is null or (c.resolved_at is not null) = ${is_resolved ?? null})`

export const listComments = (
  tx: Tx,
  sought: Sought,
  filter: CommentFilter,
  { field, direction }: Sort<'id' | 'created_at'>,
  limit: number,
  offset: number,
) =>
  shown(tx, sought)
    .where(matching(filter))
    .orderBy(`c.${field}`, direction)
    .orderBy('c.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countComments = (tx: Tx, sought: Sought, filter: CommentFilter) =>
  countRows(comments(tx, sought).where(matching(filter)))

export const findComment = (tx: Tx, sought: Sought, id: number) =>
  shown(tx, sought)
    .select(['d.number', 'd.owner_id', 'v.created_by as author_id'])
    .where('c.id', '=', id)
    .executeTakeFirst()

export const lockComment = (tx: Tx, documentId: number, id: number) =>
  tx
    .selectFrom('document_comments')
    .select('id')
    .where('document_id', '=', documentId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

interface NewComment {
  document_id: number
  version_id: number
  round: number
  text: string
  page: number | null
  quote: string | null
}
export const insertComment = (tx: Tx, values: NewComment) =>
  tx.insertInto('document_comments').values(values).returning('id').executeTakeFirstOrThrow()

export const setCommentResolved = (tx: Tx, id: number, values: { resolved_by: number; reply: string | null }) =>
  tx
    .updateTable('document_comments')
    .set({ ...values, resolved_at: sql`now()` })
    .where('id', '=', id)
    .execute()
