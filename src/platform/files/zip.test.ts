import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { promisify } from 'node:util'
import yauzl from 'yauzl'
import { type ZipPart, zipOf } from './zip.ts'

const at = new Date('2026-03-01T08:30:00Z')
const part = (name: string, text: string): ZipPart => ({ name, open: () => Readable.from([Buffer.from(text)]) })

async function contentsOf(bytes: Buffer): Promise<[string, string][]> {
  const zip = await promisify<Buffer, yauzl.Options, yauzl.ZipFile>(yauzl.fromBuffer)(bytes, { lazyEntries: true })
  const found: [string, string][] = []
  for (let entry: yauzl.Entry | undefined; ; ) {
    const next = once(zip, 'entry').then(([each]) => each as yauzl.Entry)
    const end = once(zip, 'end').then(() => undefined)
    zip.readEntry()
    entry = await Promise.race([next, end])
    if (!entry) return found
    const stream = await promisify(
      zip.openReadStream.bind(zip) as (e: yauzl.Entry, done: (error: Error | null, stream: Readable) => void) => void,
    )(entry)
    found.push([entry.fileName, (await buffer(stream)).toString()])
  }
}

describe('a zip that is made while it is read', () => {
  it('has all of its parts, however many, and nobody is warned of listeners that pile up', async t => {
    const warnings: Error[] = []
    const warn = (warning: Error) => warnings.push(warning)
    process.on('warning', warn)
    t.after(() => process.off('warning', warn))
    const names = Array.from({ length: 40 }, (_, n) => `${n}.txt`)
    const bytes = await buffer(
      zipOf(
        names.map(name => part(name, `what ${name} says`)),
        at,
      ),
    )
    await setImmediate()
    process.off('warning', warn)
    assert.deepEqual(
      await contentsOf(bytes),
      names.map(name => [name, `what ${name} says`]),
    )
    assert.deepEqual(warnings, [])
  })

  it('closes the part that is open when its reader breaks off, and opens no other', async () => {
    const opened: Readable[] = []
    const endless = (name: string): ZipPart => ({
      name,
      open() {
        const stream = new Readable({
          read() {
            this.push(Buffer.alloc(10_000))
          },
        })
        opened.push(stream)
        return stream
      },
    })
    const zip = zipOf([endless('a'), endless('b')], at)
    await once(zip, 'readable')
    zip.destroy()
    await setImmediate()
    assert.deepEqual(
      opened.map(({ destroyed }) => destroyed),
      [true],
    )
  })

  it('closes a part whose reader went while it was opened', async () => {
    const waiting = Promise.withResolvers<Readable>()
    const zip = zipOf([{ name: 'a', open: () => waiting.promise }], at)
    zip.resume()
    await setImmediate()
    zip.destroy()
    await once(zip, 'close')
    const late = Readable.from(['x'])
    waiting.resolve(late)
    await setImmediate()
    assert.ok(late.destroyed)
  })

  it('fails where a part cannot be opened, or breaks off', async () => {
    const gone: ZipPart = { name: 'a', open: () => Promise.reject(new Error('it is gone')) }
    const broken: ZipPart = {
      name: 'a',
      open: () =>
        Readable.from(
          (async function* () {
            yield Buffer.from('x')
            throw new Error('it broke off')
          })(),
        ),
    }
    await assert.rejects(buffer(zipOf([gone], at)), /it is gone/)
    await assert.rejects(buffer(zipOf([broken], at)), /it broke off/)
    await assert.rejects(buffer(zipOf([{ ...part('a', 'x'), size: 2 }], at)), /unexpected number of bytes/)
  })
})
