// Downloads of whole files and of ranges, over a socket.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, readlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { parse } from 'content-disposition'
import { type Json, papers } from '#test/builders/documents.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
let address: string
before(async () => {
  world = await openWorld({ MAX_UPLOAD_MB: '40' })
  paper = papers(world)
  address = await world.server.listen({ port: 0, host: '127.0.0.1' })
})
after(() => world.close())

const pathOf = ({ file_path }: Json) => join(world.services.config.upload_dir, file_path)
const download = async ({ id }: Json, headers: Record<string, string> = {}, by = 'alan') =>
  fetch(`${address}/api/documents/${id}/download`, {
    headers: { authorization: `Bearer ${await world.tokenOf(by)}`, ...headers },
  })
const bytesOf = async (response: Response) => Buffer.from(await response.arrayBuffer())
const entries = async ({ id }: Json) =>
  world.rows<{ action: string; outcome: string; reason: string | null }>(
    `select action, outcome, reason from audit_entries where resource_type = 'document' and resource_id = $1 and action = 'document.downloaded' order by id`,
    [id],
  )
const ofMegabytes = (megabytes: number) => pdf('0123456789abcdef'.repeat(megabytes * 64 * 1024))

describe('a download (proves: DOC-03)', () => {
  it('is the file, as an attachment that no browser runs, with its digest', async () => {
    const bytes = pdf()
    const document = await paper.upload({}, { bytes, name: 'Größe 検査.pdf' })
    const response = await download(document)
    assert.ok(bytes.equals(await bytesOf(response)))
    const sha256 = createHash('sha256').update(bytes).digest()
    const header = (name: string) => response.headers.get(name)
    assert.deepEqual(
      {
        status: response.status,
        type: header('content-type'),
        length: header('content-length'),
        tag: header('etag'),
        ranges: header('accept-ranges'),
        digest: header('repr-digest'),
        nosniff: header('x-content-type-options'),
        policy: header('content-security-policy'),
        from: header('cross-origin-resource-policy'),
        cache: header('cache-control'),
        name: parse(header('content-disposition')!).parameters.filename,
      },
      {
        status: 200,
        type: 'application/pdf',
        length: String(bytes.length),
        tag: `"${sha256.toString('hex')}"`,
        ranges: 'bytes',
        digest: `sha-256=:${sha256.toString('base64')}:`,
        nosniff: 'nosniff',
        policy: "sandbox; default-src 'none'",
        from: 'same-origin',
        cache: 'private, no-store',
        name: 'Größe 検査.pdf',
      },
    )
  })

  for (const [name, type] of [
    ['a.txt', 'text/plain; charset=utf-8'],
    ['a.csv', 'text/csv; charset=utf-8'],
    ['a.md', 'text/markdown; charset=utf-8'],
  ] as const) {
    it(`of ${name} says how its letters are written: ${type}`, async () => {
      const document = await paper.upload({}, { bytes: Buffer.from('Größe'), name })
      assert.equal(document.file.content_type, type.split(';')[0])
      assert.equal((await download(document)).headers.get('content-type'), type)
    })
  }

  for (const bytes of [ofMegabytes(0.01), ofMegabytes(9)]) {
    it(`of ${bytes.length} bytes in parts is the same file`, async () => {
      const document = await paper.upload({}, { bytes, name: 'a.pdf' })
      const third = Math.floor(bytes.length / 3)
      const parts: Buffer[] = []
      for (const range of [`0-${third}`, `${third + 1}-${2 * third}`, `${2 * third + 1}-`]) {
        const response = await download(document, { range: `bytes=${range}` })
        const end = range.endsWith('-') ? `${range}${bytes.length - 1}` : range
        assert.deepEqual(
          [response.status, response.headers.get('content-range')],
          [206, `bytes ${end}/${bytes.length}`],
        )
        assert.equal(response.headers.get('etag'), `"${document.file.sha256}"`)
        parts.push(await bytesOf(response))
      }
      assert.ok(Buffer.concat(parts).equals(bytes))
      const last = await download(document, { range: 'bytes=-7' })
      assert.deepEqual(await bytesOf(last), bytes.subarray(-7))
      assert.equal((await entries(document)).length, 4, 'each part is an entry')
    })
  }

  it('of several parts at once is the whole; of none that it has is a 416; of what is known a 304; neither was a download', async () => {
    const document = await paper.upload()
    const beyond = await download(document, { range: 'bytes=99999-' })
    assert.deepEqual(
      [beyond.status, beyond.headers.get('content-range'), typeof ((await beyond.json()) as Json).detail],
      [416, `bytes */${document.file.size}`, 'string'],
    )
    const known = await download(document, { 'if-none-match': `"${document.file.sha256}"` })
    assert.deepEqual([known.status, (await bytesOf(known)).length], [304, 0])
    assert.equal(known.headers.get('etag'), `"${document.file.sha256}"`)
    assert.deepEqual(await entries(document), [])
    const several = await download(document, { range: 'bytes=0-1,4-5' })
    assert.deepEqual([several.status, (await bytesOf(several)).length], [200, document.file.size])
    const other = await download(document, { range: 'bytes=0-1', 'if-range': '"another"' })
    assert.equal(other.status, 200)
    assert.equal((await entries(document)).length, 2)
  })

  it('tells nobody who may not read it whether their copy is current', async () => {
    const document = await paper.upload()
    for (const headers of [{ 'if-none-match': '*' }, { range: 'bytes=99999-' }])
      assert.equal((await download(document, headers, 'uma')).status, 404)
  })
})

describe('a stored file that was altered (21 CFR 11.10(c), proves: DOC-03, AUD-01)', () => {
  for (const [what, size] of [
    ['small', 0.01],
    ['large', 9],
  ] as const) {
    it(`${what}: whole or in part, nothing of it is sent, and the trail does not say that it was downloaded`, async () => {
      const bytes = ofMegabytes(size)
      const document = await paper.upload({}, { bytes, name: 'a.pdf' })
      const wrong = Buffer.from(bytes)
      wrong[wrong.length - 100]! ^= 1
      writeFileSync(pathOf(document), wrong)
      for (const headers of [{}, { range: 'bytes=0-9' }] as Record<string, string>[]) {
        const response = await download(document, headers)
        assert.equal(response.status, 500)
        const body = (await response.json()) as Json
        assert.deepEqual(Object.keys(body), ['detail', 'code', 'params', 'request_id'])
      }
      assert.deepEqual(
        (await entries(document)).map(({ outcome }) => outcome),
        ['failed', 'failed'],
      )
      assert.match((await entries(document))[0]!.reason!, /differs from the one that was stored/)
      writeFileSync(pathOf(document), bytes)
      assert.ok((await bytesOf(await download(document))).equals(bytes))
      assert.equal((await entries(document)).at(-1)!.outcome, 'success')
    })
  }
})

describe('a reader who goes away', () => {
  const openFiles = (path: string) =>
    readdirSync('/proc/self/fd').filter(each => {
      try {
        return readlinkSync(`/proc/self/fd/${each}`) === path
      } catch {
        return false
      }
    }).length

  it('leaves no file open, whether at the first byte or half-way', { skip: process.platform !== 'linux' }, async () => {
    const document = await paper.upload({}, { bytes: ofMegabytes(30), name: 'a.pdf' })
    const path = pathOf(document)
    const head = `GET /api/documents/${document.id}/download HTTP/1.1\r\nhost: here\r\nauthorization: Bearer ${await world.tokenOf('alan')}\r\n`
    const { port } = new URL(address)
    for (const [more, wanted] of [
      ['', 0],
      ['', 1],
      ['', 1_000_000],
      ['range: bytes=5-\r\n', 1],
    ] as const) {
      for (let round = 0; round < 5; round++) {
        const socket = connect(Number(port), '127.0.0.1')
        socket.write(`${head}${more}\r\n`)
        let got = 0
        if (wanted > 0) {
          for await (const piece of socket) {
            got += (piece as Buffer).length
            if (got >= wanted) break
          }
        }
        socket.destroy()
      }
    }
    assert.equal((await bytesOf(await download(document))).length, document.file.size)
    while (openFiles(path) > 0) await new Promise(setImmediate)
  })
})
