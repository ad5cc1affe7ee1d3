// Exports of the audit trail as who has no access to the service checks them: by the verifier that is given away, and by a second
// implementation in Python's standard library, so that the two cannot share a mistake.
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { deflateRawSync } from 'node:zlib'
import { type Files, makeBundle, tamper, writeZip } from '#test/builders/bundles.ts'
import { verifyBundle } from '../verifier/attest-audit-verify.mjs'

const verifier = join(import.meta.dirname, '../verifier/attest-audit-verify.mjs')
let folder: string
let python: ReturnType<typeof spawn>
let answers: AsyncIterator<string>
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'attest-verifier-'))
  const script = join(import.meta.dirname, 'verifier.py')
  python = spawn(process.env.TEST_PYTHON || 'python3', ['-B', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  answers = createInterface({ input: python.stdout! })[Symbol.asyncIterator]()
})
after(async () => {
  const ended = once(python, 'exit')
  python.stdin!.end()
  await ended
  rmSync(folder, { recursive: true })
})

const byPython = async (path: string, vkeys: string[], old?: string) => {
  python.stdin!.write(`${JSON.stringify([path, vkeys, old ?? null])}\n`)
  return Number((await answers.next()).value)
}
/** The verdict of both, which must be the same. */
async function both(files: Files | (readonly [string, Buffer])[], vkeys: string[], old?: string, what = '') {
  const path = join(folder, 'bundle.zip')
  await writeZip(path, files)
  const [{ exit, lines }, other] = await Promise.all([verifyBundle(path, { vkeys, old }), byPython(path, vkeys, old)])
  assert.equal(exit, other, `${what}: ${JSON.stringify(lines)}`)
  return { exit, said: lines.map(({ status, text }) => `${status} ${text}`).join('\n') }
}

describe('an export that nobody changed (proves: AUD-03, AUD-04)', () => {
  it('is valid: the whole log, in one epoch or several, a part of it, and one with redactions', async () => {
    for (const options of [
      { sizes: [1] },
      { sizes: [300] },
      { sizes: [7, 1, 12] },
      { sizes: [64, 5], parts: true },
      { sizes: [9, 4], redacted: [2, 11] },
      { sizes: [9, 4], redacted: [2, 4, 7], parts: true },
    ]) {
      const { files, vkeys } = await makeBundle(options)
      const { exit, said } = await both(files, vkeys)
      assert.equal(exit, 0, said)
      if (options.redacted) assert.match(said, /redacted, and listed so: who it was in 2 entries, what changed in 0/)
    }
  })

  it('goes on from each checkpoint that was kept, and not from one of another log', async () => {
    const { files, vkeys, kept } = await makeBundle({ sizes: [6, 5] })
    for (const old of kept) assert.equal((await both(files, vkeys, old)).exit, 0)
    const other = await makeBundle({ sizes: [6] })
    assert.equal((await both(files, [...vkeys, ...other.vkeys], other.kept[2])).exit, 1)
    assert.equal((await both(files, vkeys, other.kept[2])).exit, 2, 'nobody knows who signed it')
    const part = await makeBundle({ parts: true })
    assert.equal((await both(part.files, part.vkeys, part.kept[2])).exit, 2, 'a part does not have what it takes')
  })

  it('is not valid where its end is missing, to who kept a checkpoint', async () => {
    const log_id = '5b1f8f3c-6f5c-4d52-9f5e-0a3b8f1d2c4e'
    const long = await makeBundle({ sizes: [12], log_id })
    const short = await makeBundle({ sizes: [8], log_id })
    assert.equal((await both(short.files, short.vkeys)).exit, 0)
    const { exit, said } = await both(short.files, short.vkeys, long.kept.at(-1))
    assert.equal(exit, 1)
    assert.match(said, /does not have the 12 entries of the older checkpoint/)
  })
})

describe('an export that somebody changed (proves: AUD-04)', () => {
  it('is found out, whatever was changed in it: 500 of the whole log and 500 of a part', async () => {
    const passed: string[] = []
    for (const parts of [false, true]) {
      const { files, vkeys } = await makeBundle({ sizes: [9, 6], redacted: [4], parts })
      for (let n = 0; n < 500; n++) {
        const { files: changed, what } = tamper(files)
        if ((await both(changed, vkeys, undefined, what)).exit === 0) passed.push(what)
        if (n % 100 === 0) assert.equal((await both(files, vkeys)).exit, 0)
      }
    }
    assert.deepEqual(passed, [])
  })

  it('is invalid, not of a format of another time, where the manifest does not say its format', async () => {
    const { files, vkeys } = await makeBundle()
    const manifest = JSON.parse(files.get('manifest.json')!.toString())
    for (const format of [undefined, null, 1]) {
      const changed = new Map(files).set('manifest.json', Buffer.from(JSON.stringify({ ...manifest, format })))
      assert.equal((await both(changed, vkeys)).exit, 1)
    }
    const later = new Map(files).set('manifest.json', Buffer.from(JSON.stringify({ ...manifest, format: 'other/2' })))
    assert.equal((await both(later, vkeys)).exit, 2)
  })

  it('is found out where another signed it, and not judged where no key of it was given', async () => {
    const { files, vkeys } = await makeBundle()
    const other = await makeBundle()
    assert.equal((await both(files, other.vkeys)).exit, 2)
    assert.equal((await both(files, [])).exit, 2)
    assert.equal((await both(files, ['nonsense'])).exit, 2)
    assert.equal((await both(files, [`${vkeys[0]!.slice(0, -2)}A=`])).exit, 2)
  })
})

describe('a hostile file', () => {
  const code = async (path: string, vkeys: string[]) => (await verifyBundle(path, { vkeys })).exit

  it('is refused: no zip, cut off, another name, a name twice', async () => {
    const { files, vkeys } = await makeBundle()
    const path = join(folder, 'hostile.zip')
    for (const bytes of [Buffer.alloc(0), Buffer.from('PK'), Buffer.alloc(70_000, 'PK\x05\x06')]) {
      writeFileSync(path, bytes)
      assert.notEqual(await code(path, vkeys), 0)
    }
    for (const name of ['x/y', 'C', 'entries.jsonl2']) {
      await writeZip(path, [...files, [name, Buffer.from('x')]])
      assert.equal(await code(path, vkeys), 1)
    }
    await writeZip(path, [...files, ['keys.txt', files.get('keys.txt')!]])
    assert.equal(await code(path, vkeys), 1)
    assert.equal(await code(join(folder, 'none.zip'), vkeys), 2)
  })

  it('unpacks to nothing that fills memory or disk', async () => {
    const { files, vkeys } = await makeBundle()
    const path = join(folder, 'bomb.zip')
    assert.ok(deflateRawSync(Buffer.alloc(1_000_000)).length < 2_000)
    files.set('entries.jsonl', Buffer.alloc(60_000_000, '{'))
    await writeZip(path, files, { compress: true })
    const { exit, lines } = await verifyBundle(path, { vkeys })
    assert.equal(exit, 2)
    assert.match(lines.at(-1)!.text, /would unpack to more than a log does/)
  })
})

it('the verifier runs by itself: prints what it checked, and ends with 0, 1 or 2', async () => {
  const { files, vkeys, kept } = await makeBundle()
  const [good, bad, old] = [join(folder, 'good.zip'), join(folder, 'bad.zip'), join(folder, 'old.txt')]
  await writeZip(good, files, { compress: true })
  await writeZip(bad, new Map(files).set('details.jsonl', Buffer.from('{}\n')))
  writeFileSync(old, kept[3]!)
  const run = (...args: string[]) => spawnSync(process.execPath, [verifier, ...args], { encoding: 'utf8' })
  const valid = run(good, '--vkey', vkeys[0]!, '--old', old, '--whole')
  assert.deepEqual([valid.status, valid.stderr], [0, ''])
  assert.match(valid.stdout, /all of its 9 entries, without a gap, hash to the signed root[\s\S]*VALID\n$/)
  const invalid = run(bad, '--vkey', vkeys[0]!)
  assert.equal(invalid.status, 1)
  assert.match(invalid.stdout, /^FAILED {2}details\.jsonl has nothing of entry 1$/m)
  assert.equal(run(good).status, 2)
  assert.equal(run().status, 2)
})
