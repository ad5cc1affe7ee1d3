// deploy/systemd/, as systemd reads it: without a system that runs it.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { after, before, describe, it } from 'node:test'

const root = join(import.meta.dirname, '..')
const read = (name: string) => readFileSync(join(root, 'deploy/systemd', name), 'utf8')
const units = globSync('deploy/systemd/*.{service,timer}', { cwd: root }).map(path => basename(path))
/** The settings of a unit or a drop-in, in order: a name may occur several times. */
const settingsOf = (name: string) =>
  [...read(name).matchAll(/^(\w+)=(.*)$/gm)].map(([, key, value]) => [key!, value!] as const)
const valuesOf = (name: string, key: string) =>
  settingsOf(name)
    .filter(([each]) => each === key)
    .map(([, value]) => value)

describe('the units for systemd (proves: OPS-01)', () => {
  const programs = ['attest.service', 'attest-migrate.service', 'attest-backup.service']

  it('give the login that owns the tables to what migrates and backs up alone', () => {
    const holders = programs.filter(name => valuesOf(name, 'EnvironmentFile').some(path => path.includes('owner.env')))
    assert.deepEqual(holders, ['attest-migrate.service', 'attest-backup.service'])
    assert.deepEqual(valuesOf('attest.service', 'Requires'), ['attest-migrate.service'])
    assert.ok(valuesOf('attest.service', 'After').includes('attest-migrate.service'))
    // Without the file the embedded PostgreSQL is used, and the service must start all the same.
    assert.deepEqual(valuesOf('attest-migrate.service', 'ConditionPathExists'), ['/etc/attest/owner.env'])
  })

  it('are hardened alike', () => {
    const hardening = (name: string) => {
      const settings = settingsOf(name)
      const first = settings.findIndex(([key]) => key === 'NoNewPrivileges')
      const last = settings.findIndex(([key]) => key === 'SystemCallErrorNumber')
      return settings.slice(first, last + 1)
    }
    for (const name of programs) {
      assert.deepEqual(hardening(name), hardening('attest.service'), name)
      assert.deepEqual(valuesOf(name, 'User'), ['attest'])
      assert.equal(valuesOf(name, 'MemoryMax').length, 1)
    }
    assert.ok(hardening('attest.service').length > 20)
  })

  it('give the service longer to end than it needs', () => {
    const needed_ms = /maxCloseMs = ([\d_]+)/.exec(readFileSync(join(root, 'src/commands/serve.ts'), 'utf8'))![1]!
    assert.ok(Number(valuesOf('attest.service', 'TimeoutStopSec')[0]) * 1000 > Number(needed_ms.replaceAll('_', '')))
  })

  it('stop the service for a backup of the embedded PostgreSQL alone, and start it again however that ends', () => {
    assert.deepEqual(valuesOf('attest-backup.service', 'Conflicts'), [])
    const embedded = 'attest-backup.embedded.conf'
    for (const key of ['Conflicts', 'After', 'OnSuccess', 'OnFailure'])
      assert.deepEqual(valuesOf(embedded, key), ['attest.service'], key)
    assert.deepEqual(valuesOf('attest-backup.service', 'OnFailure'), ['attest-failed@%n.service'])
  })

  it('remove the backups that are old, and nothing else', t => {
    const [command] = valuesOf('attest-backup.service', 'ExecStartPost')
    const folder = mkdtempSync(join(tmpdir(), 'attest-backups-'))
    t.after(() => rmSync(folder, { recursive: true }))
    const dated = { '2026-09-01T013000Z': 60, '2026-10-20T013000Z': 20, '2026-11-21': 60, 'lost+found': 60 }
    for (const [name, days] of Object.entries(dated)) {
      mkdirSync(join(folder, name))
      writeFileSync(join(folder, name, 'manifest.json'), '{}')
      assert.equal(spawnSync('touch', ['-d', `${days} days ago`, join(folder, name)]).status, 0)
    }
    const run = spawnSync('sh', ['-c', command!.replace('/var/backups/attest', folder).replace('{} +', "'{}' +")])
    assert.equal(run.status, 0, String(run.stderr))
    assert.deepEqual(
      Object.keys(dated).filter(name => existsSync(join(folder, name))),
      ['2026-10-20T013000Z', '2026-11-21', 'lost+found'],
    )
  })

  const analyze = (...options: string[]) => spawnSync('systemd-analyze', options, { encoding: 'utf8' })
  const hasSystemd = analyze('--version').status === 0

  describe('read by systemd', { skip: hasSystemd ? false : 'there is no systemd-analyze: apt install systemd' }, () => {
    let folder: string
    before(() => {
      folder = mkdtempSync(join(tmpdir(), 'attest-units-'))
      // As they are, but for where the program is: systemd looks whether it is there.
      for (const name of units) writeFileSync(join(folder, name), read(name).replaceAll('/opt/attest', root))
      mkdirSync(join(folder, 'attest-backup.service.d'))
      writeFileSync(join(folder, 'attest-backup.service.d/embedded.conf'), read('attest-backup.embedded.conf'))
    })
    after(() => rmSync(folder, { recursive: true }))
    const paths = () =>
      units
        .map(name => join(folder, name.replace('@', '@attest-backup')))
        .map(path => path.replace('@attest-backup.', '@x.'))

    it('have no setting that it does not know, and no program that is not there', () => {
      writeFileSync(
        join(folder, 'wrong.service'),
        read('attest-failed@.service').replace('DynamicUser', 'DynamicUsers'),
      )
      const wrong = analyze('verify', '--man=no', join(folder, 'wrong.service'))
      assert.match(wrong.stderr, /Unknown key/, 'what is misspelt is told')
      const { status, stderr } = analyze('verify', '--man=no', ...paths())
      assert.deepEqual([status, stderr], [0, ''])
    })

    it('leave the service little that it could do to the machine', () => {
      for (const name of programs) {
        const { stdout, stderr } = analyze('security', '--offline=true', '--no-pager', join(folder, name))
        const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1])
        assert.ok(exposure <= 2, `${name}: ${exposure} ${stderr}`)
      }
    })

    it('let bubblewrap enclose converters with the drop-in for them, and nothing else', () => {
      const own = join(folder, 'converters')
      mkdirSync(join(own, 'attest.service.d'), { recursive: true })
      for (const name of units) writeFileSync(join(own, name), readFileSync(join(folder, name)))
      writeFileSync(join(own, 'attest.service.d/converters.conf'), read('attest.converters.conf'))
      const { status, stderr } = analyze('verify', '--man=no', join(own, 'attest.service'))
      assert.deepEqual([status, stderr], [0, ''])
      const { stdout } = analyze('security', '--offline=true', '--no-pager', join(own, 'attest.service'))
      const exposure = Number(/Overall exposure level for \S+: ([\d.]+)/.exec(stdout)?.[1])
      assert.ok(exposure <= 2.5, String(exposure))
    })

    it('name a moment of each day', () => {
      const { status, stdout } = analyze('calendar', valuesOf('attest-backup.timer', 'OnCalendar')[0]!)
      assert.equal(status, 0)
      assert.match(stdout, /Next elapse/)
    })
  })
})
