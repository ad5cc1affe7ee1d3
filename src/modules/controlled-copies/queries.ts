import { type SqlBool, sql } from 'kysely'
import type { Sort } from '#kernel/paging.ts'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import {
  contains,
  countByValue,
  countRows,
  endOf,
  isoMoment,
  personOf,
  revised,
  sortName,
  startOf,
} from '#platform/db/expressions.ts'
import type { ControlledCopy, ControlledCopyDetails, CopyFilter } from './schema.ts'
import type { Outcome } from './states.ts'

const copyNumber = sql<string>`(d.number || ' copy ' || k.copy_number)`

const sortColumns = {
  id: sql.ref('k.id'),
  number: sql.ref('d.number'),
  copy_number: sql.ref('k.copy_number'),
  title: sql.ref('v.title'),
  version: sql`array[v.major, v.minor]`,
  issued_to: sortName('k.issued_to'),
  holder: sortName('k.holder_id'),
  location: sql.ref('k.location'),
  status: sql.ref('k.status'),
  issued_at: sql.ref('k.issued_at'),
  due_date: sql.ref('k.due_date'),
}
export const copySorts = Object.keys(sortColumns) as (keyof typeof sortColumns)[]

/** Whose copies are shown: of everybody, or those that these people hold or that were issued to them. */
export interface Visibility {
  of?: readonly number[]
}

const isOverdue = (today: string) => sql<boolean>`(k.status = 'recalled' and k.due_date < ${today})`

const copies = (tx: Tx) =>
  tx
    .selectFrom('controlled_copies as k')
    .innerJoin('documents as d', 'd.id', 'k.document_id')
    .innerJoin('document_versions as v', 'v.id', 'k.version_id')

const whole = (tx: Tx, today: string) =>
  copies(tx)
    .select([
      'k.id',
      'k.copy_number',
      'v.version',
      'k.location',
      'k.purpose',
      'k.issued_at',
      'k.recalled_at',
      'k.recall_reason',
    ])
    .select(['k.due_date', 'k.confirmed_at', 'k.confirmation_comment', 'k.reconciled_at', 'k.reconciliation_reason'])
    .select(['k.updated_at', 'k.revision', copyNumber.as('number')])
    .select([
      sql<ControlledCopy['document']>`jsonb_build_object('id', d.id, 'number', d.number, 'title', v.title)`.as(
        'document',
      ),
      sql<ControlledCopy['status']>`k.status`.as('status'),
      sql<Outcome | null>`k.confirmed_outcome`.as('confirmed_outcome'),
      sql<Person>`${personOf('k.issued_to')}`.as('issued_to'),
      sql<Person>`${personOf('k.holder_id')}`.as('holder'),
      sql<Person>`${personOf('k.issued_by')}`.as('issued_by'),
      personOf('k.recalled_by').as('recalled_by'),
      personOf('k.confirmed_by').as('confirmed_by'),
      personOf('k.reconciled_by').as('reconciled_by'),
      personOf('k.updated_by').as('updated_by'),
      sql<number>`(select count(*)::int from controlled_copy_prints p where p.copy_id = k.id)`.as('prints'),
      isOverdue(today).as('overdue'),
    ])

const matching = (
  { document_id, holder_id, status, is_confirmed, overdue, date_from, date_to, q }: CopyFilter,
  { of }: Visibility,
  today: string,
) =>
  sql<SqlBool>`${sql.join(
    [
      sql`true`,
      ...(of ? [sql`(k.holder_id = any(${[...of]}::bigint[]) or k.issued_to = any(${[...of]}::bigint[]))`] : []),
      ...(document_id ? [sql`k.document_id = any(${document_id}::bigint[])`] : []),
      ...(holder_id ? [sql`k.holder_id = any(${holder_id}::bigint[])`] : []),
      ...(status ? [sql`k.status = any(${status}::text[])`] : []),
      ...(is_confirmed === undefined ? [] : [sql`(k.confirmed_at is not null) = ${is_confirmed}`]),
      ...(overdue === undefined ? [] : [sql`${isOverdue(today)} is ${sql.raw(overdue ? 'true' : 'not true')}`]),
      ...(date_from ? [sql`k.issued_at >= ${startOf(date_from)}`] : []),
      ...(date_to ? [sql`k.issued_at < ${endOf(date_to)}`] : []),
      ...(q
        ? [sql`(${copyNumber} ilike ${contains(q)} or v.title ilike ${contains(q)} or k.location ilike ${contains(q)})`]
        : []),
    ],
    sql` and `,
  )}`

export const listCopies = (
  tx: Tx,
  filter: CopyFilter,
  visibility: Visibility,
  today: string,
  { field, direction }: Sort<(typeof copySorts)[number]>,
  limit: number,
  offset: number,
): Promise<ControlledCopy[]> =>
  whole(tx, today)
    .where(matching(filter, visibility, today))
    .orderBy(sortColumns[field], direction)
    .orderBy('k.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countCopies = (tx: Tx, filter: CopyFilter, visibility: Visibility, today: string) =>
  countRows(copies(tx).where(matching(filter, visibility, today)))

export const copyValues = ['location'] as const

/** The places where copies are or were. */
export const listCopyPlaces = (tx: Tx, visibility: Visibility, today: string, part: { q: string; limit: number }) =>
  countByValue(
    tx,
    copies(tx)
      .where(matching({}, visibility, today))
      .select('k.location as value'),
    part,
  )

export const findCopy = (
  tx: Tx,
  id: number,
  visibility: Visibility,
  today: string,
): Promise<ControlledCopy | undefined> =>
  whole(tx, today)
    .where('k.id', '=', id)
    .where(matching({}, visibility, today))
    .executeTakeFirst()

export const listPrints = (tx: Tx, copyId: number): Promise<ControlledCopyDetails['printed']> =>
  tx
    .selectFrom('controlled_copy_prints as p')
    .select(['p.print_number', 'p.reason', 'p.sha256', 'p.pages', 'p.printed_at'])
    .select(sql<Person>`${personOf('p.printed_by')}`.as('printed_by'))
    .where('p.copy_id', '=', copyId)
    .orderBy('p.print_number')
    .execute()

export const lockCopy = (tx: Tx, id: number) =>
  tx
    .selectFrom('controlled_copies')
    .select(['id', 'document_id', 'version_id'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

export const documentOfCopy = async (tx: Tx, id: number) =>
  (await tx.selectFrom('controlled_copies').select('document_id').where('id', '=', id).executeTakeFirst())?.document_id

/** The caller holds the lock of the document. */
export const nextCopyNumber = async (tx: Tx, documentId: number) =>
  (
    await tx
      .selectFrom('controlled_copies')
      .select(sql<number>`coalesce(max(copy_number), 0) + 1`.as('next'))
      .where('document_id', '=', documentId)
      .executeTakeFirstOrThrow()
  ).next

export const countOpenCopies = (tx: Tx, documentId: number) =>
  countRows(
    tx
      .selectFrom('controlled_copies')
      .where('document_id', '=', documentId)
      .where(sql<SqlBool>`is_open_controlled_copy(status)`),
  )

interface NewCopy {
  document_id: number
  version_id: number
  copy_number: number
  issued_to: number
  holder_id: number
  location: string
  purpose: string | null
}
export const insertCopy = (tx: Tx, copy: NewCopy) =>
  tx.insertInto('controlled_copies').values(copy).returning('id').executeTakeFirstOrThrow()

export const insertPrint = (
  tx: Tx,
  print: { copy_id: number; print_number: number; reason: string | null; sha256: string; pages: number },
) => tx.insertInto('controlled_copy_prints').values(print).execute()

export const updateCopy = (tx: Tx, id: number, values: Record<string, string | number | boolean | null>) =>
  tx
    .updateTable('controlled_copies')
    .set({ ...values, ...revised })
    .where('id', '=', id)
    .execute()

/** The copies of a version that are still in use, locked in their order. */
export const lockIssuedCopies = (tx: Tx, { document_id, version_id }: { document_id: number; version_id: number }) =>
  tx
    .selectFrom('controlled_copies')
    .select('id')
    .where('document_id', '=', document_id)
    .where('version_id', '=', version_id)
    .where('status', '=', 'issued')
    .orderBy('id')
    .forUpdate()
    .execute()

export const listOverdueCopies = (tx: Tx, today: string, limit: number) =>
  tx
    .selectFrom('controlled_copies')
    .select('id')
    .where('status', '=', 'recalled')
    .where('due_date', '<', today)
    .where('overdue_noticed', '=', false)
    .orderBy('due_date')
    .orderBy('id')
    .limit(limit)
    .execute()

export const isNoticed = async (tx: Tx, id: number) =>
  (await tx.selectFrom('controlled_copies').select('overdue_noticed').where('id', '=', id).executeTakeFirstOrThrow())
    .overdue_noticed

/** To be reconciled: recalled, or confirmed by its holder. Nobody reconciles a copy that they hold, or for whose holder they have spoken. */
export const listUnreconciled = (tx: Tx, actorId: number | null, limit: number) =>
  copies(tx)
    .select(['k.id', 'v.title', 'k.status', 'k.due_date', 'k.document_id', 'k.holder_id', copyNumber.as('number')])
    .where(sql<SqlBool>`(k.status = 'recalled' or k.status = 'issued' and k.confirmed_at is not null)`)
    .where(sql<SqlBool>`k.holder_id is distinct from ${actorId} and k.confirmed_by is distinct from ${actorId}`)
    .orderBy('k.due_date', order => order.asc().nullsLast())
    .orderBy('k.id')
    .limit(limit)
    .execute()

const held = (tx: Tx, userId: number) =>
  copies(tx)
    .where('k.holder_id', '=', userId)
    .where('k.confirmed_at', 'is', null)
    .where(sql<SqlBool>`is_open_controlled_copy(k.status)`)

export const countHeld = (tx: Tx, userId: number) => countRows(held(tx, userId))
export const listHeld = (tx: Tx, userId: number, { after, limit }: { after: number; limit: number }) =>
  held(tx, userId)
    .select(['k.id', 'k.id as record_id', copyNumber.as('number'), 'v.title', 'k.status', 'k.due_date'])
    .where('k.id', '>', after)
    .orderBy('k.id')
    .limit(limit)
    .execute()

/** Everything about the copies of a document, for its dossier. */
export const listRecordedCopies = (tx: Tx, documentId: number) =>
  copies(tx)
    .select(['k.id', 'k.copy_number', 'v.version', 'k.location', 'k.purpose', 'k.status', 'k.issued_at'])
    .select([
      'k.recalled_at',
      'k.recall_reason',
      'k.due_date',
      'k.confirmed_outcome',
      'k.confirmed_at',
      'k.confirmation_comment',
    ])
    .select(['k.reconciled_at', 'k.reconciliation_reason'])
    .select([
      personOf('k.issued_to').as('issued_to'),
      personOf('k.holder_id').as('holder'),
      personOf('k.issued_by').as('issued_by'),
      personOf('k.recalled_by').as('recalled_by'),
      personOf('k.confirmed_by').as('confirmed_by'),
      personOf('k.reconciled_by').as('reconciled_by'),
      sql<
        object[]
      >`coalesce((select jsonb_agg(jsonb_build_object('print_number', p.print_number, 'reason', p.reason, 'sha256', p.sha256,
        'pages', p.pages, 'printed_at', ${isoMoment('p.printed_at')}, 'printed_by', ${personOf('p.printed_by')}) order by p.print_number)
        from controlled_copy_prints p where p.copy_id = k.id), '[]')`.as('prints'),
    ])
    .where('k.document_id', '=', documentId)
    .orderBy('k.copy_number')
    .execute()

/** Another one after each change of a copy of the document. */
export const markOfCopies = async (tx: Tx, documentId: number): Promise<string> => {
  const { changes } = await tx
    .selectFrom('controlled_copies')
    .select(sql<number>`coalesce(sum(revision), 0)::int`.as('changes'))
    .where('document_id', '=', documentId)
    .executeTakeFirstOrThrow()
  return String(changes)
}

export const requestedHolders = (tx: Tx, id: number, user_ids: readonly number[]) =>
  tx
    .selectFrom('controlled_copies')
    .select('holder_id')
    .where('id', '=', id)
    .where('confirmed_at', 'is', null)
    .where(sql<SqlBool>`is_open_controlled_copy(status)`)
    .where('holder_id', '=', sql<number>`any(${[...user_ids]}::bigint[])`)
    .execute()

export const findUsername = async (tx: Tx, id: number) =>
  (await tx.selectFrom('users').select('username').where('id', '=', id).executeTakeFirstOrThrow()).username

/** The effective version of a document. */
export const findEffectiveVersion = (tx: Tx, documentId: number) =>
  tx
    .selectFrom('documents as d')
    .innerJoin('document_versions as v', 'v.id', 'd.effective_version_id')
    .select(['v.id', 'v.version'])
    .where('d.id', '=', documentId)
    .executeTakeFirst()
