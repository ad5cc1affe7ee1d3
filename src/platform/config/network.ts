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

/** An address, or a network by its prefix. A network of all addresses is refused, because then anybody could claim any address. */
function isNetwork(text: string) {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}
