import { existsSync } from 'node:fs'

export type Environment = Record<string, string | undefined>

/** Configuration that cannot work: one line for each wrong variable (OPS-02). */
export class ConfigError extends Error {
  readonly lines: string[]
  constructor(lines: string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

export type Variables = ReturnType<typeof variablesOf>

/** The driver takes any other word for verify-full, or will take it for a mode that checks no certificate: nobody could tell which applies. */
const sslModes = ['disable', 'no-verify', 'verify-full']

function mistakesInTls(name: string, terms: URLSearchParams): string[] {
  const mode = terms.get('sslmode')
  if (mode !== null && !sslModes.includes(mode))
    return [
      `${name} has sslmode=${mode}: use verify-full, which checks the certificate of the server, or disable on a network that is trusted`,
    ]
  const files = ['sslrootcert', 'sslcert', 'sslkey'].map(term => [term, terms.get(term)] as const)
  return files
    .filter(([, path]) => path && !existsSync(path))
    .map(([term, path]) => `${name} has ${term}=${path}, and there is no such file`)
}

/** Reads the environment, and collects all mistakes, so that a person sees them at once. */
export function variablesOf(env: Environment) {
  const wrong: string[] = []
  const text = (name: string) => env[name]?.trim() || undefined
  const oneOf = <T extends string>(name: string, values: readonly T[], fallback: T): T => {
    const value = text(name) ?? fallback
    if (!values.includes(value as T))
      wrong.push(`${name} is ${JSON.stringify(value)}: it must be one of ${values.join(', ')}`)
    return value as T
  }
  const whole = (name: string, fallback: number, [min, max]: [number, number]) => {
    const value = text(name)
    if (value === undefined) return fallback
    const number = /^\d{1,15}$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= min && number <= max))
      wrong.push(`${name} is ${JSON.stringify(value)}: it must be a whole number from ${min} to ${max}`)
    return number
  }
  const share = (name: string, fallback: number) => {
    const value = text(name)
    if (value === undefined) return fallback
    const number = /^\d*\.?\d+$/.test(value) ? Number(value) : Number.NaN
    if (!(number >= 0 && number <= 1))
      wrong.push(`${name} is ${JSON.stringify(value)}: it must be a number from 0 to 1`)
    return number
  }
  const yes = (name: string, fallback: 'true' | 'false' = 'false') =>
    oneOf(name, ['true', 'false'], fallback) === 'true'
  const list = (name: string, fallback = '') =>
    (env[name] ?? fallback)
      .split(',')
      .map(each => each.trim())
      .filter(each => each !== '')
  const postgresUrl = (name: string) => {
    const value = text(name)
    // The value holds a password, so the line does not repeat it.
    const url = value !== undefined && URL.canParse(value) ? new URL(value) : undefined
    if (value === undefined) return undefined
    if (!url || !/^postgres(ql)?:$/.test(url.protocol)) wrong.push(`${name} is not a postgres:// URL`)
    else wrong.push(...mistakesInTls(name, url.searchParams))
    return value
  }
  const endpoint = (name: string) => {
    const value = text(name)
    if (value === undefined) return undefined
    const url = URL.canParse(value) ? new URL(value) : undefined
    if (!url || !/^https?:$/.test(url.protocol)) wrong.push(`${name} is not an http:// or https:// URL`)
    else if (url.username || url.password) wrong.push(`${name} must not hold a user name or a password`)
    else if (url.search || url.hash) wrong.push(`${name} must not have a query or a fragment`)
    return value
  }
  return { env, wrong, text, oneOf, whole, share, yes, list, postgresUrl, endpoint }
}
