import { lookup as lookUp, Resolver } from 'node:dns/promises'
import { request as requestPlainly } from 'node:http'
import { Agent, type RequestOptions, request } from 'node:https'
import { type BlockList, isIP, type Socket } from 'node:net'
import { connect } from 'node:tls'
import { isInNetworks, isPublicAddress, networkList } from './addresses.ts'
import { OutboundError } from './failure.ts'

/** A request to an address that a tenant configured. */
export interface OutboundRequest {
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string
  /** The largest answer that is read. */
  most_bytes: number
  /** From the look-up of the name to the end of the answer. */
  timeout_ms: number
}

/**
 * The one sender of requests that a tenant configured. It reaches public addresses alone, and networks that the operator allows: nobody
 * reads an inner service through us.
 */
export interface Outbound {
  /** Fails as OutboundError. A redirect is an answer like any other: it is not followed. */
  send(address: string, asked: OutboundRequest): Promise<Response>
  /** The texts of a name in the DNS; none if there are none, or no server answers. */
  readTexts(name: string): Promise<string[]>
}

export interface OutboundOptions {
  /** Private networks that tenants' requests may reach. */
  networks: readonly string[]
  /** The proxy that leads out of the operator's network, by CONNECT. */
  proxy?: string | undefined
  /** The certificates that are trusted instead of the machine's. */
  ca?: string | undefined
  /** DNS servers for texts instead of the machine's, as `127.0.0.1:5353`. */
  dns_servers?: readonly string[]
}

const maxLength = 2048
const lookup_ms = 2000

/** Only what no other protocol or user info could be hidden in. */
function parse(address: string): URL {
  const url = address.length <= maxLength && URL.canParse(address) ? new URL(address) : undefined
  const port = Number(url?.port || 443)
  if (url?.protocol !== 'https:' || url.username || url.password || (port !== 443 && port < 1024))
    throw new OutboundError('refused')
  return url
}

const within = async <T>(work: Promise<T>, ms: number): Promise<T> => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new OutboundError('timeout')), ms)
  return Promise.race([work, promise]).finally(() => clearTimeout(timer))
}

/** Every address of the name must be allowed: one that is not could be what the next look-up answers. */
async function addressOf({ hostname }: URL, networks: BlockList) {
  const host = hostname.replace(/^\[|\]$/g, '')
  const found =
    isIP(host) === 0
      ? await within(lookUp(host, { all: true, verbatim: true }), lookup_ms).catch(error => {
          throw error instanceof OutboundError ? error : new OutboundError('no_address')
        })
      : [{ address: host, family: isIP(host) }]
  const [first] = found
  if (!first) throw new OutboundError('no_address')
  if (!found.every(({ address }) => isPublicAddress(address) || isInNetworks(networks, address)))
    throw new OutboundError('not_public')
  return { host, ...first }
}

const tlsCodes = /^(ERR_TLS|ERR_SSL|CERT_|UNABLE_TO_|DEPTH_ZERO|SELF_SIGNED|EPROTO|HOSTNAME_MISMATCH)/

const failureOf = (error: Error & { code?: string }) =>
  error instanceof OutboundError ? error : new OutboundError(tlsCodes.test(error.code ?? '') ? 'tls' : 'unreachable')

/** A connection to the checked address through the proxy, which resolves no name itself. */
function tunnel(proxy: string, { address, port, signal }: { address: string; port: number; signal: AbortSignal }) {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const target = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`
  const { hostname, port: proxyPort } = new URL(proxy)
  const asked = requestPlainly({
    ...{ method: 'CONNECT', host: hostname, port: Number(proxyPort || 80), path: target, headers: { host: target } },
    ...{ agent: false, signal },
  })
  asked.on('connect', (answer, socket) => {
    if (answer.statusCode === 200) return resolve(socket)
    socket.destroy()
    reject(new OutboundError('unreachable'))
  })
  asked.on('response', answer => {
    answer.resume()
    reject(new OutboundError('unreachable'))
  })
  asked.on('error', reject)
  asked.end()
  return promise
}

/** To the checked address itself, so that a name that is bound to another one meanwhile gets no second look. */
async function exchange(
  url: URL,
  { host, address, family }: Awaited<ReturnType<typeof addressOf>>,
  { method = 'GET', headers = {}, body, most_bytes }: OutboundRequest,
  { ca, proxy, signal }: Pick<OutboundOptions, 'ca' | 'proxy'> & { signal: AbortSignal },
): Promise<Response> {
  const { promise, resolve, reject } = Promise.withResolvers<Response>()
  const tls = { ...(isIP(host) === 0 && { servername: host }), ...(ca !== undefined && { ca }) }
  const socket = proxy && (await tunnel(proxy, { address, port: Number(url.port || 443), signal }))
  const options: RequestOptions = {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-length': String(Buffer.byteLength(body)) }) },
    signal,
    ...tls,
    // No connection is kept, and no proxy of the environment is used.
    ...(socket
      ? { createConnection: () => connect({ ...tls, socket, ...(isIP(host) !== 0 && { host }) }) }
      : {
          agent: new Agent({ keepAlive: false }),
          lookup: (_name, { all }, done) => (all ? done(null, [{ address, family }]) : done(null, address, family)),
        }),
  }
  const sent = request(url, options, response => {
    const chunks: Buffer[] = []
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes <= most_bytes) return chunks.push(chunk)
      // At once: the end of the answer may have arrived already.
      reject(new OutboundError('too_large'))
      sent.destroy()
    })
    response.on('error', reject)
    response.on('end', () => {
      const status = response.statusCode ?? 0
      const kept = Object.entries(response.headers).flatMap(([name, value]): [string, string][] =>
        value === undefined || name === 'set-cookie' ? [] : [[name, [value].flat().join(', ')]],
      )
      if (status < 200 || status > 599) return reject(new OutboundError('unreachable'))
      resolve(new Response([204, 205, 304].includes(status) ? null : Buffer.concat(chunks), { status, headers: kept }))
    })
  })
  sent.on('socket', connected =>
    connected.once('connect', () => {
      if (!socket && connected.remoteAddress !== address) sent.destroy(new OutboundError('not_public'))
    }),
  )
  sent.on('error', reject)
  sent.end(body)
  return promise
}

export function openOutbound({ networks, ca, proxy, dns_servers }: OutboundOptions): Outbound {
  const allowed = networkList(networks)
  return {
    async send(address, asked) {
      const url = parse(address)
      const ended = new AbortController()
      const work = async () =>
        exchange(url, await addressOf(url, allowed), asked, { ca, proxy, signal: ended.signal }).catch(error => {
          throw failureOf(error)
        })
      try {
        return await within(work(), asked.timeout_ms)
      } finally {
        ended.abort()
      }
    },
    async readTexts(name) {
      const resolver = new Resolver({ timeout: lookup_ms, tries: 2 })
      if (dns_servers) resolver.setServers(dns_servers)
      return resolver.resolveTxt(name).then(
        texts => texts.map(parts => parts.join('')),
        () => [],
      )
    },
  }
}
