import type { ClientBase, Pool } from 'pg'

/** Ids up to 4,095 * 2^40 + 2^40 are exact as numbers of JSON, and within what paths may hold. */
export const maxInstallationNumber = 4095

const sizeOfRange = 2 ** 40
/** The first id of an installation with this number. */
export const firstIdOf = (number: number) => number * sizeOfRange + 1

/** The ids of an installation with this number; 0 where it has none. */
export const idsOfNumber = (number: number) => ({ first: firstIdOf(number), last: firstIdOf(number + 1) - 1 })

export async function readNumber(client: ClientBase | Pool): Promise<number | undefined> {
  const { rows: there } = await client.query<{ found: boolean }>(
    `select to_regclass('public.installation_number') is not null as found`,
  )
  if (!there[0]!.found) return undefined
  const { rows } = await client.query<{ number: number }>('select number from installation_number')
  return rows[0]?.number
}

const otherNumber = (given: number, stored: number | undefined) =>
  stored === undefined
    ? `INSTALLATION_NUMBER is ${given}, and the ids of this database are not in its range yet: set MIGRATION_DATABASE_URL for the next start, or run qms migrate with it`
    : `INSTALLATION_NUMBER is ${given}, and this database is number ${stored}, which stays: its records are known by their ids`

/**
 * New ids come from the range of the number, which is given once. As the owner of the tables; ids of before stay as they are, and a
 * database without a number keeps small ids.
 */
export async function drawIdsFrom(owner: ClientBase, given: number | undefined): Promise<void> {
  const stored = await readNumber(owner)
  if (given !== undefined && stored !== undefined && given !== stored) throw new Error(otherNumber(given, stored))
  const number = stored ?? given
  if (number === undefined) return
  await owner.query('begin')
  try {
    await owner.query('insert into installation_number (number) values ($1) on conflict do nothing', [number])
    // Those that a migration has added since, too. A sequence that is in the range goes on.
    await owner.query(
      `select setval(format('%I.%I', schemaname, sequencename)::regclass, $1::bigint, false) from pg_sequences
        where schemaname = 'public' and data_type = 'bigint'::regtype and coalesce(last_value, 0) < $1::bigint`,
      [firstIdOf(number)],
    )
    await owner.query('commit')
  } catch (error) {
    await owner.query('rollback')
    throw error
  }
}

/** For a process that may not migrate, and would give ids of another range than its configuration says. */
export async function refuseOtherNumber(pool: Pool, given: number | undefined): Promise<void> {
  if (given === undefined) return
  const stored = await readNumber(pool)
  if (stored !== given) throw new Error(otherNumber(given, stored))
}
