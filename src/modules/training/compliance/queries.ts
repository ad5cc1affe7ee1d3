import { type RawBuilder, sql } from 'kysely'
import { builtForEach, builtOnce } from '#platform/db/built-once.ts'
import type { Tx } from '#platform/db/database.ts'
import { type HeldRoles, peopleOfCurricula, readHeldRoles } from '../curricula/people-queries.ts'
import { openStates } from '../rules.ts'

export const complianceKinds = ['program', 'group', 'curriculum'] as const

export interface Compliance {
  /** `all`, or one program, group or curriculum with required trainings. */
  of: 'all' | (typeof complianceKinds)[number]
  id: number | null
  number: string | null
  name: string | null
  required: number
  trained: number
  overdue: number
}

/**
 * The queries of a `with`; the last is `facts (user_id, kind, id, required, trained, overdue)`, the counts of people on a day from their
 * records. It applies `validlyCompleted` to all pairs of an active person and an active program at once. A curriculum counts its people;
 * those who miss none of its programs are `trained`. `changes_on` of `pairs` is the day on which the result changes by itself.
 */
function factsOf(today: string, roles: HeldRoles, user_ids: readonly number[] | undefined): RawBuilder<unknown> {
  const ofThem = (column: RawBuilder<unknown>) => (user_ids ? sql`and ${column} = any(${user_ids}::bigint[])` : sql``)
  return sql`
    asked as (
      -- People who read an older version than this have to read the document again.
      select p.id, p.document_id, max(array[v.major, v.minor]) as since
      from training_programs p join document_versions v on v.document_id = p.document_id
      where p.type = 'read_and_understand' and p.status = 'active' and v.effective_at is not null and v.training_impact = 'reassign_all'
      group by p.id),
    pairs as materialized (
      select a.program_id, a.user_id,
        bool_or(a.status = 'completed' and a.counts and (a.verified_at is not null or not p.requires_verification)
          and (a.valid_until is null or a.valid_until >= ${today})
          and (asked.since is null or v.id is null or v.document_id <> asked.document_id or array[v.major, v.minor] >= asked.since)) as is_trained,
        bool_or(a.status = any(${openStates}) and a.due_date < ${today}) as is_overdue,
        max(a.id) filter (where a.status = 'waived') is not distinct from max(a.id) as is_excused,
        1 + least(min(a.valid_until) filter (where a.status = 'completed' and a.valid_until >= ${today}),
          min(a.due_date) filter (where a.status = any(${openStates}) and a.due_date >= ${today})) as changes_on
      from training_assignments a
        join training_programs p on p.id = a.program_id and p.status = 'active'
        join users u on u.id = a.user_id and u.is_active
        left join asked on asked.id = p.id
        left join document_versions v on v.id = a.version_id and asked.id is not null
      where a.status <> 'cancelled' ${ofThem(sql`a.user_id`)}
      group by 1, 2),
    required as (select * from pairs where is_trained or not is_excused),
    people as materialized (select * from ${peopleOfCurricula(roles)} as people where true ${ofThem(sql`people.user_id`)}),
    facts (user_id, kind, id, required, trained, overdue) as (
      select user_id, 'program', program_id, 1, is_trained::integer, is_overdue::integer from required
      union all
      select m.user_id, 'group', m.group_id, count(*), count(*) filter (where is_trained), count(*) filter (where is_overdue)
      from required join group_members m on m.user_id = required.user_id and m.removed_at is null
      group by 1, 3
      union all
      select people.user_id, 'curriculum', people.curriculum_id, 1,
        (not bool_or(p.id is not null and not coalesce(pairs.is_trained or pairs.is_excused, false)))::integer,
        coalesce(bool_or(pairs.is_overdue), false)::integer
      from people left join curriculum_programs includes on includes.curriculum_id = people.curriculum_id
        left join training_programs p on p.id = includes.program_id and p.status = 'active'
        left join pairs on pairs.program_id = p.id and pairs.user_id = people.user_id
      group by 1, 3)`
}

const sums = sql`sum(required) as required, sum(trained) as trained, sum(overdue) as overdue`
/** The last counts of each person, a row for each program, group and curriculum. */
const lastFacts = sql`
  (select c.user_id, c.changes_on, f.* from compliance_people c cross join lateral jsonb_to_recordset(c.facts)
    as f (kind text, id bigint, required integer, trained integer, overdue integer))`
/** The last counts of these people, to be subtracted. */
const takenAway = (user_ids: readonly number[]) => sql`
  select kind, id, - required, - trained, - overdue from ${lastFacts} f where user_id = any(${user_ids}::bigint[])`

/** Counts these people from their records and takes the sums for the rest; without a list all are counted from their records. */
export async function readCompliance(
  tx: Tx,
  today: string,
  anew: readonly number[] | undefined,
): Promise<Compliance[]> {
  const roles = await readHeldRoles(tx)
  return readSums(tx, { isOfAll: anew === undefined }, { today, anew: anew ?? [], ...roles })
}

type Asked = HeldRoles & { today: string; anew: readonly number[] }
const readSums = builtForEach((_, { isOfAll }: { isOfAll: boolean }, { today, role_ids, names, ...asked }: Asked) => {
  const anew = isOfAll ? undefined : asked.anew
  return sql<Compliance>`
    with ${factsOf(today, { role_ids, names }, anew)},
    counted as (
      select kind, id, ${sums} from (
        select kind, id, required, trained, overdue from facts
        ${anew ? sql`union all select kind, id, required, trained, overdue from compliance_counts union all ${takenAway(anew)}` : sql``}) every
      group by 1, 2 having sum(required) <> 0)
    select 'all' as of, null::bigint as id, null as number, null as name,
      coalesce(sum(required), 0)::bigint as required, coalesce(sum(trained), 0)::bigint as trained, coalesce(sum(overdue), 0)::bigint as overdue
    from counted where kind = 'program'
    union all
    select c.kind, c.id, p.number, coalesce(p.title, g.name, of.name), c.required::bigint, c.trained::bigint, c.overdue::bigint from counted c
      left join training_programs p on c.kind = 'program' and p.id = c.id
      left join groups g on c.kind = 'group' and g.id = c.id and g.deleted_at is null
      left join curricula of on c.kind = 'curriculum' and of.id = c.id
    where coalesce(p.id, g.id, of.id) is not null
    order by 1, 2`
})

interface ToCount {
  /** Everybody in the tenant has to be counted. */
  everyone: boolean
  user_ids: number[]
}

/** People whose last counts are out of date, or may be. */
export async function findToCount(tx: Tx, today: string): Promise<ToCount> {
  const [found] = await readToCount(tx, { today })
  return found!
}
const readToCount = builtOnce(
  (_, { today }: { today: string }) => sql<ToCount>`
    select exists (select from compliance_changes where user_id is null) as everyone,
      array(select user_id from compliance_changes where user_id is not null
        union select user_id from compliance_people where changes_on <= ${today}
        union select user_id from compliance_people where counted_on > ${today} order by 1) as user_ids`,
)

/** One transaction at a time counts in a tenant. */
export async function lockCounting(tx: Tx): Promise<boolean> {
  const { rows } = await sql<{ is_ours: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended('compliance ' || current_tenant(), 0)) as is_ours`.execute(tx)
  return rows[0]!.is_ours
}

/** Replaces the mark for everyone by one mark for each user. */
export const markEach = (tx: Tx) =>
  sql`
  with everyone as (delete from compliance_changes where user_id is null returning id)
  insert into compliance_changes (user_id) select id from users where exists (select from everyone)`.execute(tx)

/** The marks of people who have to be counted. */
export const findMarks = async (tx: Tx, user_ids: readonly number[]): Promise<number[]> =>
  (
    await tx
      .selectFrom('compliance_changes')
      .select('id')
      .where('user_id', '=', sql<number>`any(${user_ids}::bigint[])`)
      .execute()
  ).map(({ id }) => id)

/**
 * Counts people in one statement, and so as of one moment: a change that it does not see has left another mark, and they are counted
 * again.
 */
export const countPeople = async (tx: Tx, today: string, user_ids: readonly number[], marks: readonly number[]) =>
  sql`
    with ${factsOf(today, await readHeldRoles(tx), user_ids)},
    stored as (
      insert into compliance_people as c (user_id, counted_on, changes_on, facts)
      select u.id, ${today}::date, coalesce((select min(changes_on) from pairs where pairs.user_id = u.id), 'infinity'),
        coalesce((select jsonb_agg(to_jsonb(f) - 'user_id') from facts f where f.user_id = u.id), '[]')
      from unnest(${user_ids}::bigint[]) u (id)
      on conflict (tenant_id, user_id) do update
        set counted_on = excluded.counted_on, changes_on = excluded.changes_on, facts = excluded.facts),
    summed as (
      insert into compliance_counts as c (kind, id, required, trained, overdue)
      select kind, id, ${sums} from (
        select kind, id, required, trained, overdue from facts union all ${takenAway(user_ids)}) every
      group by 1, 2 having (sum(required), sum(trained), sum(overdue)) <> (0, 0, 0)
      on conflict (tenant_id, kind, id) do update
        set required = c.required + excluded.required, trained = c.trained + excluded.trained, overdue = c.overdue + excluded.overdue)
    delete from compliance_changes where id = any(${marks}::bigint[])`.execute(tx)

/** People whose counts differ from their records, except for `leave_out`. */
export async function listWronglyCounted(tx: Tx, today: string, leave_out: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ user_id: number }>`
    with ${factsOf(today, await readHeldRoles(tx), undefined)},
    made as (select user_id, array_agg(row(kind, id, required, trained, overdue)::text order by kind, id) as facts from facts group by 1),
    changing as (select user_id, min(changes_on) as changes_on from pairs group by 1),
    kept as (
      select user_id, changes_on, array_agg(row(kind, id, required, trained, overdue)::text order by kind, id) as facts
      from ${lastFacts} f group by 1, 2)
    select user_id from made full join kept using (user_id) left join changing using (user_id)
    where user_id <> all(${leave_out}::bigint[])
      and (made.facts is distinct from kept.facts or kept.changes_on is distinct from coalesce(changing.changes_on, 'infinity'))
    order by 1`.execute(tx)
  return rows.map(({ user_id }) => user_id)
}

/** Sums that are not those of the people. */
export const listWrongSums = async (tx: Tx) =>
  (
    await sql<{ kind: string; id: number }>`
      select kind, id from (
        select kind, id, ${sums} from ${lastFacts} f group by 1, 2) people
        full join (select * from compliance_counts) c using (kind, id)
      where (coalesce(people.required, 0), coalesce(people.trained, 0), coalesce(people.overdue, 0))
        is distinct from (coalesce(c.required, 0), coalesce(c.trained, 0), coalesce(c.overdue, 0)) order by 1, 2`.execute(
      tx,
    )
  ).rows

/** Discards all counts, so that everybody is counted again. */
export async function forgetCounts(tx: Tx): Promise<void> {
  await tx.deleteFrom('compliance_counts').execute()
  await tx.deleteFrom('compliance_people').execute()
  await tx.insertInto('compliance_changes').values({ user_id: null }).execute()
}
