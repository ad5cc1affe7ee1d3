// The verifier as who was given an export runs it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it, mock } from 'node:test'
import { pathToFileURL } from 'node:url'
import { zipOf } from '#test/faults/hostile-files.ts'
import { until } from '#test/world/background.ts'
import { entriesOf, folder, origins, part, vkeys, whole } from '#test/world/verdicts.ts'

describe('the verifier as a program', () => {
  const program = join(import.meta.dirname, '../verifier/attest-audit-verify.mjs')
  const started = [process.argv, process.exitCode] as const
  let runs = 0
  /** In this process, as `node PROGRAM ...` runs it, so that mutation testing sees which of its lines a test runs. */
  async function run(...args: string[]) {
    const printed = { stdout: '', stderr: '' }
    const into = (stream: keyof typeof printed) => (text: string) => {
      printed[stream] += `${text}\n`
    }
    const [log, error] = [mock.method(console, 'log', into('stdout')), mock.method(console, 'error', into('stderr'))]
    try {
      process.exitCode = undefined
      process.argv = [process.execPath, program, ...args]
      await import(`${pathToFileURL(program).href}?run=${++runs}`)
      await until(() => process.exitCode !== undefined)
      return { status: process.exitCode, ...printed }
    } finally {
      for (const each of [log, error]) each.mock.restore()
      process.argv = started[0]
      process.exitCode = started[1]
    }
  }
  const [good, part_path, old] = [join(folder, 'good.zip'), join(folder, 'part.zip'), join(folder, 'old.txt')]
  writeFileSync(good, zipOf(entriesOf(whole.files)))
  writeFileSync(part_path, zipOf(entriesOf(part.files)))
  writeFileSync(old, whole.kept[1]!)
  const keys = vkeys.flatMap(each => ['--vkey', each])

  it('prints a line for each thing that it checked, and the result', async () => {
    const { status, stdout, stderr } = await run(good, ...keys, '--old', old, '--whole')
    assert.deepEqual([status, stderr], [0, ''])
    const printed = stdout.split('\n')
    assert.equal(printed[0], `ok      checkpoint of ${origins[0]}: 3 entries, signed`)
    assert.match(stdout, /^ok {6}it goes on from the older checkpoint of 2 entries/m)
    assert.deepEqual(printed.slice(-2), ['VALID', ''])
  })

  it('says what is not valid, and what it cannot check', async () => {
    const partly = await run(part_path, ...keys, '--whole')
    assert.equal(partly.status, 1)
    assert.match(partly.stdout, /^FAILED {2}This is an export of a part, not of the whole log$/m)
    assert.match(partly.stdout, /\nNOT VALID\n$/)
    const keyless = await run(good)
    assert.deepEqual(keyless, {
      status: 2,
      stdout: '??      No key was given: --vkey\nCOULD NOT BE CHECKED\n',
      stderr: '',
    })
  })

  it('prints nothing that moves a cursor', async () => {
    const { stdout } = await run(good, '--vkey', 'a\x1b[2J\x7f\u0080ü–b')
    assert.equal(stdout, '??      This is no verifier key of Ed25519: a?[2J??ü–b\nCOULD NOT BE CHECKED\n')
  })

  it('runs by the name that a package gives it, and not where another program uses it', () => {
    const link = join(folder, 'attest-audit-verify')
    symlinkSync(program, link)
    const linked = spawnSync(process.execPath, [link, good, ...keys], { encoding: 'utf8' })
    assert.deepEqual([linked.status, linked.stderr], [0, ''])
    assert.match(linked.stdout, /\nVALID\n$/)
    const using = `import { verifyBundle } from ${JSON.stringify(program)}; console.log(typeof verifyBundle)`
    const used = spawnSync(process.execPath, ['--input-type=module', '-e', using], { encoding: 'utf8' })
    assert.deepEqual([used.status, used.stdout, used.stderr], [0, 'function\n', ''])
  })

  it('says how it is used where it is used otherwise', async () => {
    const usage = 'node attest-audit-verify.mjs BUNDLE.zip --vkey KEY [--vkey KEY] [--old CHECKPOINT-FILE] [--whole]\n'
    for (const args of [[], [good, good]])
      assert.deepEqual(await run(...args), {
        status: 2,
        stdout: '',
        stderr: `One export is checked at a time\n${usage}`,
      })
    const missing = await run(good, ...keys, '--old', join(folder, 'none'))
    assert.equal(missing.status, 2)
    assert.match(missing.stderr, /^ENOENT/)
    assert.ok(missing.stderr.endsWith(`\n${usage}`))
  })
})
