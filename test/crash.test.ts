// What a kill at any moment leaves behind: the whole service, as it is started, killed again and again while people write.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { environmentOfPrograms } from './environment.ts'
import { pdf } from './world.ts'

const kills = 20
const writers = 4
const start_timeout_ms = 60_000
const password = 'Correct horse 1 battery'
const root = new URL('..', import.meta.url).pathname

interface Document {
  id: number
  number: string
  title: string
  status: string
  file: { sha256: string }
}
interface Entry {
  action: string
  resource_id: number
}

describe('the service, killed while people write', () => {
  let folder: string
  let url: string
  let service: ChildProcess | undefined
  let token: string
  const said: string[] = []
  /** What the service has answered for: by id, the bytes' hash, and whether it said that the document was submitted. */
  const acknowledged = new Map<number, { sha256: string; title: string; submitted: boolean }>()

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'attest-crash-'))
    url = `http://127.0.0.1:${await freePort()}`
  })
  after(async () => {
    if (service && service.exitCode === null) {
      service.kill('SIGTERM')
      await once(service, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  })

  async function start() {
    const child = spawn(process.execPath, ['src/main.ts', 'serve'], {
      cwd: root,
      env: {
        ...environmentOfPrograms(),
        SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-crash',
        DATA_DIR: folder,
        PORT: new URL(url).port,
        LOG_LEVEL: 'warning',
        BOOTSTRAP_TENANT: 'Acme',
        BOOTSTRAP_ADMIN_USERNAME: 'ada',
        BOOTSTRAP_ADMIN_EMAIL: 'ada@example.com',
        BOOTSTRAP_ADMIN_PASSWORD: password,
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => said.push(String(chunk)))
    service = child
    for (const deadline = Date.now() + start_timeout_ms; ; await setTimeout(20)) {
      assert.equal(child.exitCode, null, `the service ended: ${said.slice(-20).join('')}`)
      assert.ok(Date.now() < deadline, `the service does not answer: ${said.slice(-20).join('')}`)
      const answer = await fetch(`${url}/api/health`).catch(() => undefined)
      if (answer?.ok) return
    }
  }

  /** The service, and every other time its database server with it; the guard that would stop that in order goes first. */
  async function kill({ withServer }: { withServer: boolean }) {
    const child = service!
    const gone = once(child, 'exit')
    const server = Number(readFileSync(join(folder, 'postgres/postmaster.pid'), 'utf8').split('\n')[0])
    const pids = withServer
      ? [...childrenOf(child.pid!).filter(pid => pid !== server), server, child.pid!]
      : [child.pid!]
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {}
    }
    await gone
  }

  const call = (path: string, init: Omit<RequestInit, 'headers'> & { headers?: Record<string, string> } = {}) =>
    fetch(`${url}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } })

  async function logIn() {
    const answer = await fetch(`${url}/api/auth/token`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'ada', password }),
    })
    token = ((await answer.json()) as { access_token: string }).access_token
  }

  /** Uploads and submits until the service is gone; only what it answered counts. */
  async function write(type: number, isOver: () => boolean) {
    while (!isOver()) {
      const bytes = pdf(randomBytes(20_000).toString('base64'))
      const title = createHash('sha256').update(bytes).digest('hex')
      const form = new FormData()
      form.set('title', title)
      form.set('document_type', String(type))
      form.set('file', new Blob([new Uint8Array(bytes)]), 'record.pdf')
      try {
        const uploaded = await call('/api/documents/upload', { method: 'POST', body: form })
        if (uploaded.status >= 500) continue // its database went first
        assert.equal(uploaded.status, 201, await uploaded.clone().text())
        const { id } = (await uploaded.json()) as Document
        acknowledged.set(id, { sha256: title, title, submitted: false })
        const moved = await call(`/api/documents/${id}/transition`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ transition: 'submit' }),
        })
        if (moved.status === 200) acknowledged.get(id)!.submitted = true
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        // The connection broke: nothing was answered, so nothing was promised.
        await setTimeout(5)
      }
    }
  }

  async function everyPage<T>(path: string) {
    const items: T[] = []
    for (let page = 1, pages = 1; page <= pages; page++) {
      const answer = await call(`${path}${path.includes('?') ? '&' : '?'}page_size=100&sort=id:asc&page=${page}`)
      assert.equal(answer.status, 200)
      const body = (await answer.json()) as { items: T[]; pages: number }
      pages = body.pages
      items.push(...body.items)
    }
    return items
  }

  it(`starts again by itself after each of ${kills} kills, and has lost nothing that it answered for`, async t => {
    await start()
    await logIn()
    const types = await everyPage<{ id: number; name: string }>('/api/document-types/')
    const type = types.find(({ name }) => name === 'SOP')!.id
    for (let round = 0; round < kills; round++) {
      const before = acknowledged.size
      let isOver = false
      const work = Promise.all(Array.from({ length: writers }, () => write(type, () => isOver)))
      // At least one write is answered for in each round, then the kill comes at any moment of the next ones.
      while (acknowledged.size === before) await Promise.race([work, setTimeout(1)])
      await setTimeout(Math.random() * 150)
      await kill({ withServer: round % 2 === 1 })
      isOver = true
      await work
      await start()
    }
    t.diagnostic(`${acknowledged.size} documents were answered for`)

    const documents = await everyPage<Document>('/api/documents/')
    const found = new Map(documents.map(document => [document.id, document]))
    for (const [id, { title, sha256, submitted }] of acknowledged) {
      const document = found.get(id)
      assert.ok(document, `document ${id} was answered for and is gone`)
      assert.equal(document.title, title)
      if (submitted) assert.equal(document.status, 'in_review')
      const file = Buffer.from(await (await call(`/api/documents/${id}/download`)).arrayBuffer())
      assert.equal(createHash('sha256').update(file).digest('hex'), sha256, `the file of document ${id}`)
    }

    // What was not answered for is there whole or not at all: a number for each, a file for each, an entry for each.
    assert.deepEqual(
      documents.map(({ number }) => Number(number.split('-')[1])).sort((a, b) => a - b),
      documents.map((_, index) => index + 1),
    )
    for (const { id } of documents.filter(document => !acknowledged.has(document.id))) {
      assert.equal((await call(`/api/documents/${id}/download`)).status, 200)
    }
    const created = await everyPage<Entry>('/api/audit/?action=document.created')
    assert.deepEqual(
      created.map(({ resource_id }) => resource_id).sort((a, b) => a - b),
      [...found.keys()].sort((a, b) => a - b),
    )
    const moved = await everyPage<Entry>('/api/audit/?action=document.state_changed')
    assert.deepEqual(
      [...new Set(moved.map(({ resource_id }) => resource_id))].sort((a, b) => a - b),
      documents
        .filter(({ status }) => status === 'in_review')
        .map(({ id }) => id)
        .sort((a, b) => a - b),
    )
  })

  it('holds the files of its records, and beside them only what a killed upload could not take away', () => {
    const files = readdirSync(join(folder, 'uploads'), { recursive: true, encoding: 'utf8' }).filter(name =>
      statSync(join(folder, 'uploads', name)).isFile(),
    )
    const kept = files.filter(name => !name.startsWith('.tmp'))
    assert.ok(kept.length >= acknowledged.size)
    assert.ok(
      files.length <= acknowledged.size + kills * writers * 2,
      `${files.length} files for ${acknowledged.size} documents`,
    )
  })
})

const childrenOf = (pid: number) =>
  readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(child => {
      try {
        return new RegExp(`^PPid:\\s${pid}$`, 'm').test(readFileSync(`/proc/${child}/status`, 'utf8'))
      } catch {
        return false
      }
    })

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  await once(server, 'close')
  return port
}
