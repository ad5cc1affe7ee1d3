import { isIP } from 'node:net'
import type { Variables } from './variables.ts'

export function readCorsOrigins({ list, wrong }: Variables, fallback: string): string[] {
  const origins = list('BACKEND_CORS_ORIGINS', fallback)
  for (const origin of origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      wrong.push(
        `BACKEND_CORS_ORIGINS has ${JSON.stringify(origin)}, which is not an origin such as https://qms.example`,
      )
  }
  return origins
}

export function readTrustedProxies({ list, wrong }: Variables): string[] {
  const proxies = list('TRUSTED_PROXIES')
  for (const proxy of proxies) {
    if (!isNetwork(proxy))
      wrong.push(
        `TRUSTED_PROXIES has ${JSON.stringify(proxy)}, which is neither an address nor a network such as 10.0.0.0/8`,
      )
  }
  return proxies
}

/** Private networks that requests configured by tenants may reach, as where the provider of a company is in its own network. */
export function readOutboundNetworks({ list, wrong }: Variables): string[] {
  const networks = list('OUTBOUND_NETWORKS')
  for (const network of networks) {
    if (!isNetwork(network))
      wrong.push(
        `OUTBOUND_NETWORKS has ${JSON.stringify(network)}, which is neither an address nor a network such as 10.20.0.0/16`,
      )
  }
  return networks
}

/** The proxy for requests that tenants configured; by its host and port, because it is asked in plain text. */
export function readOutboundProxy({ endpoint, wrong }: Variables): string | undefined {
  const proxy = endpoint('OUTBOUND_PROXY')
  if (proxy !== undefined && (!proxy.startsWith('http://') || new URL(proxy).pathname !== '/'))
    wrong.push(`OUTBOUND_PROXY is ${JSON.stringify(proxy)}: give it as http://HOST:PORT`)
  return proxy
}

/** An address, or a network by its prefix. A network of all addresses is refused, because then anybody could claim any address. */
function isNetwork(text: string) {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}
