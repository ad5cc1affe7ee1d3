import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { isIP, type Socket } from 'node:net'
import { connect, TLSSocket } from 'node:tls'
import type { PoolClient } from 'pg'
import type { Config } from '#platform/config.ts'
import type { Database } from '#platform/db/database.ts'
import { failureWords } from '#platform/failure-words.ts'
import type { Certificate } from './schema.ts'

const timeoutMs = 3000

/** The certificates that this process can see. A proxy shows people the one of PUBLIC_URL, and nothing here holds its key. */
export async function readCertificates(
  { public_url, database_url, mail }: Pick<Config, 'public_url' | 'database_url' | 'mail'>,
  database: Pick<Database, 'withConnection'>,
): Promise<Certificate[]> {
  const asked = [
    ...(public_url?.startsWith('https:') ? [shownAt('public_url', public_url, 443)] : []),
    ...(database_url ? [ofDatabase(database)] : []),
    ...(mail?.smtp_url.startsWith('smtps:') ? [shownAt('mail_server', mail.smtp_url, 465)] : []),
    ...(mail?.ca_file ? [inFile('mail_authority', mail.ca_file)] : []),
  ]
  return (await Promise.all(asked)).flatMap(each => each ?? [])
}

/** That of the connection itself, because a proxy may answer in the place of the server; undefined where it is not encrypted. */
async function ofDatabase(database: Pick<Database, 'withConnection'>): Promise<Certificate | undefined> {
  try {
    return await database.withConnection(async client => {
      const socket = socketOf(client)
      if (!(socket instanceof TLSSocket)) return undefined
      const certificate = socket.getPeerX509Certificate()
      return certificate
        ? { ...factsOf('database', certificate), is_accepted: socket.authorized }
        : unread('database', 'It shows no certificate')
    })
  } catch (error) {
    return unread('database', reasonOf(error))
  }
}

const socketOf = (client: PoolClient) => (client as unknown as { connection: { stream: Socket } }).connection.stream

/** Read whether or not it is accepted: one that has expired is what somebody looks for here. */
async function shownAt(of: Certificate['of'], url: string, usualPort: number): Promise<Certificate> {
  const { hostname, port } = new URL(url)
  const host = hostname.replace(/^\[|\]$/g, '')
  const socket = connect({
    host,
    port: Number(port) || usualPort,
    rejectUnauthorized: false,
    ...(isIP(host) === 0 && { servername: host }),
  })
  socket.on('error', () => {})
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(timeoutMs) })
    const certificate = socket.getPeerX509Certificate()
    if (!certificate) return unread(of, 'It shows no certificate')
    return { ...factsOf(of, certificate), is_accepted: socket.authorized }
  } catch (error) {
    return unread(of, reasonOf(error))
  } finally {
    socket.destroy()
  }
}

async function inFile(of: Certificate['of'], path: string): Promise<Certificate> {
  try {
    return { ...factsOf(of, new X509Certificate(await readFile(path))), is_accepted: null }
  } catch (error) {
    return unread(of, reasonOf(error))
  }
}

const factsOf = (of: Certificate['of'], { validFromDate, validToDate }: X509Certificate) => ({
  of,
  valid_from: validFromDate.toISOString(),
  valid_to: validToDate.toISOString(),
  trouble: null,
})

const unread = (of: Certificate['of'], trouble: string): Certificate => ({
  of,
  valid_from: null,
  valid_to: null,
  is_accepted: null,
  trouble,
})

const reasonOf = (error: unknown) => {
  const { code, name } = error as { code?: unknown; name?: string }
  return name === 'AbortError' ? `No answer within ${timeoutMs / 1000} s` : (failureWords(code) ?? 'It cannot be read')
}
