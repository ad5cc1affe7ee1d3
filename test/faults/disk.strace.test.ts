// Each system call to a file that one upload makes fails in turn, of the service as it is started: the answer is true, and nothing is
// half done. The calls that Node makes for it are those of disk.test.ts; here it is the kernel's answer that is another.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sweep } from '#modules/storage'
import { type ServiceProcess, startService } from '#test/processes/service-process.ts'
import { urlsOf } from '#test/world/postgres.ts'
import { filesBelow } from '#test/world/stored-files.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'
import { findStrace } from '../../tools/find-strace.ts'

const strace = process.env.TEST_STRACE ?? findStrace()
const secret = { SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-strace' }
const most_tries = 10
/** A process whose thread was not woken never answers, or never reads what was uploaded: it is ended after so long, and begun again. */
const patience_ms = 15_000
/** Where nothing failed: reading stands behind everything else in the queue for the processor, which others may keep busy. */
const longest_reading_ms = 120_000

/** A call by its name, and which of that name it is. */
interface Call {
  name: string
  nth: number
}

describe('an upload of which a system call fails', { skip: !strace && 'no strace', timeout: 900_000 }, () => {
  let world: World
  let service: ServiceProcess
  let folder: string
  let document_type: number
  const start = async () => {
    // One thread for all that is done with files, so that the calls of one upload are in one order.
    const environment = { DATA_DIR: world.folder, UV_THREADPOOL_SIZE: '1', ...secret, ...urlsOf(world.postgres) }
    service = await startService(environment)
  }
  before(async () => {
    world = await openWorld(secret)
    folder = world.services.config.upload_dir
    document_type = await world.typeId('SOP')
    await start()
    // The first makes folders and reads what is read once.
    assert.equal((await upload('The first')).status, 201)
    assert.ok(await rest(longest_reading_ms), 'what was uploaded is not read')
  })
  after(async () => {
    service?.child.kill('SIGKILL')
    await service?.ended
    await world?.close()
  })

  async function upload(title: string) {
    const form = new FormData()
    form.append('title', title)
    form.append('document_type', String(document_type))
    form.append('file', new Blob([new Uint8Array(pdf(title))]), 'a.pdf')
    const headers = { authorization: `Bearer ${await world.tokenOf('alan')}` }
    const signal = AbortSignal.timeout(patience_ms)
    const reply = await fetch(`${service.address}/api/documents/upload`, {
      method: 'POST',
      body: form,
      headers,
      signal,
    })
    return { status: reply.status, body: await reply.text() }
  }

  /** Until nothing is read of what was uploaded: that is work of its own, with calls of its own. False where that does not come. */
  async function rest(longest_ms = patience_ms) {
    const deadline = performance.now() + longest_ms
    for (; (await unread()).some(id => !left.has(id)); await setTimeout(50))
      if (performance.now() > deadline) return false
    return true
  }
  async function unread() {
    const rows = await world.rows<{ id: string }>(
      `select version_id as id from document_texts where status = 'waiting'`,
    )
    return rows.map(({ id }) => id)
  }
  /** Texts that an ended process was reading: they are read much later, when its work is given to another. */
  const left = new Set<string>()

  /** The lines of strace while the work is done, of the thread that does what is done with files. */
  async function traced<T>(options: readonly string[], work: () => Promise<T>) {
    const threads = `/proc/${service.child.pid}/task`
    const thread = readdirSync(threads).find(
      each => readFileSync(join(threads, each, 'comm'), 'utf8').trim() === 'libuv-worker',
    )!
    const log = join(world.folder, 'calls')
    const tracer = spawn(strace!, ['-p', thread, '-y', '-o', log, '-e', 'trace=%file,%desc', ...options], {
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    const gone = once(tracer, 'exit')
    await once(tracer.stderr, 'data')
    try {
      const result = await work()
      return { result, lines: () => readFileSync(log, 'utf8').split('\n') }
    } finally {
      tracer.kill('SIGINT')
      await gone
    }
  }

  /** From the first to the last that has to do with the file as it comes in: what reads it later begins before the answer is here. */
  async function callsOfOne(): Promise<Call[]> {
    const { result, lines } = await traced([], () => upload('Nothing fails'))
    assert.equal(result.status, 201)
    assert.ok(await rest(longest_reading_ms), 'what was uploaded is not read')
    const all = lines()
    const incoming = /"([^"]*\/\.tmp\/[^"]+)"/.exec(all.find(line => line.includes('O_CREAT'))!)![1]!
    const counts = new Map<string, number>()
    return all.slice(0, all.findLastIndex(line => line.includes(incoming)) + 1).flatMap(line => {
      const name = /^(\w+)\(/.exec(line)?.[1]
      if (!name) return []
      const nth = (counts.get(name) ?? 0) + 1
      counts.set(name, nth)
      return line.includes(folder) ? [{ name, nth }] : []
    })
  }

  /** Another call of the process in between would shift the numbers of all that follow, so two uploads must agree. */
  async function usualCalls(): Promise<Call[]> {
    for (let [one, other] = [await callsOfOne(), await callsOfOne()]; ; [one, other] = [other, await callsOfOne()])
      if (isDeepStrictEqual(one, other)) return one
  }

  for (const code of ['EIO', 'ENOSPC']) {
    it(`with ${code} is answered as what became of it, and leaves nothing but what the sweep takes`, async t => {
      const calls = await usualCalls()
      const acknowledged: string[] = []
      const refused: string[] = []
      const failing: string[] = []
      let ended = 0
      for (const { name, nth } of calls) {
        for (let tries = 1; ; tries++) {
          const title = `${code}: ${name} ${nth}, try ${tries}`
          const options = ['-e', `inject=${name}:error=${code}:when=${nth}`]
          const { result, lines } = await traced(options, () => upload(title).catch(() => undefined))
          const failed = lines().find(line => line.includes('(INJECTED)'))
          if (result?.status === 201) acknowledged.push(title)
          else if (result) {
            assert.equal(result.status, 503, `${title}: ${result.body}`)
            assert.match(JSON.parse(result.body).detail, /^The file storage does not work at the moment/, title)
            refused.push(title)
          }
          // Where the failed write was the wake-up of another thread, and not one to a file, the process ends, or stands still.
          if (!result || !(await rest())) {
            ended += 1
            service.child.kill('SIGKILL')
            await service.ended
            for (const id of await unread()) left.add(id)
            await start()
          }
          if (failed?.includes(folder)) {
            failing.push(title)
            break
          }
          assert.ok(tries < most_tries, `${title}: ${failed ?? 'it was not made'}`)
        }
      }
      const rows = await world.rows<{ title: string; key: string }>(
        'select title, file_key as key from document_versions',
      )
      const titles = rows.map(({ title }) => title)
      for (const title of acknowledged) assert.ok(titles.includes(title), title)
      for (const title of refused) assert.ok(!titles.includes(title), title)
      for (const { title, key } of rows)
        assert.deepEqual(readFileSync(join(folder, key)), Buffer.from(pdf(title)), title)
      assert.ok(refused.length >= 8, String(refused))
      t.diagnostic(
        `${calls.length} calls of an upload, each failed with ${code}: ${refused.length} refused, ${acknowledged.length} done, ${ended} ended the process; false answers 0`,
      )
    })
  }

  it('has left nothing, once the sweep was there', async () => {
    service.child.kill('SIGKILL')
    await service.ended
    world.clock.moved_ms = 25 * 3_600_000
    assert.equal((await world.round(sweep.schedule)).failed, 0)
    const rows = await world.rows<{ key: string }>('select file_key as key from document_versions')
    assert.deepEqual(filesBelow(folder), rows.map(({ key }) => key).sort())
  })
})
