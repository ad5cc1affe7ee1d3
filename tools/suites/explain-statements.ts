// Whether the server of TEST_DATABASE_URL (a superuser's) takes the statements that the service sent to another one. Each is prepared and
// explained as the login of the service, in a migrated database: the server reads it, finds its tables and functions, looks for the
// rights to them, and decides how it would run it. It does not run it.
//
//   node tools/suites/explain-statements.ts FILE    FILE: a list of statements, as JSON
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { cloneDatabase, openTestServer } from '#test/world/postgres.ts'
import { refusedStatements } from './refused-statements.ts'

const statements: string[] = JSON.parse(readFileSync(process.argv[2]!, 'utf8'))
const server = await openTestServer()
const database = await cloneDatabase()
const client = new pg.Client(database.app)
await client.connect()
const refused = await refusedStatements(client, statements)
await client.end()
await database.drop()
await server.close()
for (const { statement, reason } of refused) console.log(`REFUSED: ${reason}\n  ${statement}`)
console.log(
  `${statements.length - refused.length} of ${statements.length} statements are explained by the external PostgreSQL`,
)
process.exitCode = refused.length > 0 ? 1 : 0
