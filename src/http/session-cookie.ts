import type { BrowserCookies } from '#action/cookie-answer.ts'

/** The prefix makes browsers refuse the cookie without Secure and Path=/, and from any other host of the domain. */
const name = '__Host-attest'
const attributes = 'Path=/; Secure; HttpOnly; SameSite=Strict'

/** Lax, because the provider sends the browser back from another site. */
const loginName = '__Host-attest-login'
const loginAttributes = 'Path=/; Secure; HttpOnly; SameSite=Lax'
/** As long as a log-in may take. */
const login_seconds = 600

/** Without a lifetime: a browser that is closed has forgotten it. */
const sessionCookie = (value: string | null) =>
  value === null ? `${name}=; ${attributes}; Max-Age=0` : `${name}=${value}; ${attributes}`

const loginCookie = (value: string | null) =>
  `${loginName}=${value ?? ''}; ${loginAttributes}; Max-Age=${value === null ? 0 : login_seconds}`

export const setCookies = ({ session, login }: BrowserCookies): string[] => [
  ...(session === undefined ? [] : [sessionCookie(session)]),
  ...(login === undefined ? [] : [loginCookie(login)]),
]

/** Two of them are nobody's: a browser never sends that. */
function cookieOf(cookie: string, header: string | undefined): string | undefined {
  if (header === undefined) return undefined
  const values = header
    .split(';')
    .map(pair => pair.trim())
    .filter(pair => pair.startsWith(`${cookie}=`))
    .map(pair => pair.slice(cookie.length + 1))
  return values.length > 1 ? '' : values[0]
}

/** The value of the session's cookie; undefined without one. */
export const sessionCookieOf = (header: string | undefined) => cookieOf(name, header)

/** The value of the cookie of a log-in that has begun; undefined without one. */
export const loginCookieOf = (header: string | undefined) => cookieOf(loginName, header)
