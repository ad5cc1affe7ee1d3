// A file takes a converter over: what the converter gets to see then. LibreOffice and Tesseract are scripts here, which do the harm.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { until } from '#test/world/background.ts'
import { keepVariable } from '#test/world/environment.ts'
import { openOffice } from './pdf/office.ts'
import { openSandbox } from './sandbox.ts'
import { openTextExtractor } from './text-extraction/index.ts'
import { findOcr } from './text-extraction/ocr.ts'

const none = openSandbox([])
const real = openSandbox([process.env.TEST_BWRAP!])

// proves: DOC-03, SRCH-01
describe('a converter that a file has taken over', () => {
  const folder = mkdtempSync(join(tmpdir(), 'attest-sandbox-'))
  const connections = { count: 0 }
  const server = createServer(socket => {
    connections.count += 1
    socket.destroy()
  })
  let attack: string
  before(async () => {
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as { port: number }
    mkdirSync(join(folder, 'data/keys'), { recursive: true })
    writeFileSync(join(folder, 'data/keys/signature.pem'), 'the key')
    writeFileSync(join(folder, 'data/other.pdf'), 'of another tenant')
    // Each line is what it got hold of.
    attack = `
      cat ${folder}/data/keys/signature.pem >/dev/null 2>&1 && echo key
      cat ${folder}/data/other.pdf >/dev/null 2>&1 && echo file
      [ -n "$SECRET_OF_A_TEST" ] && echo environment
      [ -r /proc/${process.pid}/environ ] && echo environment-of-the-service
      kill -0 ${process.pid} 2>/dev/null && echo process
      ls -d /home /root /var /etc/passwd >/dev/null 2>&1 && echo system
      bash -c 'exec 3<>/dev/tcp/127.0.0.1/${port}' 2>/dev/null && echo network
      (echo x >/usr/attest-was-here) 2>/dev/null && rm /usr/attest-was-here && echo writes
      true`
  })
  after(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })
  const script = (path: string, text: string) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, `#!/bin/sh\n${text}\n`)
    chmodSync(path, 0o755)
    return path
  }
  async function withVariable<T>(work: () => Promise<T>) {
    const putBack = keepVariable('SECRET_OF_A_TEST')
    process.env.SECRET_OF_A_TEST = 'x'
    return work().finally(putBack)
  }

  async function officeFinds(sandbox: typeof real) {
    const program = script(
      join(folder, 'office/program/soffice'),
      `{ ${attack}\n} >out.txt\nmkdir -p out && mv out.txt out/file.pdf`,
    )
    const input = join(folder, 'input')
    writeFileSync(input, 'GIF89a')
    const temporary = mkdtempSync(join(folder, 'temporary-'))
    const made = await openOffice([program], temporary, sandbox).toPdf(input, 'image/gif')
    const found = readFileSync(made.path, 'utf8')
      .split('\n')
      .filter(line => line !== '')
    await made.discard()
    assert.deepEqual(readdirSync(temporary), [])
    return found
  }
  async function ocrFinds(sandbox: typeof real) {
    const place = join(folder, 'ocr')
    const row = (word: string) => `5\\t1\\t1\\t1\\t1\\t1\\t0\\t0\\t9\\t9\\t96\\t${word}\\n`
    script(
      join(place, 'tesseract'),
      `[ "$1" = --list-langs ] && echo eng && exit
      [ -r "$1" ] || exit 1
      printf 'level\\tpage_num\\tblock_num\\tpar_num\\tline_num\\tword_num\\tleft\\ttop\\twidth\\theight\\tconf\\ttext\\n'
      printf '${row('scan')}'
      { ${attack}\n} | while read -r word; do printf '5\\t1\\t1\\t1\\t1\\t1\\t0\\t0\\t9\\t9\\t96\\t%s\\n' "$word"; done`,
    )
    const path = join(folder, 'scan.png')
    writeFileSync(path, 'a picture')
    const { blocks } = await openTextExtractor({ ocr: findOcr([place], 60_000, sandbox) }).extract({
      path,
      ending: 'png',
    })
    const words = blocks
      .map(({ text }) => text)
      .join(' ')
      .split(/\s+/)
    assert.equal(words.shift(), 'scan', 'it is given the file itself')
    return words.filter(word => word !== '')
  }

  it('gets no key, no other file, no process, no environment and no network', async () => {
    assert.deepEqual(await real.state(), { status: 'works' })
    for (const find of [officeFinds, ocrFinds]) {
      connections.count = 0
      assert.deepEqual(await withVariable(() => find(real)), [], find.name)
      assert.equal(connections.count, 0)
    }
  })

  it('would get the files and the network without the sandbox, but not the environment of its own', async () => {
    for (const find of [officeFinds, ocrFinds]) {
      const found = await withVariable(() => find(none))
      for (const each of ['key', 'file', 'process', 'network']) assert.ok(found.includes(each), `${find.name} ${each}`)
      assert.ok(!found.includes('environment'), find.name)
    }
  })

  it('is ended with all that it started, where it takes too long', async () => {
    const place = join(folder, 'slow')
    const sleep = `sleep 60${process.pid}`
    script(join(place, 'tesseract'), `[ "$1" = --list-langs ] && echo eng && exit\n(setsid ${sleep} &)\n${sleep}`)
    const path = join(folder, 'scan.png')
    writeFileSync(path, 'a picture')
    const isRunning = () => spawnSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).stdout.includes(sleep)
    const reading = openTextExtractor({ ocr: findOcr([place], 3_000, real) }).extract({ path, ending: 'png' })
    await until(isRunning)
    assert.equal((await reading).status, 'failed')
    await until(() => !isRunning())
  })
})

it('a machine that does not let it work is told of, and the converter runs without it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'attest-sandbox-'))
  try {
    const bwrap = join(folder, 'bwrap')
    writeFileSync(bwrap, '#!/bin/sh\necho "bwrap: No permissions to create new namespace" >&2\nexit 1\n')
    chmodSync(bwrap, 0o755)
    const refused = openSandbox([bwrap])
    assert.deepEqual(await refused.state(), { status: 'refused', reason: 'No permissions to create new namespace' })
    assert.deepEqual(await refused.around({ program: '/bin/sh', folder: '/' }), [])
    assert.deepEqual(await none.state(), { status: 'missing' })
  } finally {
    rmSync(folder, { recursive: true })
  }
})
