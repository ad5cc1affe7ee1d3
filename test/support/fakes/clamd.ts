// A real clamd for the tests, as Debian has it (clamav-daemon), with a signature or two of our own instead of its millions: in the
// foreground, on a socket and a port of its own, with all that it writes in a temporary folder.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const program = process.env.TEST_CLAMD || '/usr/sbin/clamd'
const start_timeout_ms = 60_000

/** The file that every scanner finds, and that harms nobody; in two halves, so that none finds it here. */
export const eicar = ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR', '-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join('')

export interface Clamd {
  tcp: string
  unix: string
  close(): Promise<void>
}

export async function openClamd({ stream_max_bytes = 25_000_000 } = {}): Promise<Clamd> {
  const folder = mkdtempSync(join(tmpdir(), 'attest-clamd-'))
  const [path, port] = [join(folder, 'clamd.sock'), await freePort()]
  mkdirSync(join(folder, 'signatures'))
  const hex = (text: string) => Buffer.from(text).toString('hex')
  writeFileSync(join(folder, 'signatures/test.ndb'), `Eicar-Test-Signature:0:*:${hex(eicar)}\n`)
  writeFileSync(
    join(folder, 'clamd.conf'),
    [
      'Foreground yes',
      `LocalSocket ${path}`,
      'TCPAddr 127.0.0.1',
      `TCPSocket ${port}`,
      `DatabaseDirectory ${join(folder, 'signatures')}`,
      `TemporaryDirectory ${folder}`,
      `StreamMaxLength ${stream_max_bytes}`,
      'AlertExceedsMax yes',
      '',
    ].join('\n'),
  )
  const server = spawn(program, ['--config-file', join(folder, 'clamd.conf')], { stdio: 'ignore' })
  // Reads to the end of this process, however that comes.
  const guard = spawn('sh', ['-c', 'read _; kill -KILL "$0"', String(server.pid)], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const ended = once(server, 'exit').finally(() => guard.kill('SIGKILL'))
  const deadline = Date.now() + start_timeout_ms
  for (; !existsSync(path); await setTimeout(50))
    assert.ok(server.exitCode === null && Date.now() < deadline, 'clamd did not start')
  return {
    tcp: `tcp://127.0.0.1:${port}`,
    unix: `unix:${path}`,
    async close() {
      server.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true })
    },
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise(done => server.close(done))
  return port
}
