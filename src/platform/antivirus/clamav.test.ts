// Failures between us and clamd; a real one is in test/antivirus.clamav.test.ts.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { AppError } from '#kernel/errors.ts'
import { openTcpServer } from '#test/faults/fault-proxy.ts'
import { quiet } from '#test/world/postgres.ts'
import { ConfigError, readConfig } from '../config.ts'
import { openClamav } from './clamav.ts'
import { openAntivirus } from './open.ts'

const folder = mkdtempSync(join(tmpdir(), 'attest-clamav-test-'))
after(() => rmSync(folder, { recursive: true }))
const path = join(folder, 'file')
writeFileSync(path, Buffer.alloc(20 * 1024 * 1024, 'a'))

const patience = { connect_ms: 300, silence_ms: 300, check_ms: 300 }
/** For one that answers: also where the machine stands still before it does. */
const long = { connect_ms: 60_000, silence_ms: 60_000, check_ms: 60_000 }
async function withScanner<T>(
  serve: (socket: Socket) => void,
  work: (scanner: ReturnType<typeof openClamav>) => Promise<T>,
  waits = patience,
) {
  const server = await openTcpServer(serve)
  try {
    return await work(openClamav({ host: '127.0.0.1', port: server.port }, quiet, waits))
  } finally {
    await server.close()
  }
}

describe('a scanner that cannot be relied on: what was not scanned is not taken (proves: DOC-07)', () => {
  const faults: [string, (socket: Socket) => void][] = [
    ['hangs up at once', socket => socket.destroy()],
    ['hangs up in the middle', socket => socket.once('data', () => socket.destroy())],
    ['takes the file and says nothing', socket => socket.resume()],
    ['takes nothing of the file', socket => socket.pause()],
    ['says something else', socket => socket.resume().once('data', () => socket.write('HTTP/1.1 200 OK\r\n\r\n\0'))],
    ['says much', socket => socket.resume().once('data', () => socket.write('x'.repeat(100_000)))],
    [
      'is beyond its limits',
      socket => socket.resume().once('data', () => socket.end('INSTREAM size limit exceeded. ERROR\0')),
    ],
    [
      'has not looked at all of it',
      socket =>
        socket.resume().once('data', () => socket.end('stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND\0')),
    ],
    ['reports an error', socket => socket.resume().once('data', () => socket.end('stream: lstat() failed ERROR\0'))],
  ]
  for (const [what, serve] of faults) {
    it(`one that ${what}: 503`, () =>
      withScanner(serve, scanner =>
        assert.rejects(
          scanner.scan(path),
          (error: AppError) => error instanceof AppError && error.status === 503 && /virus scanner/.test(error.message),
        ),
      ))
  }

  it('one that nobody hears, or that is no clamd, is not there', async () => {
    const nobody = await openTcpServer(() => {})
    await nobody.close()
    await assert.rejects(openClamav({ host: '127.0.0.1', port: nobody.port }, quiet, patience).check())
    await assert.rejects(openClamav({ path: join(folder, 'none') }, quiet, patience).scan(path), AppError)
    await withScanner(
      socket => socket.resume(),
      scanner => assert.rejects(scanner.check(), /silent for 0\.3 s/),
    )
    await withScanner(
      socket => socket.write('220 mail.example ESMTP\0'),
      scanner => assert.rejects(scanner.check(), /as clamd does/),
      long,
    )
  })

  it('is told the file byte for byte', () => {
    let received = Buffer.alloc(0)
    return withScanner(
      socket =>
        socket.on('data', piece => {
          received = Buffer.concat([received, piece])
          if (received.subarray(-4).equals(Buffer.alloc(4))) socket.write('stream: OK\0')
        }),
      async scanner => {
        const small = join(folder, 'small')
        writeFileSync(small, 'Größe')
        assert.equal(await scanner.scan(small), undefined)
        assert.deepEqual(received.toString(), 'zINSTREAM\0\0\0\0\x07Größe\0\0\0\0')
      },
      long,
    )
  })
})

describe('CLAMAV_URL', () => {
  const read = (CLAMAV_URL?: string) =>
    readConfig({ SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-test', ...(CLAMAV_URL !== undefined && { CLAMAV_URL }) })
      .clamav
  it('is a host or a socket', async () => {
    assert.deepEqual(read('tcp://scanner.example:3311'), { host: 'scanner.example', port: 3311 })
    assert.deepEqual(read('tcp://scanner.example'), { host: 'scanner.example', port: 3310 })
    assert.deepEqual(read('tcp://[::1]:3310/'), { host: '::1', port: 3310 })
    assert.deepEqual(read('unix:/run/clamav/clamd.ctl'), { path: '/run/clamav/clamd.ctl' })
    assert.deepEqual(read('unix:///run/clamav/clamd.ctl'), { path: '/run/clamav/clamd.ctl' })
    assert.equal(read(), undefined)
    assert.equal(await openAntivirus({ clamav: undefined }, quiet), undefined)
  })
  for (const wrong of [
    'scanner:3310',
    'http://scanner',
    'tcp://',
    'unix:',
    'unix:clamd.ctl',
    'tcp://user@scanner',
    'tcp://scanner/path',
    'yes',
  ])
    it(`is not ${wrong}`, () => assert.throws(() => read(wrong), ConfigError))
})
