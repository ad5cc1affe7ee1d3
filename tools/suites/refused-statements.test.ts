import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { cloneDatabase } from '#test/world/postgres.ts'
import { refusedStatements } from './refused-statements.ts'

describe('a statement that is explained', () => {
  let database: Awaited<ReturnType<typeof cloneDatabase>>
  let client: pg.Client
  before(async () => {
    database = await cloneDatabase()
    client = new pg.Client(database.app)
    await client.connect()
  })
  after(async () => {
    await client.end()
    await database.drop()
  })

  it('is refused where the server does not know a word of it, or the service has no right to it', async () => {
    const refused = await refusedStatements(client, [
      'selec 1',
      'select a_function_of_a_later_version(1)',
      'select nothing from users',
      'select username from users where id = $1 order by unknown(1)',
      'delete from audit_entries where id = $1',
    ])
    assert.deepEqual(
      refused.map(({ reason }) => reason.replace(/ at or near.*/, '')),
      [
        'syntax error',
        'function a_function_of_a_later_version(integer) does not exist',
        'column "nothing" does not exist',
        'function unknown(integer) does not exist',
        'permission denied for table audit_entries',
      ],
    )
  })

  it('is not run, and taken with any values', async () => {
    const statements = [
      'select * from users where id = $1 and username = any($2)',
      'insert into groups (name) values ($1) returning id',
      'with each as (select unnest($1::int[]) as id) update users set full_name = $2 from each where users.id = each.id',
    ]
    assert.deepEqual(await refusedStatements(client, statements), [])
    const superuser = new pg.Client(database.superuser)
    await superuser.connect()
    assert.equal((await superuser.query('select 1 from groups')).rowCount, 0)
    await superuser.end()
  })
})
