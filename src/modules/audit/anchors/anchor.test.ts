// Anchors outside of the database, and that a database which lost entries is not sealed any further.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { sql } from 'kysely'
import type { Services } from '#action'
import { openAnchorStores } from '#platform/anchors/open.ts'
import { openSigningKey } from '#platform/crypto/signing-key.ts'
import { rememberTrail } from '#test/world/rolled-back.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { emptyRoot } from '../log/merkle.ts'
import { originOf, signNote } from '../log/note.ts'
import { latestCheckpoint, readLog, startEpoch } from '../log/queries.ts'
import { openSealer, type Sealer, type SealingState } from '../sealing/sealer.ts'
import { BehindAnchor, sealNow } from '../sealing/sealing.ts'
import { anchoringState, keepCheckpoints } from './anchoring.ts'
import { compareStores, newestKnown } from './check.ts'
import { lookAnew } from './memory.ts'

let world: World
let acme: number
let rival: number
let folder: string
let log_id: string
const sealers: Sealer[] = []

before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'attest-anchors-'))
  world = await openWorld({ AUDIT_ANCHOR: `folder:${folder}` })
  acme = world.people.ada!.tenant_id
  rival = world.people.rex!.tenant_id
  await world.seal()
  log_id = (await within(acme, readLog)).log_id
})
after(async () => {
  await world.close()
  rmSync(folder, { recursive: true })
})

const within = <T>(tenantId: number, work: Parameters<typeof world.database.transaction<T>>[2]) =>
  world.database.transaction<T>({ tenantId, userId: null }, 'read write', work)
const write = (count: number, tenantId = acme) =>
  within(tenantId, tx =>
    sql`insert into audit_entries (username, user_role, outcome, action, resource_type, resource_id, changes, request_id, client_addr)
      select 'ada', 'Admin', 'success', 'role.created', 'role', n, '{}', '', '' from generate_series(1, ${count}::int) n`.execute(
      tx,
    ),
  )
/** Acts as another process, which knows only the folder. */
const anotherProcess = (): Services => ({ ...world.services, anchors: openAnchorStores(world.services.config) })
const seal = (services: Services, tenantId = acme) => sealNow(services, tenantId)
const grow = async (count: number, services = anotherProcess(), tenantId = acme) => {
  await write(count, tenantId)
  return seal(services, tenantId)
}
const lines: string[] = []
const log = {
  info: (line: string) => lines.push(line),
  warn: (line: string) => lines.push(line),
  error: (line: string) => lines.push(line),
}
const logger = { ...log, child: () => log } as unknown as Services['log']
const round = (by = anotherProcess()) => keepCheckpoints.round({ ...by, log: logger }, new AbortController().signal)
const files = () => readdirSync(join(folder, log_id)).sort()
const compared = async () => {
  const found = []
  for await (const each of compareStores(anotherProcess(), { write: false })) found.push(each)
  return found
}

describe('anchors in a folder (proves: AUD-04)', () => {
  it('are the newest checkpoint of each log, one file of each, and none that was not committed', async () => {
    const { epoch, size } = await grow(3)
    const by = { ...anotherProcess(), log: logger }
    assert.deepEqual(await round(by), { done: 3, refused: 0, failed: 0 })
    const { note } = (await within(acme, tx => latestCheckpoint(tx)))!
    assert.deepEqual(files(), [`e${epoch}-${size}.txt`])
    assert.equal(readFileSync(join(folder, log_id, files()[0]!), 'utf8'), note)
    assert.deepEqual(await round(by), { done: 0, refused: 0, failed: 0 }, 'nothing grew')
    await write(1)
    assert.deepEqual(await round(by), { done: 0, refused: 0, failed: 0 }, 'what waits is not sealed')
    const grown = await seal(anotherProcess())
    assert.deepEqual(await round(by), { done: 1, refused: 0, failed: 0 })
    assert.deepEqual(files(), [`e${epoch}-${grown.size}.txt`])
    assert.ok((await compared()).every(({ isWell }) => isWell))
  })

  it('of two processes the later one stands, also where the other is late with an older one', async () => {
    const older = (await within(acme, tx => latestCheckpoint(tx)))!
    const newer = await grow(2)
    await Promise.all([round(), round()])
    const [store] = anotherProcess().anchors
    await store!.keep(log_id, older)
    assert.equal(files().at(-1), `e${newer.epoch}-${newer.size}.txt`)
    assert.deepEqual(await store!.list(log_id).then(([newest]) => newest), { epoch: newer.epoch, size: newer.size })
    await grow(1)
    await round()
    assert.equal(files().length, 1)
  })

  it('count where a key of the installation signed them: what else is put there stops nothing, and is told', async () => {
    const { epoch, size } = (await within(acme, tx => latestCheckpoint(tx)))!
    const origin = originOf(log_id, epoch)
    const stranger = await openSigningKey(mkdtempSync(join(world.folder, 'stranger-')))
    const body = { origin, size: size + 1000, root: emptyRoot }
    const forged = join(folder, log_id, `e${epoch}-${size + 1000}.txt`)
    const ours = signNote(body, [{ name: origin, key: world.services.auditKey }])
    for (const note of [signNote(body, [{ name: origin, key: stranger }]), '', ours.slice(0, -30), `${ours} `]) {
      writeFileSync(forged, note)
      await grow(1)
      const by = { ...anotherProcess(), log: logger }
      assert.equal((await round(by)).failed, 0)
      assert.deepEqual((await anchoringState(by)).doubts, [
        `${forged} is not signed by a key of this installation, and counts for nothing: look who put it there`,
      ])
      assert.equal((await compared()).filter(({ isWell }) => !isWell).length, 1)
    }
    writeFileSync(forged, ours)
    await assert.rejects(grow(1), BehindAnchor)
    rmSync(forged)
    // Half a file, as a killed process leaves it.
    writeFileSync(join(folder, log_id, `.e${epoch}-${size + 2000}.half`), ours)
    await seal(anotherProcess())
    rmSync(join(folder, log_id, `.e${epoch}-${size + 2000}.half`))
    await round()
  })
})

describe('a database that is behind its anchors (proves: AUD-03, AUD-04)', () => {
  let rollBack: () => Promise<void>
  beforeEach(async () => {
    await world.seal()
    await round()
    rollBack = await rememberTrail(world, acme)
  })
  afterEach(async () => {
    await Promise.all(sealers.splice(0).map(sealer => sealer.stop()))
    // Each test begins with a log that can be continued.
    const known = await newestKnown(anotherProcess(), acme)
    await within(acme, tx => startEpoch(tx, { reason: 'The next test', anchored: known?.checkpoint }))
    await seal(anotherProcess())
  })
  const signed = () =>
    world.rows('select epoch, size, root from audit_checkpoints where tenant_id = $1 order by 1, 2', [acme])
  function sealer(services = anotherProcess()) {
    const words = { failed: (thrown: unknown) => assert.fail(String(thrown)), wentWell() {} }
    const timing = { look_ms: 20, gather_ms: 5, stopped_ms: 20 }
    const opened = openSealer(services, { log, words, timing })
    sealers.push(opened)
    opened.start()
    return opened
  }
  async function until(what: () => Promise<boolean> | boolean) {
    for (const end = performance.now() + 60_000; !(await what()); await setTimeout(10))
      assert.ok(performance.now() < end, 'in time')
  }
  const waiting = async (tenantId: number) =>
    (await world.rows('select from audit_pending where tenant_id = $1', [tenantId])).length

  it('is not signed a second time: nothing of it is sealed, all else goes on, and after a new epoch so does it', async () => {
    const lost = await grow(5)
    await round()
    await rollBack()
    const before = await signed()
    const running = sealer()
    assert.equal((await world.as('ada').post('/api/roles/', { name: 'Still at work' })).statusCode, 201)
    await write(1, rival)
    await until(() => running.state().stopped.length === 1)
    await until(async () => (await waiting(rival)) === 0)
    assert.ok((await waiting(acme)) > 0)
    assert.deepEqual(await signed(), before)
    const [{ reason, ...stopped }] = running.state().stopped as [SealingState['stopped'][number]]
    assert.deepEqual(stopped, { tenant_id: acme, is_behind: true })
    assert.match(
      reason,
      new RegExp(
        `${folder}.* has it with ${lost.size} entries in epoch ${lost.epoch}, and the database with ${lost.size - 5} `,
      ),
    )
    assert.match(reason, /run "qms audit new-epoch --tenant acme --reason TEXT"\.$/)
    lookAnew(world.services.anchors)
    assert.equal((await world.as('ada').get('/api/audit/export?format=csv')).statusCode, 503)

    const by = { ...anotherProcess(), log: logger }
    assert.deepEqual(await round(by), { done: 1, refused: 0, failed: 1 })
    assert.deepEqual(
      (await anchoringState(by)).contradicted.map(({ tenant_id }) => tenant_id),
      [acme],
    )
    assert.ok(files().includes(`e${lost.epoch}-${lost.size}.txt`), 'nothing newer is replaced by something older')
    assert.deepEqual(
      (await compared()).filter(({ isWell }) => !isWell).map(({ tenant }) => tenant),
      ['acme'],
    )

    const known = await newestKnown(anotherProcess(), acme)
    assert.equal(known!.checkpoint.size, lost.size)
    const epoch = await within(acme, tx => startEpoch(tx, { reason: 'Restored', anchored: known!.checkpoint }))
    await until(async () => (await waiting(acme)) === 0)
    await until(() => running.state().stopped.length === 0)
    const [{ changes }] = (await world.rows<{ changes: Record<string, { to: unknown }> }>(
      `select changes from audit_entries where tenant_id = $1 and action = 'audit.epoch_started' order by id desc limit 1`,
      [acme],
    )) as [{ changes: Record<string, { to: unknown }> }]
    assert.deepEqual(changes.last_anchored!.to, known!.checkpoint)
    assert.equal(changes.previous_size!.to, lost.size - 5)
    assert.equal((await round(by)).failed, 0)
    assert.ok(files().at(-1)!.startsWith(`e${epoch}-`))
    assert.deepEqual((await anchoringState(by)).contradicted, [])
    assert.ok((await compared()).every(({ isWell }) => isWell))
  })

  it('is found where others went on from there with other entries, as long and longer', async () => {
    const { size } = await grow(3)
    await round()
    for (const count of [3, 1]) {
      if (count === 3) await rollBack()
      await grow(count, { ...world.services, anchors: [] })
      await write(1)
      await assert.rejects(seal(anotherProcess()), /are others than those of the database/)
      assert.equal((await round()).failed, 1)
    }
    assert.ok((await within(acme, readLog)).size > size)
  })

  it('is found by a process that sealed what it has forgotten, before anything was anchored', async () => {
    const mine = anotherProcess()
    await grow(2, mine)
    await rollBack()
    await write(1)
    await assert.rejects(seal(mine), /this process has it with/)
    // A process without anchors goes on.
    await seal(anotherProcess())
  })

  it('is found behind a new epoch that does not tell of it', async () => {
    await grow(2)
    await round()
    await rollBack()
    await within(acme, tx => startEpoch(tx, { reason: 'Nothing happened' }))
    const [found] = (await compared()).filter(({ isWell }) => !isWell)
    assert.match(found!.says, /which the database has not, and no later epoch tells of it$/)
    await rollBack()
  })

  it('is found where it does not know a log that is kept', async () => {
    const other = '00000000-0000-4000-8000-000000000001'
    const origin = originOf(other, 1)
    mkdirSync(join(folder, other))
    const key = world.services.auditKey
    writeFileSync(
      join(folder, other, 'e1-9.txt'),
      signNote({ origin, size: 9, root: emptyRoot }, [{ name: origin, key }]),
    )
    const [found] = (await compared()).filter(({ isWell }) => !isWell)
    assert.deepEqual([found!.tenant, found!.log_id], [undefined, other])
    assert.match(found!.says, /a log with 9 entries in epoch 1 that the database does not know/)
    rmSync(join(folder, other), { recursive: true })
  })

  it('cannot be told where the folder is away: who knows the log goes on, who does not waits', async () => {
    const mine = anotherProcess()
    await grow(1, mine)
    const by = { ...anotherProcess(), log: logger }
    await round(by)
    renameSync(folder, `${folder}-away`)
    try {
      await grow(1, mine)
      assert.deepEqual(await round(by), { done: 0, refused: 0, failed: 1 })
      const { targets } = await anchoringState(by)
      const trouble = `folder:${folder} does not take anchors. Its folder or socket is not there: mount its disk, or make the folder, or set another store in AUDIT_ANCHOR`
      assert.deepEqual(
        targets.map(each => each.trouble),
        [trouble],
      )
      await write(1)
      await assert.rejects(
        seal(anotherProcess()),
        error => error instanceof BehindAnchor && error.message.includes(trouble),
      )
    } finally {
      renameSync(`${folder}-away`, folder)
    }
    await seal(anotherProcess())
    assert.equal((await round(by)).failed, 0)
    assert.deepEqual(
      (await anchoringState(by)).targets.map(each => each.trouble),
      [null],
    )
  })
})
