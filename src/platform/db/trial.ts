import { sql } from 'kysely'
import type { Tx } from './database.ts'

/** Does the work and undoes it in the database, so that it is checked as it would be when it takes effect. */
export async function inTrial<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint trial`.execute(tx)
  try {
    return await work()
  } finally {
    await sql`rollback to savepoint trial`.execute(tx)
    await sql`release savepoint trial`.execute(tx)
  }
}

/** Does work that is undone where it fails, and the transaction goes on. */
export async function inPart<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  await sql`savepoint part`.execute(tx)
  try {
    const result = await work()
    await sql`release savepoint part`.execute(tx)
    return result
  } catch (error) {
    await sql`rollback to savepoint part`.execute(tx)
    await sql`release savepoint part`.execute(tx)
    throw error
  }
}

/** Asks who accepted a record's batch, which nobody has while it is rehearsed. */
const askedAtCommitAlone = 'of_accepted_batch'

/** Asks the guards that are put off to the end of the transaction. */
export const askGuards = (tx: Tx) =>
  sql`do ${sql.raw(`$$ begin
    execute (select 'set constraints ' || string_agg(distinct quote_ident(conname), ', ') || ' immediate' from pg_constraint
      where condeferrable and connamespace = 'public'::regnamespace and conname <> '${askedAtCommitAlone}');
  end $$`)}`.execute(tx)
