import assert from 'node:assert/strict'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import yauzl from 'yauzl'
import { zipWriter } from './zip-writer.ts'

const at = new Date('2026-03-01T08:30:31Z')
async function* pieces(...texts: string[]) {
  for (const text of texts) yield Buffer.from(text)
}

async function readZip(bytes: Buffer) {
  const zip = await promisify<Buffer, yauzl.Options, yauzl.ZipFile>(yauzl.fromBuffer)(bytes, { lazyEntries: true })
  const open = promisify(zip.openReadStream.bind(zip) as (e: yauzl.Entry, done: (...found: never[]) => void) => void)
  const found: { name: string; text: string; method: number; at: string }[] = []
  for (let n = 0; n < zip.entryCount; n++) {
    const next = once(zip, 'entry')
    zip.readEntry()
    const [entry] = (await next) as [yauzl.Entry]
    const text = (await buffer((await open(entry)) as never)).toString()
    found.push({
      name: entry.fileName,
      text,
      method: entry.compressionMethod,
      at: entry.getLastModDate().toISOString(),
    })
  }
  return found
}

// proves: EXIT-01
describe('a zip that is written file by file', () => {
  it('has each file as it was, stored or compressed, with its moment', async () => {
    const zip = zipWriter(at)
    const bytes = buffer(zip.output)
    await zip.add('files/one', pieces('as ', 'it is'), { compress: false })
    await zip.add('pages/two.html', pieces('again '.repeat(10_000)), { compress: true })
    await zip.add('empty', pieces(), { compress: true })
    await zip.close()
    assert.deepEqual(await readZip(await bytes), [
      { name: 'files/one', text: 'as it is', method: 0, at: at.toISOString() },
      { name: 'pages/two.html', text: 'again '.repeat(10_000), method: 8, at: at.toISOString() },
      { name: 'empty', text: '', method: 8, at: at.toISOString() },
    ])
    assert.ok((await bytes).length < 2_000)
  })

  it('is empty without a file', async () => {
    const zip = zipWriter(at)
    const bytes = buffer(zip.output)
    await zip.close()
    assert.deepEqual(await readZip(await bytes), [])
  })

  for (const compress of [false, true])
    it(`is not whole where a file fails, or its reader goes${compress ? ', of files that are compressed' : ''}`, async () => {
      const failing = zipWriter(at)
      const read = buffer(failing.output)
      async function* torn() {
        yield Buffer.from('the beginning')
        throw new Error('the disk is gone')
      }
      await assert.rejects(failing.add('files/torn', torn(), { compress }), /the disk is gone/)
      failing.fail(new Error('given up'))
      await assert.rejects(read, /given up/)

      const left = zipWriter(at)
      async function* endless() {
        for (;;) yield Buffer.alloc(64 * 1024, String(Math.random()))
      }
      const adding = left.add('files/endless', endless(), { compress })
      await once(left.output, 'readable')
      left.output.destroy()
      await assert.rejects(adding, /the reader of the zip has gone/)
    })

  it('holds no more of a thousand files than their entries', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const alive = async () => {
      // A stream that is closed in one turn of the loop is collected in the next.
      for (let n = 0; n < 3; n++) {
        collect()
        await setImmediate()
      }
      const { heapUsed, external } = process.memoryUsage()
      return heapUsed + external
    }
    const zip = zipWriter(at)
    zip.output.resume()
    const write = async (from: number) => {
      for (let n = from; n < from + 1_000; n++)
        await zip.add(`pages/${n}.html`, pieces(`page ${n} `.repeat(500)), { compress: n % 2 === 0 })
    }
    await write(0)
    const before = await alive()
    await write(1_000)
    const grown = ((await alive()) - before) / 1_000
    // Streams that were kept took fourteen thousand bytes each.
    assert.ok(grown < 2_500, `${grown} bytes a file`)
    await zip.close()
  })
})
