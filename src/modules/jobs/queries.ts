import { type ExpressionBuilder, sql } from 'kysely'
import type { Actor } from '#action'
import type { Sort } from '#kernel/paging.ts'
import type { Tx } from '#platform/db/database.ts'
import { countRows, endOf, personOf, startOf } from '#platform/db/expressions.ts'
import type { Tables } from '#platform/db/tables.ts'
import type { Job, JobFilter } from './schema.ts'

export const jobSorts = ['id', 'created_at'] as const

/** Everybody reads their own jobs; people who manage the tenant's settings read all. */
const readable = (actor: Actor) => (e: ExpressionBuilder<Tables, 'background_jobs'>) =>
  actor.permissions.has('settings.manage') ? sql.lit(true) : e('requested_by', '=', actor.userId)

const matches =
  (actor: Actor, { status, kind, date_from, date_to }: Omit<JobFilter, 'page' | 'page_size' | 'sort'>) =>
  (e: ExpressionBuilder<Tables, 'background_jobs'>) =>
    e.and([
      readable(actor)(e),
      ...(status ? [e('status', '=', status)] : []),
      ...(kind ? [e('kind', '=', kind)] : []),
      ...(date_from ? [e('created_at', '>=', startOf(date_from))] : []),
      ...(date_to ? [e('created_at', '<', endOf(date_to))] : []),
    ])

const selectJobs = (tx: Tx) =>
  tx
    .selectFrom('background_jobs')
    .select(['id', 'kind', 'status', 'total', 'done', 'skipped', 'error', 'created_at', 'started_at', 'finished_at'])
    .select(
      sql<number>`case when status = 'completed' then 100 when total = 0 then 0
        else least(100, (done + skipped)::bigint * 100 / total) end::int`.as('percent'),
    )
    .select(personOf('requested_by').as('requested_by'))

export const listJobs = async (
  tx: Tx,
  actor: Actor,
  filter: JobFilter,
  { field, direction }: Sort<(typeof jobSorts)[number]>,
  limit: number,
  offset: number,
) =>
  (await selectJobs(tx)
    .where(matches(actor, filter))
    .orderBy(field, direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .execute()) as Job[]

export const countJobs = (tx: Tx, actor: Actor, filter: JobFilter) =>
  countRows(tx.selectFrom('background_jobs').where(matches(actor, filter)))

export const findJob = async (tx: Tx, actor: Actor, id: number) =>
  (await selectJobs(tx).where('id', '=', id).where(readable(actor)).executeTakeFirst()) as Job | undefined

/** The requester with their permissions at that time, as the job stores them. */
export interface Requester extends Pick<Actor, 'username' | 'fullName' | 'role' | 'roles' | 'authTime'> {
  permissions: readonly string[]
  clientAddr: string
}

/** A job with the fields that its worker needs. */
export interface JobRow {
  id: number
  kind: string
  input: object
  state: object
  total: number
  done: number
  skipped: number
  status: string
  turn: number
  requested_by: number | null
  requester: Requester
  request_id: string
}

const ofWorker = [
  ...(['id', 'kind', 'input', 'state', 'total', 'done', 'skipped', 'status', 'turn'] as const),
  ...(['requested_by', 'requester', 'request_id'] as const),
] as const

const unfinished = (tx: Tx, id: number, turn: number) =>
  tx
    .selectFrom('background_jobs')
    .select(ofWorker)
    .where('id', '=', id)
    .where('turn', '=', turn)
    .where('finished_at', 'is', null)

/** Returns undefined if the job is finished, or another turn of it has begun. */
export const readTurn = async (tx: Tx, id: number, turn: number) =>
  (await unfinished(tx, id, turn).executeTakeFirst()) as JobRow | undefined
export const lockTurn = async (tx: Tx, id: number, turn: number) =>
  (await unfinished(tx, id, turn).forUpdate().executeTakeFirst()) as JobRow | undefined

export async function insertJob(
  tx: Tx,
  job: {
    kind: string
    input: object
    total: number
    requested_by: number | null
    requester: Requester
    request_id: string
  },
  now: Date,
): Promise<number> {
  const { id } = await tx
    .insertInto('background_jobs')
    .values({
      ...job,
      input: JSON.stringify(job.input),
      requester: JSON.stringify(job.requester),
      created_at: now.toISOString(),
    })
    .returning('id')
    .executeTakeFirstOrThrow()
  return id
}

export const saveStep = (
  tx: Tx,
  id: number,
  { state, done, skipped }: { state: object; done: number; skipped: number },
  now: Date,
) =>
  tx
    .updateTable('background_jobs')
    .set(e => ({
      status: 'running',
      state: JSON.stringify(state),
      done: e('done', '+', done),
      skipped: e('skipped', '+', skipped),
      started_at: e.fn.coalesce('started_at', e.val(now.toISOString())),
    }))
    .where('id', '=', id)
    .returning(['done', 'skipped'])
    .executeTakeFirstOrThrow()

export const finish = (tx: Tx, id: number, end: { status: 'completed' | 'failed'; error: string | null }, now: Date) =>
  tx
    .updateTable('background_jobs')
    .set({ ...end, finished_at: now.toISOString() })
    .where('id', '=', id)
    .execute()

/** Undefined if there is no such job. Waits for whoever starts it again at the same moment. */
export const lockJob = (tx: Tx, id: number) =>
  tx
    .selectFrom('background_jobs')
    .select(['tenant_id', 'id', 'kind', 'status', 'turn', 'done', 'skipped', 'total'])
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst()

/** The oldest first, so many that one transaction can start them again. */
export const listFailed = (tx: Tx, since: Date, limit: number) =>
  tx
    .selectFrom('background_jobs')
    .select('id')
    .where('status', '=', 'failed')
    .where('finished_at', '>=', since.toISOString())
    .orderBy('id')
    .limit(limit)
    .execute()

/** It goes on after the last step that was done. */
export const startAgain = (tx: Tx, id: number, turn: number) =>
  tx
    .updateTable('background_jobs')
    .set({ status: 'queued', error: null, finished_at: null, turn })
    .where('id', '=', id)
    .execute()

export const nextTurn = (tx: Tx, id: number, turn: number) =>
  tx.updateTable('background_jobs').set({ turn }).where('id', '=', id).execute()

/** The number of earlier unfinished jobs of the tenant, which come first. Jobs of other tenants do not delay it. */
export const countBefore = (tx: Tx, id: number) =>
  countRows(tx.selectFrom('background_jobs').where('finished_at', 'is', null).where('id', '<', id))

const maxRequeued = 100

export const findUnfinished = (tx: Tx, kind: string) =>
  tx
    .selectFrom('background_jobs')
    .select(['tenant_id', 'id', 'turn'])
    .where('finished_at', 'is', null)
    .where('kind', '=', kind)
    .orderBy('id')
    .limit(maxRequeued)
    .execute()

/** How many keys were removed. */
export const deleteKeys = async (tx: Tx, before: string) =>
  Number(
    (await tx.deleteFrom('idempotency_keys').where('created_at', '<', before).executeTakeFirstOrThrow()).numDeletedRows,
  )
