import type { Variables } from './variables.ts'

export type ClamavAddress = { host: string; port: number } | { path: string }

const defaultPort = 3310

export function readClamav({ text, wrong }: Variables): ClamavAddress | undefined {
  const url = text('CLAMAV_URL')
  const address = url === undefined ? undefined : addressOf(url)
  if (url !== undefined && !address)
    wrong.push('CLAMAV_URL is neither of the form tcp://host:3310 nor of the form unix:/path/of/the/socket')
  return address
}

function addressOf(text: string): ClamavAddress | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname, port, pathname, username, search, hash } = new URL(text)
  if (username || search || hash) return undefined
  if (protocol === 'unix:' && hostname === '' && pathname.startsWith('/') && pathname.length > 1)
    return { path: decodeURIComponent(pathname) }
  if (protocol === 'tcp:' && hostname !== '' && pathname.length <= 1)
    return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? defaultPort : Number(port) }
  return undefined
}
