import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ended } from '#test/builders/text-files.ts'
import { until } from '#test/world/background.ts'
import { keepVariable } from '#test/world/environment.ts'
import { openTextExtractor } from './index.ts'
import { givenProgram, taking_given } from './program.ts'
import { readers } from './readers.ts'

const folder = mkdtempSync(join(tmpdir(), 'attest-texts-'))
after(() => rmSync(folder, { recursive: true }))
const program = fileURLToPath(new URL('../../../test/support/faults/hostile-reader.ts', import.meta.url))

function fileOf(content: string, name = 'file.txt') {
  const path = join(folder, name)
  writeFileSync(path, content)
  return { path, ending: 'txt' as const }
}
const childrenOf = (pid: number) =>
  spawnSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .stdout.split('\n')
    .map(line => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child]) => child!)

describe('a file that does harm to what reads it (proves: SRCH-01)', () => {
  // Its process is to be there long before that, also on a busy machine.
  const works = openTextExtractor({ program, longest_ms: 8_000 })
  const harms: Record<string, [what: string, why: RegExp]> = {
    hang: ['never comes to its end', /: it takes longer than the 90 seconds that there are for one file\.$/],
    crash: ['crashes it', /: it cannot be read to its end\.$/],
    // Its line is too long, or it holds too much that nobody has read yet, or on a busy machine its time is over: whichever is seen first.
    flood: [
      'makes it tell without end',
      /: it (cannot be read to its end|takes more memory than there is for one file|takes longer than the 90 seconds that there are for one file)\.$/,
    ],
    babble: ['makes it tell nonsense', /: it cannot be read to its end\.$/],
    lie: ['makes it tell what nobody can store', /: it cannot be read to its end\.$/],
    throw: ['is more than a library can take', /: it is damaged or cut off\.$/],
    'read the key': ['makes it read what is none of its business', /: it is damaged or cut off\.$/],
  }
  for (const [harm, [what, why]] of Object.entries(harms))
    it(`is read as far as it goes, and why not further is said, where it ${what}`, async () => {
      const { status, reason, blocks } = await works.extract(fileOf(harm))
      assert.equal(status, 'extracted')
      assert.match(reason!, why)
      assert.doesNotMatch(reason!, /secret/)
      assert.deepEqual(blocks, [{ page: 1, heading: null, text: 'What was read until then.' }])
    })

  for (const harm of ['eat', 'eat bytes'])
    it(`gets no more memory than there is for one file: ${harm}`, async () => {
      const { status, reason } = await openTextExtractor({ program }).extract(fileOf(harm))
      assert.equal(status, 'extracted')
      assert.match(reason!, /: it takes more memory than there is for one file\.$/)
    })

  it('finds neither an environment nor a folder', async () => {
    const putBack = keepVariable('SECRET_OF_A_TEST')
    process.env.SECRET_OF_A_TEST = 'x'
    const { blocks } = await works.extract(fileOf('nothing')).finally(putBack)
    // Node gives this one to every child of what it measures the coverage of, whatever it is told.
    const ofCoverage = process.env.NODE_V8_COVERAGE === undefined ? '' : 'NODE_V8_COVERAGE'
    assert.equal(blocks[1]!.text, `environment: ${ofCoverage}, folder: /`)
  })

  it('is given its whole program translated: each kind of file is read by a process that cannot translate', async () => {
    const reader = new URL('reader.ts', import.meta.url)
    const program = await givenProgram()
    for (const ending of Object.keys(readers)) {
      const file = openSync(fileOf('nothing').path, 'r')
      const { stdout, status } = spawnSync(
        process.execPath,
        ['--no-strip-types', taking_given, fileURLToPath(reader), ending, String(process.pid), '10'],
        { env: {}, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore', file, program] },
      )
      closeSync(file)
      assert.equal(status, 0, ending)
      assert.match(stdout, /^\{"ready":true\}\n(?:.*\n)*\{"end":/, ending)
    }
  })

  it('keeps nobody waiting but those behind it', async () => {
    const abort = new AbortController()
    const slow = works.extract(fileOf('hang', 'slow.txt'), abort.signal)
    const { status } = await works.extract(fileOf('nothing', 'quick.txt'))
    assert.equal(status, 'extracted')
    abort.abort()
    await assert.rejects(slow, { name: 'AbortError' })
  })

  it('is told apart from a machine that is in trouble: that is an error, and the file may be read again', async () => {
    await assert.rejects(works.extract(fileOf('be ended')), /^Error: The process that reads files ended by SIGTERM$/)
    await assert.rejects(works.extract({ path: join(folder, 'none'), ending: 'txt' }), { code: 'ENOENT' })
    const without = openTextExtractor({ program: join(folder, 'no-program.ts') })
    await assert.rejects(without.extract(fileOf('nothing')), /^Error: The process that reads files ended by 1$/)
  })

  it('can be given up, while it is read and while it waits', async () => {
    const abort = new AbortController()
    const patient = openTextExtractor({ program })
    const readers = () =>
      childrenOf(process.pid).filter(pid =>
        spawnSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(program),
      )
    const all = ['a', 'b', 'c'].map(name => patient.extract(fileOf('hang', name), abort.signal))
    await until(() => readers().length > 0)
    abort.abort()
    for (const { status } of await Promise.allSettled(all)) assert.equal(status, 'rejected')
    assert.deepEqual(readers(), [])
  })

  it('does not outlive the service that is reading it, however that ends', async () => {
    const index = new URL('./index.ts', import.meta.url).href
    const { path } = fileOf('hang')
    const script = `const { openTextExtractor } = await import('${index}'); await openTextExtractor({ program: '${program}' }).extract({ path: '${path}', ending: 'txt' })`
    const service = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
    let readers: number[] = []
    for (const deadline = performance.now() + 60_000; readers.length === 0 && performance.now() < deadline; )
      readers = childrenOf(service.pid!)
    assert.equal(readers.length, 1)
    service.kill('SIGKILL')
    await ended(readers[0]!)
  })
})
