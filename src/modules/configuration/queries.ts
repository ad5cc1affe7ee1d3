import { type Insertable, sql } from 'kysely'
import type { ConfigurationChange, ConfigurationKind, ConfigurationStatus } from '#action'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import { countRows, personOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { StoredRequest } from './rules.ts'
import type { ChangeFilter } from './schema.ts'

export const changeSorts = ['id', 'proposed_at', 'decided_at'] as const

/** Held until the end of the transaction: changes of a tenant's configuration, and of the setting that guards it, happen one by one. */
export const lockConfiguration = (tx: Tx) =>
  sql`select from tenants where id = (select current_tenant()) for no key update`.execute(tx)

const summaries = (tx: Tx) =>
  tx
    .selectFrom('configuration_changes as c')
    .select(['c.id', 'c.resource_id', 'c.title', 'c.reason', 'c.proposed_at', 'c.decided_at', 'c.decision_reason'])
    .select([
      'c.signature_id',
      sql<ConfigurationKind>`c.kind`.as('kind'),
      sql<ConfigurationChange['operation']>`c.operation`.as('operation'),
      sql<ConfigurationStatus>`c.status`.as('status'),
      sql<ConfigurationChange['proposed_by']>`${personOf('c.proposed_by')}`.as('proposed_by'),
      personOf('c.decided_by').as('decided_by'),
    ])

const matching = (tx: Tx, { kind, status, proposed_by }: ChangeFilter) =>
  tx
    .selectFrom('configuration_changes')
    .$if(kind !== undefined, query => query.where('kind', '=', kind!))
    .$if(status !== undefined, query => query.where('status', '=', status!))
    .$if(proposed_by !== undefined, query => query.where('proposed_by', '=', proposed_by!))

export const listChanges = (
  tx: Tx,
  filter: ChangeFilter,
  { field, direction }: Sort<(typeof changeSorts)[number]>,
  limit: number,
  offset: number,
) =>
  summaries(tx)
    .where('c.id', 'in', matching(tx, filter).select('id'))
    .orderBy(`c.${field}`, direction)
    .orderBy('c.id', direction)
    .limit(limit)
    .offset(offset)
    .execute()

export const countChanges = (tx: Tx, filter: ChangeFilter) => countRows(matching(tx, filter))

const details = (tx: Tx) =>
  summaries(tx).select([
    'c.base_revision',
    'c.digest',
    sql<ConfigurationChange['changes']>`c.changes`.as('changes'),
    sql<StoredRequest>`c.request`.as('request'),
  ])

export const findChange = (tx: Tx, id: number) => details(tx).where('c.id', '=', id).executeTakeFirst()
export type StoredChange = NonNullable<Awaited<ReturnType<typeof findChange>>>

export const lockChange = (tx: Tx, id: number) =>
  tx.selectFrom('configuration_changes').select('id').where('id', '=', id).forUpdate().executeTakeFirst()

export const listPending = (tx: Tx, kinds: readonly ConfigurationKind[], notBy: number, limit: number) =>
  summaries(tx)
    .where('c.status', '=', 'pending')
    .where('c.kind', 'in', kinds)
    .where('c.proposed_by', '<>', notBy)
    .orderBy('c.id')
    .limit(limit)
    .execute()

type NewChange = Omit<Insertable<Tables['configuration_changes']>, 'request' | 'changes'> & {
  request: object
  changes: object
}
export const insertChange = (tx: Tx, { request, changes, ...values }: NewChange) =>
  tx
    .insertInto('configuration_changes')
    .values({ ...values, request: JSON.stringify(request), changes: JSON.stringify(changes) })
    .returning('id')
    .executeTakeFirstOrThrow()

/** The database adds who decided, and when. */
export const decideChange = (
  tx: Tx,
  id: number,
  values: {
    status: Exclude<ConfigurationStatus, 'pending'>
    decision_reason?: string | null
    signature_id?: number
    resource_id?: number
  },
) => tx.updateTable('configuration_changes').set(values).where('id', '=', id).execute()

const tableOf = {
  workflow_template: 'workflow_templates',
  form_template: 'form_templates',
  role: 'roles',
  document_type: 'document_types',
  settings: 'tenants',
} as const satisfies Record<ConfigurationKind, keyof Tables>

/** The current revision of the record that a change is about; undefined if there is no such record any more. */
export const findRevision = async (tx: Tx, kind: ConfigurationKind, id: number): Promise<number | undefined> =>
  (await tx.selectFrom(tableOf[kind]).select('revision').where('id', '=', id).executeTakeFirst())?.revision

/** A whole row by the id alone, also for a restore, which reads it outside of any tenant. */
export const findWhole = (tx: Tx, id: number) =>
  tx.selectFrom('configuration_changes').selectAll().where('id', '=', id).executeTakeFirst()

export const listProgramNames = (tx: Tx, ids: readonly number[]) =>
  tx
    .selectFrom('training_programs')
    .select(['id', sql<string>`number || ' ' || title`.as('name')])
    .where('id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .execute()

export const listPeopleById = (tx: Tx, ids: readonly number[]) =>
  tx
    .selectFrom('users')
    .select(['id', 'username', 'full_name'])
    .where('id', '=', sql<number>`any(${[...ids]}::bigint[])`)
    .orderBy('full_name')
    .orderBy('id')
    .execute()
