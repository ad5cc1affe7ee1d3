import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import type { Duplex } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Pool } from 'pg'
import pg from 'pg'
import { until } from '#test/world/background.ts'
import { cloneDatabase, quiet } from '#test/world/postgres.ts'
import { announce, confirmedByCommit, Database, type Tx } from './database.ts'
import { isDatabaseError } from './database-errors.ts'
import { openPool } from './pool.ts'

// The platform's own tenant is 1.
const ada = { tenantId: 2, userId: 1 }
const rex = { tenantId: 3, userId: 2 }

type Pg = Awaited<ReturnType<typeof cloneDatabase>>

const syncMessage = 'S\0\0\0\x04'
/** By which a statement is prepared. */
const nameOf = (text: string) => createHash('sha256').update(text).digest('base64url')

describe("a tenant's transaction", () => {
  let postgres: Pg
  let superuser: pg.Client
  let pool: Pool
  let database: Database

  before(async () => {
    postgres = await cloneDatabase()
    superuser = new pg.Client(postgres.superuser)
    await superuser.connect()
    await superuser.query(`set session_replication_role = replica;
      insert into tenants (slug, name) values ('acme', 'Acme'), ('rival', 'Rival');
      insert into counters (tenant_id, name, last) values (2, 'SOP', 7), (3, 'DOC', 8)`)
    pool = openPool(postgres.app, quiet)
    database = new Database(pool)
  })
  after(async () => {
    await database.close()
    await superuser.end()
    await postgres.drop()
  })

  const names = async (tx: Tx) => (await tx.selectFrom('counters').select('name').execute()).map(({ name }) => name)
  const run = (text: string) => (tx: Tx) => sql.raw(text).execute(tx)

  // proves: SVC-01
  it('sees the rows of its tenant, and no others', async () => {
    assert.deepEqual(await database.transaction(ada, 'read only', names), ['SOP'])
    assert.deepEqual(await database.transaction(rex, 'read only', names), ['DOC'])
  })

  it('sees no rows at all where no tenant is known yet', async () => {
    const nobody = { tenantId: null, userId: null }
    assert.deepEqual(await database.transaction(nobody, 'read only', names), [])
    const planted = (tx: Tx) => tx.insertInto('counters').values({ name: 'X', last: 1 }).execute()
    await assert.rejects(database.transaction(nobody, 'read write', planted), /row-level security/)
  })

  // proves: SVC-01
  it('cannot store or change a row of another tenant', async () => {
    const plant = (tx: Tx) => tx.insertInto('counters').values({ tenant_id: 3, name: 'planted', last: 1 }).execute()
    await assert.rejects(database.transaction(ada, 'read write', plant), /violates row-level security policy/)
    const changed = await database.transaction(ada, 'read write', tx =>
      tx.updateTable('counters').set({ name: 'stolen' }).where('tenant_id', '=', 3).executeTakeFirst(),
    )
    assert.equal(changed.numUpdatedRows, 0n)
  })

  const single = async (work: (bound: Database, pool: Pool) => Promise<void>) => {
    const one = openPool({ ...postgres.app, max: 1 } as pg.PoolConfig, quiet)
    const bound = new Database(one)
    await work(bound, one)
    await bound.close()
  }
  /** The order in which statements are sent and answers come on the one connection of a pool. */
  const trafficOf = async (one: Pool) => {
    const client = await one.connect()
    const { stream } = (client as pg.PoolClient & { connection: { stream: Duplex } }).connection
    const traffic: string[] = []
    const { write } = stream
    stream.write = ((...sent: Parameters<typeof write>) => {
      traffic.push(String(sent[0]))
      return write.apply(stream, sent)
    }) as typeof write
    stream.on('data', () => traffic.push('answer'))
    client.release()
    return {
      all: traffic,
      sentAtOnce: () => traffic.slice(0, traffic.indexOf('answer')).join(''),
    }
  }

  it('begins with its first statement, and sends what is asked for together, before it is answered', () =>
    single(async (bound, one) => {
      await bound.transaction(ada, 'read write', names)
      const { sentAtOnce } = await trafficOf(one)
      const asked = Array.from({ length: 20 }, (_, n) => n)
      const found = await bound.transaction(ada, 'read write', tx =>
        Promise.all(asked.map(async n => (await sql<{ n: number }>`select ${n}::int as n`.execute(tx)).rows[0]!.n)),
      )
      assert.deepEqual(found, asked)
      assert.match(sentAtOnce(), /begin read write/)
      assert.equal(sentAtOnce().split('E\0\0\0\t').length - 1, asked.length)
    }))

  it('fails with the error of the first that fails of those that it asks for together', async () => {
    const together = (tx: Tx) => Promise.all(['select 1', 'select 1/0', 'select nothing'].map(text => run(text)(tx)))
    for (const access of ['read only', 'read write'] as const)
      await assert.rejects(database.transaction(ada, access, together), { code: '22012' })
    assert.deepEqual(await database.transaction(ada, 'read only', names), ['SOP'])
  })

  it('sends them with one Sync, which alone the server answers at once', () =>
    single(async (bound, one) => {
      await bound.transaction(ada, 'read only', names)
      const { all, sentAtOnce } = await trafficOf(one)
      const numbers = (tx: Tx) => Promise.all([1, 2, 3].map(n => sql`select ${n}::int as n`.execute(tx)))
      await bound.transaction(ada, 'read only', async tx => {
        const sent = await numbers(tx)
        assert.equal(sentAtOnce().split(syncMessage).length - 1, 1)
        all.length = 0
        // The next ones have another.
        assert.deepEqual(
          (await numbers(tx)).flatMap(({ rows }) => rows),
          sent.flatMap(({ rows }) => rows),
        )
        assert.equal(sentAtOnce().split(syncMessage).length - 1, 1)
      })
    }))

  it('keeps its connection when one of those fails, when the driver refuses one, and when one is empty', () =>
    single(async bound => {
      const connection = async (tx: Tx) => (await sql`select pg_backend_pid() as pid`.execute(tx)).rows
      const first = await bound.transaction(ada, 'read only', connection)
      const without_text = {
        toPostgres() {
          throw new TypeError('it has no text')
        },
      }
      const aborted = '25P02'
      const cases = [
        { odd: sql`select 1 / 0`, told: '22012', others: aborted },
        { odd: sql`select nothing`, told: '42703', others: aborted },
        { odd: sql`select ${without_text}::text`, told: 'TypeError: it has no text' },
        { odd: sql``, told: [] },
      ]
      for (const { odd, told, others } of cases)
        for (const place of [0, 1, 2, 3]) {
          const numbers = [1, 2, 3].map(n => sql`select ${n}::int as n`)
          const answers = await bound.transaction(ada, 'read only', tx =>
            Promise.allSettled(numbers.toSpliced(place, 0, odd).map(each => each.execute(tx))),
          )
          assert.deepEqual(
            answers.map(each =>
              each.status === 'fulfilled' ? each.value.rows : (each.reason.code ?? String(each.reason)),
            ),
            [1, 2, 3].map(n => (others && n > place ? others : [{ n }])).toSpliced(place, 0, told as never),
          )
          assert.deepEqual(await bound.transaction(ada, 'read only', connection), first)
        }
    }))

  it('is committed behind the last statements in one piece, and fails with the first of them that fails', () =>
    single(async (bound, one) => {
      const counters = async () => (await bound.transaction(ada, 'read only', names)).sort()
      await counters()
      const insert = (name: string) => (tx: Tx) => tx.insertInto('counters').values({ name, last: 1 }).execute()
      const { all, sentAtOnce } = await trafficOf(one)
      await bound.transaction(ada, 'read write', async tx => confirmedByCommit(tx, insert('behind')(tx)))
      assert.match(sentAtOnce(), /insert into "counters"[\s\S]*commit/)
      assert.deepEqual(await counters(), ['SOP', 'behind'])
      all.length = 0
      const refused = bound.transaction(ada, 'read write', async tx => {
        await insert('half')(tx)
        for (const work of [insert('other'), run('select 1 / 0'), insert('SOP')]) confirmedByCommit(tx, work(tx))
      })
      await assert.rejects(refused, { code: '22012' })
      assert.deepEqual(await counters(), ['SOP', 'behind'])
      const given_up = bound.transaction(ada, 'read write', async tx => {
        confirmedByCommit(tx, run('select 1 / 0')(tx))
        throw new Error('for another reason')
      })
      await assert.rejects(given_up, { message: 'for another reason' })
      const without_text = {
        toPostgres() {
          throw new TypeError('it has no text')
        },
      }
      const unsent = bound.transaction(ada, 'read write', async tx => {
        await insert('half')(tx)
        confirmedByCommit(tx, sql`select ${without_text}::text`.execute(tx))
      })
      await assert.rejects(unsent, /it has no text/)
      assert.deepEqual(await counters(), ['SOP', 'behind'])
      let tries = 0
      await bound.transaction(
        ada,
        'read write',
        async tx => {
          tries += 1
          const collides = `do $$ begin raise exception 'another was faster' using errcode = 'serialization_failure'; end $$`
          confirmedByCommit(tx, run(tries === 1 ? collides : 'update counters set last = 9')(tx))
        },
        { canRunAgain: true },
      )
      assert.equal(tries, 2)
      await superuser.query(`delete from counters where name = 'behind'`)
    }))

  it('is over when it is told what it announced: who listens may begin another', async () => {
    let heard: Promise<string[]> | undefined
    const end = database.onAnnounced(() => {
      heard = database.transaction(rex, 'read only', names)
    })
    await database.transaction(ada, 'read write', async tx => announce(tx, 'something'))
    end()
    assert.deepEqual(await heard, ['DOC'])
  })

  it('is of no use once it is over: its connection may be that of another tenant', async () => {
    for (const end of [async () => {}, async () => Promise.reject(new Error('given up'))]) {
      let kept: Tx
      const ended = database.transaction(ada, 'read write', tx => {
        kept = tx
        return end()
      })
      await ended.catch(() => {})
      await assert.rejects(names(kept!), /the transaction is over/)
    }
  })

  describe('that has only read', () => {
    const nothing = async (): Promise<string[]> => []

    it('is sent whole, from its beginning to its end, and answered whole', () =>
      single(async (bound, one) => {
        await bound.transaction(ada, 'read only', names)
        const { all } = await trafficOf(one)
        for (const asked of [1, 3]) {
          all.length = 0
          await bound.transaction(ada, 'read only', tx => Promise.all(Array.from({ length: asked }, () => names(tx))))
          const sent = all.filter(each => each !== 'answer').join('')
          assert.match(sent, /^Q[^Q]+begin read only/)
          assert.equal(sent.split(syncMessage).length - 1, 1)
          // The driver's own bytes of the end: prepared, so that its name is sent.
          assert.ok(sent.endsWith(syncMessage) && sent.includes(nameOf('commit')))
          const { rows } = await one.query('select now() as at, statement_timestamp() as asked')
          assert.deepEqual(rows[0].at, rows[0].asked, 'no transaction is open')
        }
      }))

    it('is another transaction for what it asks for later, of the same tenant', () =>
      single(async bound => {
        const where = (tx: Tx) =>
          sql<{ at: string; tenant: string }>`select now()::text as at, current_setting('app.tenant_id') as tenant`
            .execute(tx)
            .then(({ rows }) => rows[0]!)
        const [together, later] = await bound.transaction(ada, 'read only', async tx => [
          await Promise.all([where(tx), where(tx)]),
          await where(tx),
        ])
        assert.equal(together[0]!.at, together[1]!.at)
        assert.notEqual(later.at, together[0]!.at)
        assert.equal(later.tenant, together[0]!.tenant)
        const snapshot = await bound.transaction(ada, 'snapshot', async tx => [await where(tx), await where(tx)])
        assert.equal(snapshot[0]!.at, snapshot[1]!.at)
      }))

    it('plans its statements once in each of its transactions, where it says so, and no other does', () =>
      single(async (bound, one) => {
        // The server of the tests has it for everybody.
        await one.query('set plan_cache_mode = auto')
        const mode = async (tx: Tx) =>
          (await sql<{ mode: string }>`select current_setting('plan_cache_mode') as mode`.execute(tx)).rows[0]!.mode
        const twice = async (tx: Tx) => [await mode(tx), await mode(tx)]
        const once = 'force_generic_plan'
        assert.deepEqual(await bound.transaction(ada, 'read only', twice, { plansOnce: true }), [once, once])
        assert.deepEqual(await bound.transaction(ada, 'read only', twice), ['auto', 'auto'])
      }))

    it('cannot write in any of its transactions', () =>
      single(async bound => {
        const insert = (tx: Tx) => tx.insertInto('counters').values({ name: 'written', last: 1 }).execute()
        await assert.rejects(bound.transaction(ada, 'read only', insert), { code: '25006' })
        const later = bound.transaction(ada, 'read only', async tx => {
          await names(tx)
          await insert(tx)
        })
        await assert.rejects(later, { code: '25006' })
        assert.deepEqual(await bound.transaction(ada, 'read only', names), ['SOP'])
      }))

    it('is refused what would not outlast the first of its transactions', async () => {
      for (const text of ["set local statement_timeout = '1h'", 'select pg_advisory_xact_lock(1)']) {
        await assert.rejects(database.transaction(ada, 'read only', run(text)), /keeps nothing from one piece/)
        await database.transaction(ada, 'snapshot', run(text))
      }
    })

    it('leaves nothing behind that fails or is still asked for, and the next one has its own answers', () =>
      single(async bound => {
        const slow = (tx: Tx) => run('select pg_sleep(0.05)')(tx)
        const works: ((tx: Tx) => Promise<unknown>)[] = [
          async tx => Promise.all([names(tx), run('select 1 / 0')(tx)]),
          async tx => {
            await run('select 1 / 0')(tx).catch(() => {})
            await assert.rejects(names(tx), { code: '25P02' })
          },
          async tx => {
            void slow(tx)
          },
          async tx => {
            void slow(tx)
            throw new Error('given up')
          },
          async tx => {
            await names(tx)
            run('select 1 / 0')(tx).catch(() => {})
            throw new Error('given up')
          },
          async tx => {
            void slow(tx)
            await setImmediate()
            run('select 1 / 0')(tx).catch(() => {})
          },
        ]
        for (const work of works) {
          await bound.transaction(ada, 'read only', work).catch(() => {})
          assert.deepEqual(await bound.transaction(rex, 'read only', names), ['DOC'])
          const found = await bound.transaction(ada, 'read only', async tx => [
            ...(await names(tx)),
            ...(await names(tx)),
          ])
          assert.deepEqual(found, ['SOP', 'SOP'])
        }
      }))

    it('leaves no transaction open', () =>
      single(async bound => {
        await bound.transaction(ada, 'read only', names)
        await until(async () => {
          const { rows } = await superuser.query(
            'select state from pg_stat_activity where datname = $1 and usename = $2 and state is not null',
            [postgres.app.database, postgres.app.user],
          )
          return rows.every(({ state }) => state === 'idle')
        })
      }))

    it('keeps nothing back of those that follow it at once, whether they ask anything or not', () =>
      single(async bound => {
        for (const access of ['read only', 'read write'] as const)
          for (const work of [names, nothing, names, nothing, nothing, names]) {
            await bound.transaction(ada, access, work)
            await bound.transaction(ada, 'read only', work)
          }
        assert.deepEqual(await bound.transaction(rex, 'read only', names), ['DOC'])
      }))
  })

  it('leaves nothing of its binding on the connection', async () => {
    const single = openPool({ ...postgres.app, max: 1 } as pg.PoolConfig, quiet)
    const bound = new Database(single)
    assert.deepEqual(await bound.transaction(ada, 'read only', names), ['SOP'])
    assert.deepEqual((await single.query('select name from counters')).rows, [])
    await assert.rejects(
      single.query(`insert into counters (name, last) values ('nobody''s', 1)`),
      /row-level security/,
    )
    await bound.close()
  })

  it('keeps hundreds of them apart that share a few connections', async () => {
    const seen = await Promise.all(
      Array.from({ length: 400 }, async (_, index) => {
        const who = index % 2 ? ada : rex
        return { who, names: await database.transaction(who, index % 3 ? 'read only' : 'read write', names) }
      }),
    )
    assert.deepEqual(
      seen.filter(each => each.names.join() !== (each.who === ada ? 'SOP' : 'DOC')),
      [],
    )
  })

  // proves: AUD-04
  it('runs as a role that cannot free itself', async () => {
    for (const attempt of [
      'set local role attest_owner',
      'set local session authorization attest_owner',
      'alter table counters disable row level security',
      'drop policy tenant on counters',
      'truncate audit_entries',
      'delete from audit_entries',
      'create table mine (n int)',
      'create temporary table mine (n int)',
      "copy counters to program 'cat'",
    ]) {
      const refused = /permission denied|must be (owner|superuser)/
      await assert.rejects(database.transaction(ada, 'read write', run(attempt)), refused, attempt)
    }
    const unbound = async (tx: Tx) => {
      await run('set local row_security = off')(tx)
      await names(tx)
    }
    await assert.rejects(database.transaction(ada, 'snapshot', unbound), /would be affected by row-level security/)
  })

  // proves: SVC-01
  it('keeps its tenant whatever expression or second statement is injected into it', async () => {
    for (const [injected, refusal] of [
      [`select set_config('app.tenant_id', '3', true)`, /permission denied for function set_config/],
      [`update pg_settings set setting = '3' where name = 'app.tenant_id'`, /permission denied for view pg_settings/],
      [`select query_to_xml('set local app.tenant_id = 3', true, true, '')`, /not allowed in a non-volatile function/],
      [
        `select query_to_xml($$do 'begin set local app.tenant_id = 3; end'$$, true, true, '')`,
        /not allowed in a non-volatile/,
      ],
      [`select 1; set local app.tenant_id = 3`, /cannot insert multiple commands/],
    ] as const) {
      await assert.rejects(database.transaction(ada, 'read write', run(injected)), refusal, injected)
    }
  })

  it('takes no id that is not a whole number', async () => {
    for (const id of ["1'; set role attest_owner; --", '1', 1.5, Number.NaN, undefined]) {
      const forged = { tenantId: id as number, userId: 1 }
      await assert.rejects(database.transaction(forged, 'read only', names), /not an id/)
    }
  })

  it('is all or nothing, also when the work overlooks an error', async () => {
    const work = async (tx: Tx) => {
      await tx.insertInto('counters').values({ name: 'half', last: 1 }).execute()
      await run('select 1 / 0')(tx).catch(() => {})
    }
    await assert.rejects(database.transaction(ada, 'read write', work), /rolled back instead of committed/)
    assert.deepEqual((await superuser.query(`select * from counters where name = 'half'`)).rows, [])
  })

  it('is open to one call chain only: the database inside it is refused, beside it is not', async () => {
    const nested = () => database.transaction(ada, 'read only', names)
    await assert.rejects(database.transaction(ada, 'read write', nested), /pass tx instead/)
    await nested()
  })

  it('fails when its connection breaks, and the next one works', async () => {
    const work = async (tx: Tx) => {
      const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(tx)
      await superuser.query('select pg_terminate_backend($1)', [rows[0]!.pid])
      return names(tx)
    }
    await assert.rejects(database.transaction(ada, 'read write', work), isDatabaseError)
    assert.deepEqual(await database.transaction(ada, 'read only', names), ['SOP'])
  })

  // proves: ERR-03
  it("tells the database's errors from the work's own", async () => {
    const unreachable = new Database(openPool({ ...postgres.app, host: '127.0.0.1', port: 1 }, quiet))
    await assert.rejects(unreachable.transaction(ada, 'read only', names), isDatabaseError)
    await unreachable.close()
    await assert.rejects(database.transaction(ada, 'read only', run('select 1 / 0')), isDatabaseError)
    const bug = database.transaction(ada, 'read only', async () => assert.fail('a bug'))
    await assert.rejects(bug, error => !isDatabaseError(error))
  })

  // proves: LOG-06
  it('keeps values of rows out of the text of errors, which are logged', async () => {
    const failures = [
      `select 'ada@example.com, "quoted"'::int`,
      `select to_tsquery('simple', 'ada@example.com & (')`,
      `insert into counters (name, last) values ('ada@example.com', 1), ('ada@example.com', 2)`,
      `select 'ada@example.com'::date`,
    ]
    for (const failing of failures)
      await assert.rejects(database.transaction(ada, 'read write', run(failing)), (error: Error) => {
        assert.ok(isDatabaseError(error))
        assert.doesNotMatch(`${error.message} ${error.stack} ${JSON.stringify(error)}`, /example/, failing)
        return true
      })
  })

  it('reads values as they go over the wire', async () => {
    const read = (expression: string) =>
      database.transaction(ada, 'read only', async tx => {
        const { rows } = await sql.raw<{ value: unknown }>(`select ${expression} as value`).execute(tx)
        return rows[0]!.value
      })
    assert.equal(await read(`timestamptz '2026-03-01 10:20:30.123456+02'`), '2026-03-01T08:20:30.123456Z')
    assert.equal(await read(`date '2026-03-01'`), '2026-03-01')
    assert.equal(await read('9007199254740991::int8'), 9007199254740991)
    assert.deepEqual(await read(`array[1, null]::int8[]`), [1, null])
    assert.deepEqual(await read(`array[date '2026-03-01']`), ['2026-03-01'])
    assert.deepEqual(await read(`array[timestamptz '2026-03-01 10:20:30+02']`), ['2026-03-01T08:20:30Z'])
    assert.deepEqual(await read(`'{a,"b,c",null}'::text[]`), ['a', 'b,c', null])
    assert.deepEqual(await read(`'\\x00ff'::bytea`), Buffer.from([0, 255]))
    await assert.rejects(read('9007199254740992::int8'), /does not fit/)
  })

  it('reads a moment right in a session that is not in UTC', async () => {
    const elsewhere = openPool({ ...postgres.app, options: '-c timezone=Asia/Kolkata' }, quiet)
    const { rows } = await elsewhere.query(`select timestamptz '2026-03-01 08:20:30.123Z' as value`)
    assert.equal(rows[0].value, '2026-03-01T08:20:30.123Z')
    await elsewhere.end()
  })

  describe('that can be run again', () => {
    const again = { canRunAgain: true }
    const raise = (code: string) => run(`do $$ begin raise exception 'planned' using errcode = '${code}'; end $$`)

    it('is run again after a deadlock, and both of those that met come through', async () => {
      await superuser.query(`insert into counters (tenant_id, name, last) values (2, 'left', 0), (2, 'right', 0)`)
      let waiting = 0
      let runs = 0
      const { promise: bothHoldOne, resolve } = Promise.withResolvers<void>()
      const count = (tx: Tx, name: string) =>
        tx
          .updateTable('counters')
          .set(eb => ({ last: eb('last', '+', 1) }))
          .where('name', '=', name)
          .execute()
      const both = (first: string, second: string) =>
        database.transaction(
          ada,
          'read write',
          async tx => {
            runs++
            await count(tx, first)
            if (++waiting === 2) resolve()
            await bothHoldOne
            await count(tx, second)
          },
          again,
        )
      await Promise.all([both('left', 'right'), both('right', 'left')])
      const { rows } = await superuser.query(`select last from counters where name in ('left', 'right')`)
      assert.deepEqual(rows, [{ last: '2' }, { last: '2' }])
      assert.equal(runs, 3)
    })

    it('is run again three times at most, each time from the start', async () => {
      const seen: string[][] = []
      const work = async (tx: Tx) => {
        await tx.insertInto('counters').values({ name: 'tried', last: 1 }).execute()
        seen.push(
          await tx
            .selectFrom('counters')
            .select('name')
            .where('name', '=', 'tried')
            .execute()
            .then(rows => rows.map(row => row.name)),
        )
        await raise('40001')(tx)
      }
      await assert.rejects(database.transaction(ada, 'read write', work, again), /planned/)
      assert.deepEqual(seen, [['tried'], ['tried'], ['tried'], ['tried']])
    })

    it('is not run again for another error, nor without having been allowed to', async () => {
      for (const [code, options] of [
        ['23505', again],
        ['40001', {}],
        ['40P01', {}],
      ] as const) {
        let runs = 0
        const work = (tx: Tx) => {
          runs++
          return raise(code)(tx)
        }
        await assert.rejects(database.transaction(ada, 'read write', work, options), /planned/)
        assert.equal(runs, 1, code)
      }
      let bugs = 0
      const bug = async () => {
        bugs++
        throw Object.assign(new Error('not from the database'), { code: '40001' })
      }
      await assert.rejects(database.transaction(ada, 'read write', bug, again), /not from the database/)
      assert.equal(bugs, 1)
    })
  })
})

describe('prepared statements', () => {
  let postgres: Pg
  let owner: pg.Client
  before(async () => {
    postgres = await cloneDatabase()
    owner = new pg.Client(postgres.owner)
    await owner.connect()
    await owner.query(
      `create table things (n int, word text); grant select on things to attest_app; insert into things values (1, 'one')`,
    )
  })
  after(async () => {
    await owner.end()
    await postgres.drop()
  })

  // Hundreds wait for few connections here, on whatever machine.
  const openSingle = (max = 1) =>
    new Database(openPool({ ...postgres.app, max, connectionTimeoutMillis: 120_000 } as pg.PoolConfig, quiet))
  const prepared = sql<{ name: string; calls: number }>`
    select name, (generic_plans + custom_plans)::int as calls from pg_prepared_statements order by prepare_time`

  it('are prepared once on a connection, however often they run and with whatever values', async () => {
    const database = openSingle()
    for (const last of [1, 2, 3]) {
      const values = await database.transaction(ada, 'read only', tx =>
        sql<{ n: number }>`select ${last}::int as n`.execute(tx),
      )
      assert.deepEqual(values.rows, [{ n: last }])
    }
    const { rows } = await database.transaction(ada, 'read only', tx => prepared.execute(tx))
    // Beside them, the end of every read is one.
    const { calls } = rows.find(({ name }) => name === nameOf('commit'))!
    assert.equal(calls, 3)
    assert.deepEqual(
      rows.filter(({ name }) => name !== nameOf('commit')).map(each => each.calls),
      [3, 1],
    )
    await database.close()
  })

  it('stop being made at 500 on a connection, and others run all the same', async () => {
    const database = openSingle()
    const numbers = Array.from({ length: 520 }, (_, n) => n)
    const answers = await database.transaction(ada, 'read only', tx =>
      Promise.all(numbers.map(async n => (await sql.raw<{ n: number }>(`select ${n} as n`).execute(tx)).rows[0]!.n)),
    )
    assert.deepEqual(answers, numbers)
    const { rows } = await database.transaction(ada, 'read only', tx =>
      sql<{ count: number }>`select count(*) from pg_prepared_statements`.execute(tx),
    )
    assert.deepEqual(rows, [{ count: 500 }])
    await database.close()
  })

  it("never take each other's answers, also where some of them fail", async () => {
    const database = openSingle(3)
    const wrong: string[] = []
    await Promise.all(
      Array.from({ length: 600 }, async (_, index) => {
        const shape = index % 7
        const fails = index % 11 === 0
        const work = async (tx: Tx) => {
          const first = sql.raw<{ v: string }>(`select '${shape}' || current_setting('app.user_id') as v`).execute(tx)
          const second = sql<{ v: number }>`select ${index}::int / ${fails ? 0 : 1}::int as v`.execute(tx)
          const [a, b] = await Promise.allSettled([first, second])
          const isRight =
            a.status === 'fulfilled' &&
            a.value.rows[0]!.v === `${shape}${index}` &&
            (fails
              ? b.status === 'rejected' && /division by zero/.test(String(b.reason))
              : b.status === 'fulfilled' && b.value.rows[0]!.v === index)
          if (!isRight) wrong.push(`${index}: ${JSON.stringify([a, b])}`)
        }
        await database.transaction({ tenantId: 2, userId: index }, 'read only', work)
      }),
    )
    assert.deepEqual(wrong, [])
    await database.close()
  })

  it('survive one that could not be prepared: the same text works when its table is there', async () => {
    const database = openSingle()
    const look = (tx: Tx) => sql.raw<{ n: number }>('select n from later').execute(tx)
    await assert.rejects(database.transaction(ada, 'read only', look), /relation "later" does not exist/)
    await owner.query('create table later as select 5 as n; grant select on later to attest_app')
    assert.deepEqual((await database.transaction(ada, 'read only', look)).rows, [{ n: 5 }])
    await database.close()
  })

  it('that a migration made stale fail once, and every connection is replaced before its next transaction', async () => {
    const database = openSingle(4)
    const look = (tx: Tx) => sql.raw<object>('select * from things').execute(tx)
    const onEach = () => {
      let begun = 0
      return Promise.all(
        Array.from({ length: 4 }, () =>
          database.transaction(ada, 'read only', async tx => {
            begun += 1
            await until(() => begun >= 4)
            return look(tx)
          }),
        ),
      )
    }
    await onEach()
    await owner.query('alter table things add more int')
    await assert.rejects(database.transaction(ada, 'read only', look), /cached plan must not change result type/)
    for (const { rows } of await onEach()) assert.deepEqual(rows, [{ n: 1, word: 'one', more: null }])
    await owner.query('alter table things drop more')
    const { rows } = await database.transaction(ada, 'read only', look, { canRunAgain: true })
    assert.deepEqual(rows, [{ n: 1, word: 'one' }])
    await database.close()
  })
})
