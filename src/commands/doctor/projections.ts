import { sql } from 'kysely'
import { allTenants, platformTenantId } from '#modules/accounts'
import { type Projection, projections } from '#modules/projections'
import { type Database, isStatementTimeout, type Tx } from '#platform/db/database.ts'
import { Refusal } from '../command.ts'
import { lines as commandLines } from '../messages.ts'
import { lines } from './messages.ts'
import type { Report } from './report.ts'

/** All records of a tenant are read, which takes longer than a request may. */
export const takeTime = (tx: Tx, ms = 3_600_000) =>
  sql.raw(`set local statement_timeout = ${Math.ceil(ms)}`).execute(tx)

const most_shown = 10

export const namesOf = (some: readonly Projection[]) => some.map(({ name }) => name)

/** Compares these projections with the records, in each tenant. Refuses with what differs. */
export async function compare(
  database: Database,
  chosen: readonly Projection[],
  tenantIds: readonly number[],
  limit_ms?: number,
) {
  const wrong: string[] = []
  const end = limit_ms === undefined ? undefined : performance.now() + limit_ms
  for (const tenantId of tenantIds)
    await database.transaction({ tenantId, userId: null }, 'snapshot', async tx => {
      for (const projection of chosen) {
        const left_ms = end === undefined ? undefined : end - performance.now()
        if (left_ms !== undefined && left_ms < 1) throw new TooLong()
        await takeTime(tx, left_ms)
        const drift = await projection.findDrift(tx)
        const more = drift.length > most_shown ? [`${drift.length - most_shown} more`] : []
        if (drift.length > 0)
          wrong.push(`tenant ${tenantId}, ${projection.name}: ${[...drift.slice(0, most_shown), ...more].join(', ')}`)
      }
    })
  if (wrong.length > 0) throw new Refusal(commandLines.projections_differ({ found: wrong }))
}

/**
 * For `doctor`: compares the projections that need no reading of every text and entry, in every tenant but the platform, which has no records.
 * Where the time is limited and over before, what was not compared is said.
 */
export async function checkProjections(database: Database, report: Report, limit_ms?: number): Promise<void> {
  const about = lines.doctor_about_projections()
  const [quick, slow] = [false, true].map(isSlow =>
    projections.filter(each => (each.isSlowToCompare ?? false) === isSlow),
  )
  const tenants = (await allTenants(database)).filter(id => id !== platformTenantId)
  try {
    await compare(database, quick!, tenants, limit_ms)
    report.ok(about, lines.doctor_projections_match({ names: namesOf(quick!), not_compared: namesOf(slow!) }))
  } catch (error) {
    if (error instanceof TooLong || isStatementTimeout(error))
      report.note(about, lines.doctor_projections_too_long({ seconds: limit_ms! / 1000 }))
    else report.failWith(about, error)
  }
}

class TooLong extends Error {}
