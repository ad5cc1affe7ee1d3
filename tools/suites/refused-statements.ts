import type { Client } from 'pg'

/** Which of `statements` the server cannot explain to the user of `client`, and why: nothing of them is run. */
export async function refusedStatements(client: Client, statements: string[]) {
  // A plan for any values: those of the tests are not at hand.
  await client.query('set plan_cache_mode = force_generic_plan')
  // As each transaction of the service has it: a plan may depend on whether it is set.
  await client.query(`set app.tenant_id = '1'; set app.user_id = '1'`)
  const refused: { statement: string; reason: string }[] = []
  for (const statement of statements) {
    await client.query('begin')
    try {
      await client.query(`prepare explained as ${statement}`)
      const { rows } = await client.query(
        `select cardinality(parameter_types) as count from pg_prepared_statements where name = 'explained'`,
      )
      const values = Array(rows[0].count).fill('null').join(', ')
      await client.query(`explain execute explained${values && `(${values})`}`)
      await client.query('deallocate explained')
    } catch (error) {
      refused.push({ statement, reason: (error as Error).message })
    }
    await client.query('rollback')
    await client.query('deallocate all')
  }
  return refused
}
