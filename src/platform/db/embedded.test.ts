import assert from 'node:assert/strict'
import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, afterEach, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { type Embedded, openEmbedded } from './embedded.ts'
import { findBinaries, refuseUnrunnable } from './embedded-binaries.ts'
import { isServerOf, readPidFile } from './embedded-leftover.ts'

const isRoot = process.getuid?.() === 0
const nobody = 65_534

describe('the embedded PostgreSQL', () => {
  const said: string[] = []
  const say = (line: string) => {
    said.push(line)
  }
  const log = { info: say, warn: say, error: say }
  const running = new Set<Embedded>()
  const children = new Set<ChildProcess>()
  let root: string
  let original: string

  before(async () => {
    root = mkdtempSync(join(tmpdir(), 'attest-embedded-test-'))
    original = newFolder()
    await (await openEmbedded(original, log)).close()
  })
  after(() => rmSync(root, { recursive: true }))
  afterEach(async () => {
    for (const child of children) child.kill('SIGKILL')
    for (const server of running) await server.close()
    running.clear()
    said.length = 0
  })

  const newFolder = () => mkdtempSync(join(root, 'data-'))
  /** With a server that was stopped in order: a copy, because to make one takes half a second. */
  function usedFolder() {
    const folder = newFolder()
    assert.equal(spawnSync('cp', ['-a', join(original, 'postgres'), folder]).status, 0)
    return folder
  }
  async function open(folder: string) {
    const server = await openEmbedded(folder, log)
    running.add(server)
    return server
  }
  async function openInAnotherProcess(folder: string) {
    const child = fork(new URL('../../../test/support/processes/embedded-process.ts', import.meta.url), [folder], {
      silent: true,
    })
    children.add(child)
    const [connection] = (await once(child, 'message')) as [Embedded['connection']]
    return { child, connection }
  }
  async function ask(connection: Embedded['connection'], statement: string) {
    const client = new pg.Client({ ...connection, user: 'postgres', database: 'postgres' })
    client.on('error', () => {}) // its server may be killed
    await client.connect()
    try {
      return (await client.query(statement)).rows
    } finally {
      await client.end()
    }
  }

  it('checks its pages, syncs its files, and answers nobody but this user', async () => {
    const { connection } = await open(newFolder())
    const settings = await ask(
      connection,
      `select name, setting from pg_settings
      where name in ('data_checksums', 'fsync', 'full_page_writes', 'listen_addresses', 'server_encoding') order by name`,
    )
    assert.deepEqual(
      settings.map(({ name, setting }) => `${name}=${setting}`),
      ['data_checksums=on', 'fsync=on', 'full_page_writes=on', 'listen_addresses=', 'server_encoding=UTF8'],
    )
    assert.equal(statSync(connection.host).mode & 0o777, 0o700)
  })

  it('finds its records again at the second start', async () => {
    const folder = newFolder()
    const first = await open(folder)
    await ask(first.connection, 'create table t as select 1 as n')
    await first.close()
    assert.ok(!existsSync(first.connection.host), 'the socket folder stays behind')
    const second = await open(folder)
    assert.deepEqual(await ask(second.connection, 'select n from t'), [{ n: 1 }])
  })

  it('works in a folder far deeper than a socket path may be', async () => {
    const deep = join(newFolder(), ...Array.from({ length: 12 }, () => 'a-folder-with-a-long-name'))
    const { connection } = await open(deep)
    assert.deepEqual(await ask(connection, 'select 1 as n'), [{ n: 1 }])
  })

  it('refuses a second process on the same folder, and names the first', async () => {
    const folder = usedFolder()
    const { child, connection } = await openInAnotherProcess(folder)
    await assert.rejects(openEmbedded(folder, log), new RegExp(`in use by process ${child.pid}`))
    assert.deepEqual(await ask(connection, 'select 1 as n'), [{ n: 1 }])
  })

  it('refuses a second start in the same process', async () => {
    const folder = usedFolder()
    await open(folder)
    await assert.rejects(openEmbedded(folder, log), /in use by process/)
  })

  const ends: Record<string, (child: ChildProcess) => void> = {
    'is asked to end': child => child.kill('SIGTERM'),
    'is killed': child => child.kill('SIGKILL'),
    crashes: child => child.send('crash'),
  }
  for (const [how, end] of Object.entries(ends)) {
    it(`stops in order when its process ${how}`, async () => {
      const folder = usedFolder()
      const { child, connection } = await openInAnotherProcess(folder)
      await ask(connection, 'create table t as select 1 as n')
      const data = join(folder, 'postgres')
      const server = readPidFile(data)!.pid
      end(child)
      await once(child, 'exit')
      for (const deadline = Date.now() + 60_000; isServerOf(server, data); await setTimeout(10))
        assert.ok(Date.now() < deadline, 'the server stays')
      const { connection: again } = await open(folder)
      assert.deepEqual(await ask(again, 'select n from t'), [{ n: 1 }])
      assert.ok(
        said.some(line => line.includes('database system was shut down at')),
        said.join('\n'),
      )
    })
  }

  it('keeps what was committed, and nothing else, when process and guard are killed and the server is left over', async () => {
    const folder = usedFolder()
    const { child, connection } = await openInAnotherProcess(folder)
    await ask(connection, 'create table t (n int)')
    await ask(connection, 'insert into t values (1)')
    const open_transaction = new pg.Client({ ...connection, user: 'postgres', database: 'postgres' })
    open_transaction.on('error', () => {})
    await open_transaction.connect()
    await open_transaction.query('begin; insert into t values (2)')
    const data = join(folder, 'postgres')
    const server = readPidFile(data)!.pid
    const guard = spawnSync('sh', ['-c', `grep -l "^PPid:.${child.pid}$" /proc/[0-9]*/status`], { encoding: 'utf8' })
      .stdout.split('\n')
      .map(path => Number(path.split('/')[2]))
      .find(pid => pid && pid !== server)!
    process.kill(guard, 'SIGKILL')
    child.kill('SIGKILL')
    await once(child, 'exit')
    assert.ok(isServerOf(server, data), 'the test must have a server left over')
    const { connection: again } = await open(folder)
    assert.ok(!isServerOf(server, data))
    assert.deepEqual(await ask(again, 'select n from t'), [{ n: 1 }])
    assert.ok(said.some(line => line.includes(`process ${server}) that an earlier run left behind`)))
    assert.ok(!existsSync(connection.host), 'the socket folder stays behind')
  })

  it('recovers when the server itself is killed, and says that it died', async () => {
    const folder = usedFolder()
    const first = await open(folder)
    await ask(first.connection, 'create table t as select 1 as n')
    process.kill(readPidFile(join(folder, 'postgres'))!.pid, 'SIGKILL')
    await first.died
    await first.close()
    const { connection } = await open(folder)
    assert.deepEqual(await ask(connection, 'select n from t'), [{ n: 1 }])
  })

  it('waits for a statement of a killed server to end before it starts another on the same files', async () => {
    const folder = usedFolder()
    const first = await open(folder)
    let hasEnded = false
    // It would end by itself after two minutes, so that a test that fails leaves nothing behind.
    const loop = `do $$ begin
      while (pg_stat_file('told-to-end', true)).size is null and clock_timestamp() < now() + interval '2 min' loop end loop;
    end $$`
    const busy = ask(first.connection, loop)
      .catch(() => {})
      .then(() => {
        hasEnded = true
      })
    const isBusy = `select from pg_stat_activity where query like '%told-to-end%' and state = 'active' and pid <> pg_backend_pid()`
    while ((await ask(first.connection, isBusy)).length === 0);
    process.kill(readPidFile(join(folder, 'postgres'))!.pid, 'SIGKILL')
    await first.died
    await first.close()
    let isOpen = false
    const second = open(folder).then(() => {
      isOpen = true
    })
    const refusals = () => said.filter(line => line.includes('is still in use')).length
    while (!isOpen && refusals() < 2) await Promise.race([setTimeout(20), second])
    assert.ok(!hasEnded && !isOpen)
    writeFileSync(join(folder, 'postgres/told-to-end'), '')
    await second
    await busy
  })

  it('reads what a server says of itself while another one writes and removes it', async () => {
    const data = newFolder()
    const file = join(data, 'postmaster.pid')
    const other = spawn('sh', ['-c', 'while :; do echo 1 > "$0"; rm "$0"; done', file])
    children.add(other)
    const found = { there: 0, gone: 0 }
    for (const deadline = Date.now() + 60_000; found.there < 1000 || found.gone < 1000; ) {
      assert.ok(Date.now() < deadline, JSON.stringify(found))
      found[readPidFile(data) ? 'there' : 'gone'] += 1
    }
    other.kill('SIGKILL')
    await once(other, 'exit')
  })

  it('starts although the process id in a stale postmaster.pid is another program by now', async () => {
    const folder = usedFolder()
    const other = spawn('sleep', ['60'])
    writeFileSync(join(folder, 'postgres/postmaster.pid'), `${other.pid}\n${folder}/postgres\n1\n5432\n/tmp\n\n`)
    await open(folder)
    assert.equal(other.exitCode, null)
    other.kill()
  })

  it('starts although the server of a killed run, which has ended, is still listed by the system', async () => {
    const folder = usedFolder()
    // A shell's child that ends before the shell has become another program, which never asks how it ended.
    const parent = spawn('sh', ['-c', 'sleep 0.2 & echo $!; exec sleep 60'])
    const [text] = await once(parent.stdout, 'data')
    const ended = Number(String(text))
    while (!/^State:\sZ/m.test(readFileSync(`/proc/${ended}/status`, 'utf8'))) await setTimeout(5)
    writeFileSync(join(folder, 'postgres/postmaster.pid'), `${ended}\n${folder}/postgres\n1\n5432\n/tmp\n\n`)
    await open(folder)
    parent.kill()
  })

  it('makes anew what a kill left half made', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'postgres.new'))
    writeFileSync(join(folder, 'postgres.new/PG_VERSION'), '18')
    const { connection } = await open(folder)
    assert.deepEqual(await ask(connection, 'select 1 as n'), [{ n: 1 }])
  })

  it('leaves the records of another major version alone', async () => {
    const folder = newFolder()
    mkdirSync(join(folder, 'postgres'))
    writeFileSync(join(folder, 'postgres/PG_VERSION'), '17\n')
    await assert.rejects(openEmbedded(folder, log), /made by PostgreSQL 17, this program brings 18/)
  })

  it('says what to set where no PostgreSQL comes for the machine, or the one that comes cannot run', async () => {
    await assert.rejects(
      findBinaries('plan9-mips'),
      /no PostgreSQL comes with this program for plan9-mips: set DATABASE_URL/,
    )
    const program = join(newFolder(), 'postgres')
    writeFileSync(program, '#!/lib/ld-of-another-system.so\n', { mode: 0o755 })
    assert.throws(
      () => refuseUnrunnable(program),
      /does not run on this machine: it is built for glibc.*Set DATABASE_URL/,
    )
    writeFileSync(program, '#!/bin/sh\necho no such library >&2; exit 127\n')
    assert.throws(() => refuseUnrunnable(program), /does not run on this machine: no such library\. Set DATABASE_URL/)
  })

  describe('started by root', { skip: !isRoot && 'needs root' }, () => {
    const serverUser = (folder: string) =>
      /^Uid:\s(\d+)/m.exec(readFileSync(`/proc/${readPidFile(join(folder, 'postgres'))!.pid}/status`, 'utf8'))![1]

    it("keeps the files root's own in a folder of root's", async () => {
      const folder = newFolder()
      await open(folder)
      assert.equal(statSync(join(folder, 'postgres')).uid, 0)
      assert.equal(serverUser(folder), '0')
    })

    it('runs as the owner of the folder', async t => {
      const { postgres } = await findBinaries()
      if (spawnSync(postgres, ['--version'], { uid: nobody }).status !== 0)
        return t.skip('node_modules is closed to others')
      chmodSync(root, 0o711)
      const folder = newFolder()
      chownSync(folder, nobody, nobody)
      const first = await open(folder)
      await ask(first.connection, 'create table t as select 1 as n')
      await first.close()
      const { connection } = await open(folder)
      assert.deepEqual(await ask(connection, 'select n from t'), [{ n: 1 }])
      assert.equal(serverUser(folder), String(nobody))
    })

    it('says what to set when no account can reach the folder', async () => {
      chmodSync(root, 0o700)
      const folder = newFolder()
      chownSync(folder, nobody, nobody)
      await assert.rejects(openEmbedded(folder, log), /the folder's owner, 65534: .*\nSet DATA_DIR .* or DATABASE_URL/)
    })
  })
})
