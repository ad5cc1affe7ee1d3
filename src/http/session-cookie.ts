/** The prefix makes browsers refuse the cookie without Secure and Path=/, and from any other host of the domain. */
const name = '__Host-attest'
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict'

/** Without a lifetime: a browser that is closed has forgotten it. */
export const setCookie = (value: string | null) =>
  value === null ? `${name}=; ${attributes}; Max-Age=0` : `${name}=${value}; ${attributes}`

/** The value of the session's cookie; undefined without one. Two of them are nobody's: a browser never sends that. */
export function sessionCookieOf(header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const values = header
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${name}=`))
    .map(pair => pair.slice(name.length + 1))
  return values.length > 1 ? '' : values[0]
}
