import { types } from 'node:util'

/** The replacement of a secret (specification, Scrubbing). */
const filtered = '[Filtered]'
const truncated = '[Truncated]'

const maxTextLength = 8_192
const maxCharacters = 500_000
const deepest = 12
const maxNodes = 10_000
const maxDecodings = 3

/** TRK-07, in the form that `squeezed` returns. */
const secretWords = ['password', 'token', 'secret', 'otp', 'code', 'authorization', 'apikey', 'email', 'cookie']
/** "Or the like" for headers (TRK-04). */
const secretHeaderWords = [...secretWords, 'auth', 'credential', 'session', 'csrf', 'xsrf', 'passw']

/** `apiKey`, `api-key` and `API_KEY` are one word. */
const squeezed = (name: string) =>
  name
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[-_.\s]/g, '')

/** `http.response.status_code` is one too. */
const isStatusCode = (name: string) => /(^|\.)status_code$/i.test(name)

/** True if the value of such a key or query parameter must not leave. */
export function isSecretKey(name: string) {
  if (isStatusCode(name)) return false
  const word = squeezed(name)
  return secretWords.some(each => word.includes(each))
}

function isSecretHeader(name: string) {
  const word = squeezed(name)
  return secretHeaderWords.some(each => word.includes(each))
}

/** Decodes repeatedly, because a text may be encoded several times. Undefined for an invalid encoding. */
function decoded(text: string): string | undefined {
  let now = text.replace(/\+/g, ' ')
  for (let times = 0; times < maxDecodings && now.includes('%'); times++) {
    try {
      const next = decodeURIComponent(now)
      if (next === now) break
      now = next
    } catch {
      return times === 0 ? undefined : now
    }
  }
  return now
}

/** Decodes as much as possible: a stray `%` must not hide the text around it. */
const decodedLeniently = (text: string) =>
  text.replace(/(?:%[\da-f]{2})+/gi, each => decoded(each) ?? Buffer.from(each.replaceAll('%', ''), 'hex').toString())

/** True for a URL or path below `/api/auth`, in any encoding (TRK-05). */
function isOfAuth(text: string) {
  if (!/auth|%/i.test(text)) return false
  const path = decodedLeniently(decodedLeniently(text.split(/[?#]/, 1)[0]!))
    .toLowerCase()
    .replace(/\\/g, '/')
    .replace(/\/(?:\.?\/)+/g, '/')
  const auth = /\/api\/auth(?:[/;]|$)/
  return auth.test(path) || auth.test(withoutDots(path))
}

function withoutDots(path: string) {
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop()
    else segments.push(segment)
  }
  return segments.join('/')
}

/** One of the parts of a query: `name=value`, or a name alone. */
function scrubPair(pair: string) {
  const at = pair.indexOf('=')
  const name = decoded(at < 0 ? pair : pair.slice(0, at))
  if (name === undefined) return filtered
  if (isSecretKey(name)) {
    // A name with separators in it may contain the value as well.
    return at < 0 || /[=&?;#]/.test(name) ? filtered : `${pair.slice(0, at)}=${filtered}`
  }
  if (at < 0) return pair
  const value = pair.slice(at + 1)
  const plain = decodedLeniently(value)
  return plain !== value && scrubText(plain) !== plain ? `${pair.slice(0, at)}=${filtered}` : pair
}

/** The part before all separators: a path, or the first pair of a query without `?`. */
function scrubHead(head: string) {
  const equals = head.indexOf('=')
  if (equals < 0) return head
  const nameAt = Math.max(...['/', ',', '(', '{', ':', '"', "'"].map(each => head.lastIndexOf(each, equals))) + 1
  return head.slice(0, nameAt) + scrubPair(head.slice(nameAt))
}

/** A word of a text, which may be any URL, or a query without one. */
function scrubWord(word: string) {
  if (!/[?#=&;]|\/\//.test(word)) return word
  const bare = word.replace(/\/\/[^/?#]*@/g, '//')
  const [head = '', ...rest] = (isOfAuth(bare) ? bare.split(/[?#]/, 1)[0]! : bare).split(/([?#&;])/)
  return scrubHead(head) + rest.map((part, index) => (index % 2 === 1 && part !== '' ? scrubPair(part) : part)).join('')
}

/** A member of an object in JSON, or a fragment of it in the message of a parser. */
const member = /((["'])([^"'\n]{1,100})\2\s*:\s*)("(?:[^"\\]|\\.)*"?|[^\s,}\]]+)/g

/**
 * Scrubs the URLs and queries in a text, and tokens, which are recognized by their form. Only a character that a request line cannot
 * contain ends a URL: a quote or a no-break space may be part of the secret.
 */
export function scrubText(text: string): string {
  const whole = text.length > maxTextLength ? `${text.slice(0, maxTextLength)}…` : text
  return whole
    .replace(/\b(Bearer|Basic)[ \t]+\S+/gi, `$1 ${filtered}`)
    .replace(/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, filtered)
    .replace(member, (all, start: string, _quote, key: string) => (isSecretKey(key) ? `${start}${filtered}` : all))
    .replace(/[^ \t\r\n]+/g, scrubWord)
}

/** Keys of queries and fragments, in spans and in the event itself. */
const isQueryKey = (key: string) => /(^|[._-])(query|query_string|search|fragment)$/i.test(key)

type Plain = null | boolean | number | string | Plain[] | { [key: string]: Plain }

/**
 * Copies plain data of bounded size, without calling getters or following prototypes. The value of a secret key is replaced, whatever it
 * is.
 */
class Copy {
  #nodes = 0
  #characters = 0
  readonly #above = new Set<object>()

  value(value: unknown, isAuth: boolean): Plain {
    if (++this.#nodes > maxNodes) return truncated
    if (typeof value === 'string') return this.#text(value)
    if (typeof value === 'number') return Number.isFinite(value) ? value : null
    if (typeof value === 'boolean' || value === null) return value
    if (typeof value === 'bigint') return value.toString().slice(0, 40)
    if (typeof value !== 'object') return `[${typeof value}]`
    if (this.#above.size >= deepest) return truncated
    if (types.isProxy(value)) return '[Proxy]'
    if (this.#above.has(value)) return '[Circular]'
    this.#above.add(value)
    try {
      if (Array.isArray(value)) return this.#list(value, isAuth)
      const prototype = Object.getPrototypeOf(value)
      if (prototype === Object.prototype || prototype === null) return this.#record(value, isAuth)
      return '[Object]'
    } finally {
      this.#above.delete(value)
    }
  }

  #text(text: string) {
    const scrubbed = scrubText(text)
    this.#characters += scrubbed.length
    return this.#characters > maxCharacters ? truncated : scrubbed
  }

  #list(list: unknown[], isAuth: boolean): Plain {
    // A list of two may be a parameter or a header.
    const [name] = list
    if (list.length === 2 && typeof name === 'string' && isSecretKey(decoded(name) ?? name)) return [name, filtered]
    return list.slice(0, maxNodes).map(each => this.value(each, isAuth))
  }

  #record(record: object, isOfAuthAbove: boolean): Plain {
    const entries = Object.entries(Object.getOwnPropertyDescriptors(record)).filter(
      ([key, { enumerable }]) => enumerable && key !== '__proto__',
    )
    const texts = entries.map(([, { value }]) => value).filter(value => typeof value === 'string')
    const isAuth = isOfAuthAbove || texts.some(text => text.length <= maxTextLength && isOfAuth(text))
    const copy: Record<string, Plain> = {}
    for (const [key, { value, get }] of entries) {
      if (this.#nodes > maxNodes) break
      if (get || value === undefined || typeof value === 'function') continue
      if (isAuth && isQueryKey(key)) continue
      // Keys may hold secrets too: headers, forms and queries make keys of what a client sends.
      const name = scrubText(key)
      if (isSecretKey(decoded(key) ?? key)) copy[name] = filtered
      else if (/(^|_)headers$/i.test(key)) copy[name] = this.#headers(value, isAuth)
      else copy[name] = this.value(value, isAuth)
    }
    return copy
  }

  /** TRK-04: removes a secret header with its name. */
  #headers(headers: unknown, isAuth: boolean): Plain {
    if (types.isProxy(headers)) return '[Proxy]'
    if (Array.isArray(headers)) {
      return this.value(
        headers.filter(pair => Array.isArray(pair) && typeof pair[0] === 'string' && !isSecretHeader(pair[0])),
        isAuth,
      )
    }
    if (typeof headers !== 'object' || headers === null) return filtered
    const kept = Object.entries(Object.getOwnPropertyDescriptors(headers)).filter(([name]) => !isSecretHeader(name))
    return this.value(Object.fromEntries(kept.map(([name, { value }]) => [name, value])), isAuth)
  }
}

/** The parts of an event that may leave. A part that a new version of the client adds is not sent until it is added here. */
const partsOfEvent = [
  'event_id',
  'type',
  'timestamp',
  'start_timestamp',
  'platform',
  'level',
  'logger',
  'server_name',
  'release',
  'environment',
  'transaction',
  'transaction_info',
  'tags',
  'user',
  'fingerprint',
  'sdk',
  'exception',
  'message',
  'logentry',
  'request',
  'contexts',
  'measurements',
  // Large parts come last, because there may be no room for them.
  'spans',
  'breadcrumbs',
  'extra',
]
/** Excludes bodies, cookies and the environment (TRK-03). */
const partsOfRequest = ['headers', 'method', 'query_string', 'url']
/** Excludes the values of variables and lines of the source (TRK-06). */
const partsOfFrame = ['abs_path', 'colno', 'filename', 'function', 'in_app', 'lineno', 'module']

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

const only = (record: unknown, parts: readonly string[]) =>
  isRecord(record)
    ? Object.fromEntries(
        parts.flatMap(part => {
          const value = Object.getOwnPropertyDescriptor(record, part)?.value
          return value === undefined ? [] : [[part, value]]
        }),
      )
    : undefined

function onlyPlainFrames(exceptions: unknown) {
  if (!isRecord(exceptions) || !Array.isArray(exceptions.values)) return undefined
  return {
    values: exceptions.values.slice(0, 50).map(each => {
      const { stacktrace, ...rest } = each as { stacktrace?: { frames?: unknown[] } }
      const frames = stacktrace?.frames?.slice(-100).map(frame => only(frame, partsOfFrame))
      return frames ? { ...rest, stacktrace: { frames } } : rest
    }),
  }
}

/**
 * A scrubbed copy of an event or transaction, of bounded size (specification, Scrubbing). Throws if it cannot be made, and then nothing
 * may be sent (TRK-08).
 */
export function scrubEvent(event: object): Record<string, unknown> {
  const parts = only(event, partsOfEvent)!
  const { request, exception } = parts
  const kept = {
    ...parts,
    ...(request !== undefined && { request: only(request, partsOfRequest) }),
    ...(exception !== undefined && { exception: onlyPlainFrames(exception) }),
  }
  const { url } = (kept.request ?? {}) as { url?: unknown }
  const isAuth = [url, parts.transaction].some(each => typeof each === 'string' && isOfAuth(each))
  return new Copy().value(kept, isAuth) as Record<string, unknown>
}
