import { type Insertable, sql, type Updateable } from 'kysely'
import type { Person } from '#kernel/schema.ts'
import type { Tx } from '#platform/db/database.ts'
import { personOf } from '#platform/db/expressions.ts'
import type { AiCalls, AssistantSettings } from '#platform/db/tables.ts'
import type { AiCallKind } from './words.ts'

const currentTenant = sql<number>`(select current_tenant())`

export interface Policy {
  /** The id of the row; 0 while the tenant has none. */
  id: number
  is_enabled: boolean
  monthly_tokens: number | null
  monthly_cost_micros: number | null
  input_price_micros: number
  output_price_micros: number
  revision: number
  updated_at: string | null
  updated_by: Person | null
}

const undecided: Policy = {
  id: 0,
  is_enabled: true,
  monthly_tokens: null,
  monthly_cost_micros: null,
  input_price_micros: 0,
  output_price_micros: 0,
  revision: 1,
  updated_at: null,
  updated_by: null,
}

export const readPolicy = async (tx: Tx): Promise<Policy> =>
  (await tx
    .selectFrom('assistant_settings')
    .select([
      'id',
      'is_enabled',
      'monthly_tokens',
      'monthly_cost_micros',
      'input_price_micros',
      'output_price_micros',
      'revision',
      'updated_at',
    ])
    .select(sql<Person | null>`${personOf('updated_by')}`.as('updated_by'))
    .where('tenant_id', '=', currentTenant)
    .executeTakeFirst()) ?? undecided

/** Locks the tenant's row, because the policy may not have one yet. */
export const holdPolicy = (tx: Tx) => sql`select from tenants where id = ${currentTenant} for no key update`.execute(tx)

export const insertPolicy = (tx: Tx, values: Insertable<AssistantSettings>): Promise<{ id: number }> =>
  tx.insertInto('assistant_settings').values(values).returning('id').executeTakeFirstOrThrow()

export const updatePolicy = (tx: Tx, values: Updateable<AssistantSettings>) =>
  tx
    .updateTable('assistant_settings')
    .set({ ...values, updated_at: sql`now()`, updated_by: sql`current_actor()` })
    .where('tenant_id', '=', currentTenant)
    .execute()

/** The calendar month of a moment in a time zone, with its usage. */
export async function readMonth(tx: Tx, time_zone: string, now: Date) {
  const first = sql<string>`date_trunc('month', ${now.toISOString()}::timestamptz at time zone ${time_zone})`
  const { rows } = await sql<{ from: string; until: string; tokens: number; cost_micros: number }>`
    select m."from", m.until, t.tokens, t.cost_micros
    from (select ${first} at time zone ${time_zone} as "from", (${first} + interval '1 month') at time zone ${time_zone} as until) m
      cross join lateral (select coalesce(sum(c.tokens), 0)::bigint as tokens, coalesce(sum(c.cost_micros), 0)::bigint as cost_micros
        from ai_calls c where c.tenant_id = ${currentTenant} and c.created_at >= m."from" and c.created_at < m.until) t`.execute(
    tx,
  )
  return rows[0]!
}

export const insertCall = async (tx: Tx, values: Insertable<AiCalls>): Promise<number> =>
  (await tx.insertInto('ai_calls').values(values).returning('id').executeTakeFirstOrThrow()).id

/** Answers false if the call has already ended: it ends once. */
export const endCall = async (tx: Tx, id: number, values: Updateable<AiCalls>): Promise<boolean> =>
  (await tx
    .updateTable('ai_calls')
    .set(values)
    .where('id', '=', id)
    .where('status', '=', 'started')
    .returning('id')
    .executeTakeFirst()) !== undefined

/** `SOP-0012 1.0` of each version. */
export async function labelsOf(tx: Tx, version_ids: readonly number[]): Promise<string[]> {
  if (version_ids.length === 0) return []
  const rows = await tx
    .selectFrom('document_versions as v')
    .innerJoin('documents as d', 'd.id', 'v.document_id')
    .select(sql<string>`d.number || ' ' || v.version`.as('label'))
    .where('v.id', 'in', [...version_ids])
    .orderBy('d.number')
    .orderBy('v.id')
    .execute()
  return rows.map(({ label }) => label)
}

export const listAbandoned = (tx: Tx, before: Date, limit: number): Promise<{ id: number }[]> =>
  tx
    .selectFrom('ai_calls')
    .select('id')
    .where('status', '=', 'started')
    .where('created_at', '<', before.toISOString())
    .orderBy('id')
    .limit(limit)
    .execute()

interface Sums {
  calls: number
  answered: number
  declined: number
  failed: number
  tokens: number
  cost_micros: number
}

const sums = [
  sql<number>`count(*)`.as('calls'),
  ...(['answered', 'declined', 'failed'] as const).map(status =>
    sql<number>`count(*) filter (where status = ${status})`.as(status),
  ),
  sql<number>`sum(tokens)::bigint`.as('tokens'),
  sql<number>`sum(cost_micros)::bigint`.as('cost_micros'),
] as const

const within = (tx: Tx, { from, until }: { from: string; until: string }) =>
  tx
    .selectFrom('ai_calls')
    .select(() => sums)
    .where('created_at', '>=', from)
    .where('created_at', '<', until)

export const sumByKind = async (tx: Tx, month: { from: string; until: string }) =>
  (await within(tx, month).select('kind').groupBy('kind').orderBy('kind').execute()) as (Sums & { kind: AiCallKind })[]

export const sumByPerson = async (tx: Tx, month: { from: string; until: string }, limit: number) =>
  (await within(tx, month)
    .select(
      sql<Person>`(select jsonb_build_object('id', u.id, 'username', u.username, 'full_name', u.full_name) from users u where u.id = ai_calls.user_id)`.as(
        'user',
      ),
    )
    .groupBy('user_id')
    .orderBy(sql`sum(tokens)`, 'desc')
    .orderBy('user_id')
    .limit(limit)
    .execute()) as unknown as (Sums & { user: Person })[]

/** What was used in each of the last months, the oldest first; a month without use has zeros. */
export async function sumByMonth(tx: Tx, time_zone: string, now: Date, count: number) {
  const { rows } = await sql<{ month: string; calls: number; tokens: number; cost_micros: number }>`
    with months as (
      select date_trunc('month', ${now.toISOString()}::timestamptz at time zone ${time_zone}) - back * interval '1 month' as first
      from generate_series(0, ${count - 1}::int) back)
    select to_char(m.first, 'YYYY-MM') as month, count(c.id) as calls, coalesce(sum(c.tokens), 0)::bigint as tokens,
      coalesce(sum(c.cost_micros), 0)::bigint as cost_micros
    from months m left join ai_calls c on c.tenant_id = ${currentTenant}
      and c.created_at >= m.first at time zone ${time_zone} and c.created_at < (m.first + interval '1 month') at time zone ${time_zone}
    group by m.first order by m.first`.execute(tx)
  return rows
}
