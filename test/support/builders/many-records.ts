import type { World } from '../world/world.ts'
import { rebuildStatistics } from './statistics.ts'

const written_at_once = 50_000

/**
 * Deviations of the last two years, of which one in fifty is not closed and one in five happened again, and trainings of as many days; by
 * statement without triggers; then the statistics are derived again, because nobody reads these records for anything else. `tell` hears
 * how many are made.
 */
export async function manyRecords(
  { superuser, people, database }: World,
  count: number,
  tell: (made: number) => void = () => {},
): Promise<void> {
  const { id: user, tenant_id: tenant } = people.quinn!
  await superuser.query(
    `set app.tenant_id = '${tenant}'; set app.user_id = '${user}'; set session_replication_role = replica`,
  )
  for (let first = 1; first <= count; first += written_at_once) {
    await superuser.query(
      `insert into deviations (number, title, description, severity, status, category, department, detected_at, reported_at, reported_by,
        due_date, original_due_date, closed_at, closed_by)
      select 'DEV-0000-' || n, 'Leak', 'A valve leaked', (array['minor', 'major', 'critical'])[1 + n % 3],
        case when is_over then 'closed' else 'open' end, (array['process', 'equipment', 'cleaning'])[1 + n % 3], 'Department ' || n % 12,
        day, day, $2, day::date + 30, day::date + 30, case when is_over then day + (n % 40) * interval '1 day' end, case when is_over then $2::bigint end
      from generate_series($3::int, least($1::int, $3::int + $4::int - 1)) n, lateral (select now() - interval '41 days' - n * interval '2 years' / $1 as day, n % 50 > 0 as is_over) moment`,
      [count, user, first, written_at_once],
    )
    tell(Math.min(count, first + written_at_once - 1))
  }
  await superuser.query(`insert into deviation_deviations (deviation_id, other_id, relation)
    select id, id - 1, 'recurrence' from deviations where number like 'DEV-0000-%' and id % 5 = 0`)
  await superuser.query(
    `insert into training_programs (number, title, type, due_days)
    select 'TRN-0000-' || n, 'Gowning ' || n, 'on_the_job', 30 from generate_series(1, 100) n`,
  )
  const each = Math.max(1, Math.floor(count / 100))
  for (let first = 1; first <= each; first += written_at_once / 100) {
    await superuser.query(
      `insert into training_assignments (program_id, user_id, status, source, due_date, assigned_at, completed_at, signature_id, program_title)
      select p.id, $2, 'completed', 'manual', day::date + 30, day, day + interval '3 days', 1, 'Gowning'
      from training_programs p, generate_series($3::int, least($5::int, $3::int + $4::int / 100 - 1)) n,
        lateral (select now() - interval '4 days' - n * interval '200 years' / $1 as day) moment
      where p.tenant_id = $6 and p.number like 'TRN-0000-%'`,
      [count, user, first, written_at_once, each, tenant],
    )
    tell(count + Math.min(count, (first + written_at_once / 100 - 1) * 100))
  }
  await superuser.query('insert into compliance_changes (user_id) values (null)')
  await superuser.query(
    'reset session_replication_role; analyze deviations, deviation_deviations, training_programs, training_assignments',
  )
  await rebuildStatistics(database, tenant)
}
