import { sql } from 'kysely'
import type { Actor } from '#action'
import type { Sort } from '#kernel/paging.ts'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { countRows, personOf } from '#platform/db/expressions.ts'
import { readable } from '../core/list-queries.ts'
import type { CommentFilter } from './schema.ts'

/** The people whom the comment `c` mentions. */
export const mentionsOf = sql<Person[]>`coalesce((select jsonb_agg(${personOf('m.user_id')} order by m.user_id)
  from document_comment_mentions m where m.document_id = c.document_id and m.comment_id = c.id), '[]')`.as('mentions')

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
    .leftJoin('document_comments as p', 'p.id', 'c.parent_id')
    .where('c.document_id', '=', documentId)
    .where(e => e.or([readable(actor), e('v.id', '=', atWork)]))

const shown = (tx: Tx, sought: Sought) =>
  comments(tx, sought)
    .select(['c.id', 'c.document_id', 'v.version', 'c.round', 'c.text', 'c.page', 'c.quote', 'c.created_at'])
    .select(['c.resolved_at', 'c.reply', personOf('c.resolved_by').as('resolved_by')])
    .select(sql<Person>`${personOf('c.created_by')}`.as('created_by'))
    .select(['c.parent_id', 'c.edited_at', 'd.number', 'd.owner_id', 'v.created_by as author_id'])
    .select(['v.status', 'v.status_kind', 'v.id as version_id'])
    .select([
      sql<number>`(select count(*) from document_comments r
        where r.tenant_id = c.tenant_id and r.version_id = c.version_id and r.parent_id = c.id)`.as('replies'),
      mentionsOf,
    ])

const matching = ({ version, is_resolved, is_reply, parent_id }: CommentFilter) =>
  sql<boolean>`(${version ?? null}::text is null or v.version = ${version ?? null})
    and (${is_resolved ?? null}::boolean is null
      or (case when c.parent_id is null then c.resolved_at else p.resolved_at end is not null) = ${is_resolved ?? null})
    and (${is_reply ?? null}::boolean is null or (c.parent_id is not null) = ${is_reply ?? null})
    and (${parent_id ?? null}::bigint is null or c.parent_id = ${parent_id ?? null})`

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
  shown(tx, sought).where('c.id', '=', id).executeTakeFirst()
export type CommentRow = NonNullable<Awaited<ReturnType<typeof findComment>>>

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
  parent_id: number | null
}
export const insertComment = (tx: Tx, values: NewComment) =>
  tx.insertInto('document_comments').values(values).returning('id').executeTakeFirstOrThrow()

export const setCommentResolved = (tx: Tx, id: number, values: { resolved_by: number; reply: string | null }) =>
  tx
    .updateTable('document_comments')
    .set({ ...values, resolved_at: sql`now()` })
    .where('id', '=', id)
    .execute()

export const setCommentReopened = (tx: Tx, id: number) =>
  tx
    .updateTable('document_comments')
    .set({ resolved_at: null, resolved_by: null, reply: null })
    .where('id', '=', id)
    .execute()

export const setCommentText = (tx: Tx, id: number, text: string) =>
  tx.updateTable('document_comments').set({ text, edited_at: sql`now()` }).where('id', '=', id).execute()

export const insertMentions = (tx: Tx, of: { document_id: number; comment_id: number }, people: readonly number[]) =>
  tx
    .insertInto('document_comment_mentions')
    .values(people.map(user_id => ({ ...of, user_id })))
    .execute()

/** Those who have written in a thread. */
export const listWriters = async (tx: Tx, thread: { version_id: number; id: number }) => {
  const rows = await tx
    .selectFrom('document_comments')
    .select('created_by')
    .distinct()
    .where('version_id', '=', thread.version_id)
    .where(e => e.or([e('id', '=', thread.id), e('parent_id', '=', thread.id)]))
    .execute()
  return rows.map(({ created_by }) => created_by)
}

/** The names of these users of the tenant; unknown ones are missing. */
export const listNames = (tx: Tx, ids: readonly number[]) =>
  tx
    .selectFrom('users')
    .select(['id', 'username'])
    .where('id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .where('kind', '=', 'person')
    .orderBy('id')
    .execute()
