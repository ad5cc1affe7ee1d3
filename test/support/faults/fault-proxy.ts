import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClientConfig } from 'pg'

/**
 * Stands between a pool and its PostgreSQL, and can swallow what passes: a network that drops every packet without a word. Or it cuts
 * one connection off in the middle of a commit.
 */
export async function openFaultProxy({ host = 'localhost', port = 5432 }: ClientConfig) {
  const folder = mkdtempSync(join(tmpdir(), 'attest-proxy-'))
  const sockets = new Set<Socket>()
  let isSilent = false
  let visits = 0
  let cut: { when: 'before' | 'after'; to_pass: number; done: () => void } | undefined
  const server = createServer(client => {
    visits += 1
    let isWriting = false
    /** Whether what the client says ends a transaction that writes. */
    const commits = (said: string) => {
      let found = false
      for (const [, access] of said.matchAll(/begin read (write|only)|\bcommit\0/g)) {
        if (access) isWriting = access === 'write'
        else found ||= isWriting
      }
      return found
    }
    let isCut = false
    const cutHere = () => {
      cut?.done()
      cut = undefined
      client.destroy()
      upstream.destroy()
    }
    const upstream = host.startsWith('/') ? connect(join(host, `.s.PGSQL.${port}`)) : connect(port, host)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (chunk: Buffer) => {
        if (isCut && from === upstream && chunk.includes('COMMIT\0')) return cutHere()
        if (from === client && commits(chunk.toString('latin1')) && cut && cut.to_pass-- === 0) {
          if (cut.when === 'before') return cutHere()
          isCut = true
        }
        if (!isSilent) to.write(chunk)
      })
      from.on('error', () => {})
      from.on('close', () => {
        sockets.delete(from)
        to.destroy()
      })
    }
  })
  await new Promise<void>(done => server.listen(join(folder, '.s.PGSQL.5432'), done))
  const cutOff = () => {
    for (const each of sockets) each.destroy()
  }
  return {
    connection: { host: folder, port: 5432 },
    /** How many connections were made to it. */
    visits: () => visits,
    swallow() {
      isSilent = true
    },
    /**
     * A commit of what was written, after so many that pass: the server never has it, or its word of it never arrives. Resolves when that
     * has happened.
     */
    cutCommit: (when: 'before' | 'after', { to_pass = 0 } = {}) =>
      new Promise<void>(done => {
        cut = { when, to_pass, done }
      }),
    /** Swallowed data is lost, as on connections that a firewall has forgotten: they are cut off. */
    heal() {
      cutOff()
      isSilent = false
    },
    async close() {
      cutOff()
      await new Promise(done => server.close(done))
      rmSync(folder, { recursive: true })
    },
  }
}

/** A server for anything that is spoken by turns: `converse` is given each connection. Closing it cuts off those that are open. */
export async function openTcpServer(converse: (socket: Socket) => void) {
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
    converse(socket)
  })
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as { port: number }
  return {
    port,
    connections: () => sockets.size,
    async close() {
      for (const each of sockets) each.destroy()
      await new Promise(done => server.close(done))
    },
  }
}

/** A mail server as far as its EHLO, as RFC 5321 has it. `heard` is every line that was said to it. */
export async function openMailServer({ greeting = '220-mail.example ready\r\n220 and waiting\r\n' } = {}) {
  const heard: string[] = []
  const state = { greeting }
  const server = await openTcpServer(socket => {
    socket.write(state.greeting)
    socket.on('data', chunk => {
      for (const line of chunk.toString().split('\r\n').filter(Boolean)) {
        heard.push(line)
        if (line.startsWith('EHLO ')) socket.write('250-mail.example\r\n250-STARTTLS\r\n250 8BITMIME\r\n')
        else if (line === 'QUIT') socket.end('221 bye\r\n')
        else socket.write('502 not here\r\n')
      }
    })
  })
  return { ...server, heard, state }
}
