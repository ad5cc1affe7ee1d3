import { sql } from 'kysely'
import { type PublicHalf, sealNow, startEpoch } from '#modules/audit'
import { Database, type Tx } from '#platform/db/database.ts'
import { openPool } from '#platform/db/pool.ts'
import { verifyLog } from '../../../src/modules/audit/verification/verify.ts'
import { papers } from '../builders/documents.ts'
import { redactAs } from '../builders/redaction-samples.ts'
import { quiet } from '../world/postgres.ts'
import { openWorld, type World } from '../world/world.ts'
import { type Tampering, tables } from './tamperings.ts'

const rolledBack = new Error('all of it')

interface Looking {
  /** In the tenant whose log has one. */
  tile?: boolean
  held?: readonly PublicHalf[]
  kept?: string
}

/** Forgets the entries from the making of the world, because small logs are verified sooner. */
async function forget({ rows }: World) {
  for (const table of ['audit_pending', 'audit_entries']) {
    await rows(`alter table ${table} disable trigger all`)
    await rows(`delete from ${table}`)
    await rows(`alter table ${table} enable trigger all`)
  }
}

/** So many that one tile of 256 is full. */
const in_a_tile = 260

/**
 * Two tenants with small logs, one with two epochs, redactions and an entry that waits, one with a tile; and a database in which nothing
 * keeps anybody from anything. What is done to it is rolled back.
 */
export async function openTamperedWorld() {
  const world = await openWorld()
  const [acme, globex] = [world.people.ada!.tenant_id, world.people.rex!.tenant_id]
  await forget(world)
  const paper = papers(world)
  for (let n = 0; n < 2; n++) {
    await paper.submitted()
    await world.seal()
  }
  const [{ first }] = (await world.rows<{ first: string }>(
    'select min(id) as first from audit_entries where tenant_id = $1',
    [acme],
  )) as [{ first: string }]
  await redactAs(world, acme, [Number(first)])
  await redactAs(world, acme, [Number(first) + 1], ['person'])
  await world.database.transaction({ tenantId: acme, userId: null }, 'read write', tx =>
    startEpoch(tx, { reason: 'Restored' }),
  )
  await paper.submitted()
  await world.seal()
  const add = (tenant: number, count: number, moment: string) =>
    world.rows(
      `insert into audit_entries (tenant_id, occurred_at, username, user_role, outcome, action, resource_type, changes, request_id, client_addr, transaction_id)
       select $1, ${moment}, 'rex', 'Admin', 'success', 'role.created', 'role', '{}', '', '', gen_random_uuid() from generate_series(1, $2)`,
      [tenant, count],
    )
  await add(globex, in_a_tile, 'now()')
  await sealNow(world.services, globex)
  // It waits, and never for a minute.
  await add(acme, 1, `now() + interval '1 hour'`)

  for (const table of tables) await world.rows(`alter table ${table} disable trigger all`)
  await world.rows(
    `do $$ declare each record; begin
       for each in select conrelid::regclass as owner, conname from pg_constraint where conrelid = any ('{${tables.join()}}'::regclass[]) and contype not in ('n', 't') and conname <> 'audit_places_pkey' loop
         execute format('alter table %s drop constraint if exists %I cascade', each.owner, each.conname);
       end loop;
     end $$`,
  )
  await world.rows('alter table audit_entries alter id drop identity')

  const superuser = new Database(openPool(world.postgres.superuser, quiet))
  const as = (tenant: number) => sql.raw(`set local app.tenant_id = '${tenant}'`)
  /** The findings in the two logs after somebody with every right did this. If the first has one, the other is not looked at. */
  async function whatIsFound(
    { tile = false, held = [world.services.auditKey], kept }: Looking,
    work: (tx: Tx, tenants: { mine: number; other: number }) => Promise<void> = async () => {},
  ): Promise<string[]> {
    const [mine, other] = tile ? [globex, acme] : [acme, globex]
    const found = new Set<string>()
    await superuser
      .transaction({ tenantId: mine, userId: null }, 'read write', async tx => {
        await work(tx, { mine, other })
        await sql`set local role attest_app`.execute(tx)
        for (const tenant of [mine, other]) {
          if (found.size > 0) break
          await as(tenant).execute(tx)
          const { failures } = await verifyLog({ read: work => work(tx), held, ...(tenant === mine && { kept }) })
          for (const { check } of failures) found.add(check)
        }
        throw rolledBack
      })
      .catch(error => {
        if (error !== rolledBack) throw error
      })
    return [...found]
  }

  return {
    world,
    acme,
    globex,
    whatIsFound,
    tamper: ({ statements, table }: Tampering, seed: number) =>
      whatIsFound(
        { tile: table === 'audit_tiles' || statements.includes('audit_tiles') },
        async (tx, { mine, other }) => {
          await sql`select setseed(${seed})`.execute(tx)
          let count = 0n
          for (const statement of statements.split(';')) {
            const text = statement.replaceAll(':mine', String(mine)).replaceAll(':other', String(other))
            const { numAffectedRows } = await sql.raw(text).execute(tx)
            count += numAffectedRows ?? 0n
          }
          if (count === 0n) throw new Error(`nothing was changed by: ${statements}`)
        },
      ),
    async close() {
      await superuser.close()
      await world.close()
    },
  }
}
export type TamperedWorld = Awaited<ReturnType<typeof openTamperedWorld>>
