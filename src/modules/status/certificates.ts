import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { isIP } from 'node:net'
import { connect } from 'node:tls'
import type { Config } from '#platform/config.ts'
import { failureWords } from '#platform/failure-words.ts'
import type { Certificate } from './schema.ts'

const timeoutMs = 3000

/** The certificates that this process can see. A proxy shows people the one of PUBLIC_URL, and nothing here holds its key. */
export async function readCertificates({
  public_url,
  mail,
}: Pick<Config, 'public_url' | 'mail'>): Promise<Certificate[]> {
  const asked = [
    ...(public_url?.startsWith('https:') ? [shownAt('public_url', public_url, 443)] : []),
    ...(mail?.smtp_url.startsWith('smtps:') ? [shownAt('mail_server', mail.smtp_url, 465)] : []),
    ...(mail?.ca_file ? [inFile('mail_authority', mail.ca_file)] : []),
  ]
  return Promise.all(asked)
}

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
