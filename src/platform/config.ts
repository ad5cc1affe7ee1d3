import { existsSync } from 'node:fs'
import { isIP } from 'node:net'
import { isAbsolute, join, resolve } from 'node:path'
import { weaknessOf } from './crypto/secrets.ts'
import { type LogFormat, type LogLevel, logFormats, logLevels } from './log/log.ts'
import { isAddress } from './mail/address.ts'

/** The whole configuration, read once at the start. The README's table says the same in words. */
export interface Config {
  environment: 'development' | 'production'
  host: string
  port: number
  data_dir: string
  upload_dir: string
  max_upload_bytes: number
  /** Where the files of records are kept. */
  storage: StorageConfig
  /** Where clamd looks at what is uploaded; undefined where nobody does. */
  clamav: ClamavAddress | undefined
  /** Without one, a PostgreSQL of our own below data_dir. */
  database_url: string | undefined
  migration_database_url: string | undefined
  secret_key: string
  access_token_expire_minutes: number
  signature_reauth_minutes: number
  registration_enabled: boolean
  registration_tenant: string | undefined
  cors_origins: string[]
  /** Addresses and networks whose `X-Forwarded-` headers are believed. */
  trusted_proxies: string[]
  /** Requests in flight above which the HTTP server answers 503 by itself (SVC-09); Infinity where there is no cap. */
  limit_concurrency: number
  /** Processes that share the port. */
  web_concurrency: number
  docs_enabled: boolean
  log_format: LogFormat
  log_level: LogLevel
  release: string
  /** Where the assistant's model is asked; undefined where there is none. */
  ai: AiConfig | undefined
  /** What each tenant may take of models in a month, whatever its own settings say; Infinity where only they do. */
  ai_monthly_tokens: number
  /** What makes the vectors of search by meaning; undefined: search is by words alone. */
  embeddings: EmbeddingsConfig | undefined
  /** How messages leave; undefined: nobody is told anything by e-mail. */
  mail: MailConfig | undefined
  /** Where checkpoints of the audit trail are kept outside of the database. */
  audit_anchors: { folders: string[]; mailboxes: string[] }
  /** Where people open records, without a slash at its end: links in messages begin with it. */
  public_url: string | undefined
  /** Undefined: errors are not tracked, and what would track them is not even loaded (TRK-01). */
  error_tracker: { dsn: string; traces_sample_rate: number } | undefined
  /** The first tenant and its Admin, made where there is no tenant yet. */
  bootstrap: { tenant: string; username: string; email: string; password: string } | undefined
}

const aiProviders = ['none', 'openai', 'anthropic', 'openai-compatible'] as const

export interface AiConfig {
  provider: Exclude<(typeof aiProviders)[number], 'none'>
  model: string
  /** Without one, the provider's own. */
  base_url: string | undefined
  api_key: string | undefined
  /** For one answer, all tries at it together. */
  timeout_ms: number
  /** Calls that a process has under way. */
  most_at_once: number
  /** Tokens of one answer. */
  most_output_tokens: number
  /** Of one question, with what it is to be answered from. */
  most_input_tokens: number
}

export interface MailConfig {
  /** Holds a password. */
  smtp_url: string
  /** `required`: nothing is said before the connection is encrypted and the server's certificate is verified. */
  tls: 'required' | 'none'
  /** Certificates of those who sign the server's, where they are not publicly known. */
  ca_file: string | undefined
  from: Mailbox
}

export interface Mailbox {
  name: string
  address: string
}

export type EmbeddingsConfig =
  | { provider: 'builtin' }
  | {
      provider: 'openai' | 'openai-compatible'
      model: string
      base_url: string
      api_key: string | undefined
      dimensions: number
      /** Shorter ones than the model's own are made by some if they are asked to. */
      asks_for_dimensions: boolean
    }
  /** A model on the disk, in the layout of Hugging Face, below `folder`. */
  | { provider: 'onnx'; model: string; folder: string; dimensions: number }

export type ClamavAddress = { host: string; port: number } | { path: string }

export type StorageConfig = { type: 'local' } | S3Config | GcpConfig

export interface S3Config {
  type: 's3'
  bucket: string
  region: string
  /** Without one, that of AWS for the region. */
  endpoint: string | undefined
  access_key_id: string
  secret_access_key: string
}

export interface GcpConfig {
  type: 'gcp'
  bucket: string
  project: string | undefined
  /** Without one, Google's. */
  api_endpoint: string | undefined
}

/** Configuration that cannot work: one line for each wrong variable (OPS-02). */
export class ConfigError extends Error {
  readonly lines: string[]
  constructor(lines: string[]) {
    super(lines.join('\n'))
    this.lines = lines
  }
}

const workingDsn = /^https?:\/\/\w+(:\w*)?@(\[[:.\da-f]+\]|[\w.-]+)(:\d{1,5})?(\/[\w.-]+)*\/\d+$/i

export function readConfig(env: Record<string, string | undefined>): Config {
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
  const list = (name: string) =>
    (text(name) ?? '')
      .split(',')
      .map(each => each.trim())
      .filter(each => each !== '')
  const postgresUrl = (name: string) => {
    const value = text(name)
    // The value holds a password, so the line does not repeat it.
    if (value !== undefined && !(URL.canParse(value) && /^postgres(ql)?:$/.test(new URL(value).protocol)))
      wrong.push(`${name} is not a postgres:// URL`)
    return value
  }

  const environment = oneOf('ENVIRONMENT', ['development', 'production'], 'development')
  const data_dir = resolve(text('DATA_DIR') ?? 'data')
  const secret_key = env.SECRET_KEY ?? ''
  if (secret_key === '')
    wrong.push(
      'SECRET_KEY is not set: give it 32 random bytes or more, for example the output of: openssl rand -base64 48',
    )
  else {
    const weakness = weaknessOf(secret_key)
    if (weakness) wrong.push(`SECRET_KEY ${weakness}`)
  }

  const cors_origins = (
    env.BACKEND_CORS_ORIGINS ?? (environment === 'development' ? 'http://localhost:3000,http://127.0.0.1:3000' : '')
  )
    .split(',')
    .map(origin => origin.trim())
    .filter(origin => origin !== '')
  for (const origin of cors_origins) {
    if (!URL.canParse(origin) || new URL(origin).origin !== origin)
      wrong.push(
        `BACKEND_CORS_ORIGINS has ${JSON.stringify(origin)}, which is not an origin such as https://qms.example`,
      )
  }

  const storage_type = oneOf('STORAGE_TYPE', ['local', 's3', 'gcp'], 'local')
  const needed = (name: string) => {
    const value = text(name)
    if (value === undefined) wrong.push(`${name} is not set: STORAGE_TYPE=${storage_type} needs it`)
    return value ?? ''
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
  const readStorage = (): StorageConfig => {
    if (storage_type === 's3') {
      const s3_endpoint = endpoint('S3_ENDPOINT')
      return {
        type: 's3',
        bucket: needed('S3_BUCKET'),
        // Stores other than that of AWS have one region, and its usual name.
        region: s3_endpoint ? (text('S3_REGION') ?? 'us-east-1') : needed('S3_REGION'),
        endpoint: s3_endpoint,
        access_key_id: needed('S3_ACCESS_KEY_ID'),
        secret_access_key: needed('S3_SECRET_ACCESS_KEY'),
      }
    }
    if (storage_type === 'gcp') {
      // The library reads it by itself, and would say so with the first file.
      const credentials = text('GOOGLE_APPLICATION_CREDENTIALS')
      if (credentials && !existsSync(credentials))
        wrong.push('GOOGLE_APPLICATION_CREDENTIALS names a file that is not there')
      return {
        type: 'gcp',
        bucket: needed('GCP_BUCKET'),
        project: text('GCP_PROJECT'),
        api_endpoint: endpoint('GCP_API_ENDPOINT'),
      }
    }
    return { type: 'local' }
  }
  const storage = readStorage()

  const clamav_url = text('CLAMAV_URL')
  const clamav = clamav_url === undefined ? undefined : clamavAddress(clamav_url)
  if (clamav_url !== undefined && !clamav)
    wrong.push('CLAMAV_URL is neither of the form tcp://host:3310 nor of the form unix:/path/of/the/socket')

  const database_url = postgresUrl('DATABASE_URL')
  const migration_database_url = postgresUrl('MIGRATION_DATABASE_URL')
  if (migration_database_url && !database_url) wrong.push('MIGRATION_DATABASE_URL is set without DATABASE_URL')

  const limit_concurrency = whole('SERVER_LIMIT_CONCURRENCY', Number.POSITIVE_INFINITY, [1, 1_000_000])
  const readAi = (): AiConfig | undefined => {
    const provider = oneOf('AI_PROVIDER', aiProviders, 'none')
    const model = text('AI_MODEL')
    const base_url = endpoint('AI_BASE_URL')?.replace(/\/+$/, '')
    const api_key = text('AI_API_KEY')
    const timeout_ms = whole('AI_TIMEOUT_SECONDS', 60, [1, 600]) * 1000
    // A model that hangs holds as many requests; of those that the server takes, it leaves most to everything else.
    const usual_at_once = Math.max(1, Math.min(8, Math.floor(limit_concurrency / 4)))
    const most_at_once = whole('AI_MAX_CONCURRENCY', usual_at_once, [1, 1000])
    const most_output_tokens = whole('AI_MAX_OUTPUT_TOKENS', 4000, [1, 100_000])
    const most_input_tokens = whole('AI_MAX_INPUT_TOKENS', 24_000, [2_000, 1_000_000])
    if (provider === 'none') {
      // Said in so many words, it switches off what else is set.
      if (text('AI_PROVIDER')) return undefined
      for (const name of ['AI_MODEL', 'AI_BASE_URL', 'AI_API_KEY'])
        if (text(name)) wrong.push(`${name} is set without AI_PROVIDER`)
      return undefined
    }
    if (!aiProviders.includes(provider)) return undefined
    if (!model) wrong.push(`AI_MODEL is not set: AI_PROVIDER=${provider} needs it`)
    if (provider === 'openai-compatible' && !base_url)
      wrong.push(`AI_BASE_URL is not set: AI_PROVIDER=${provider} needs it`)
    if (provider !== 'openai-compatible' && !api_key)
      wrong.push(`AI_API_KEY is not set: AI_PROVIDER=${provider} needs it`)
    // The value is a key, so the line does not repeat it.
    if (api_key && !/^[\x21-\x7e]+$/.test(api_key)) wrong.push('AI_API_KEY holds what cannot be in a header')
    if (most_at_once >= limit_concurrency && limit_concurrency > 1)
      wrong.push(
        `AI_MAX_CONCURRENCY is ${most_at_once}: it must be less than SERVER_LIMIT_CONCURRENCY, or a model that hangs stops everything`,
      )
    return {
      provider,
      model: model ?? '',
      base_url,
      api_key,
      timeout_ms,
      most_at_once,
      most_output_tokens,
      most_input_tokens,
    }
  }
  const ai = readAi()

  const readEmbeddings = (): EmbeddingsConfig | undefined => {
    const provider = oneOf('EMBEDDINGS_PROVIDER', embeddingsProviders, 'builtin')
    const model = text('EMBEDDINGS_MODEL')
    const base_url = endpoint('EMBEDDINGS_BASE_URL')
    const api_key = text('EMBEDDINGS_API_KEY')
    const folder = text('EMBEDDINGS_FOLDER')
    const given = whole('EMBEDDINGS_DIMENSIONS', 0, [16, 4096])
    const need = <T>(name: string, value: T | undefined): T | undefined => {
      if (value === undefined) wrong.push(`${name} is not set: EMBEDDINGS_PROVIDER=${provider} needs it`)
      return value
    }
    const dimensions = given || openaiDimensions[model ?? ''] || undefined
    if (provider === 'onnx') {
      const found = {
        model: need('EMBEDDINGS_MODEL', model),
        folder: need('EMBEDDINGS_FOLDER', folder),
        dimensions: need('EMBEDDINGS_DIMENSIONS', dimensions),
      }
      if (folder && model && !existsSync(join(folder, model, 'config.json')))
        wrong.push('EMBEDDINGS_FOLDER has no folder of the name of EMBEDDINGS_MODEL with a config.json in it')
      return { provider, model: found.model ?? '', folder: found.folder ?? '', dimensions: found.dimensions ?? 0 }
    }
    if (provider === 'openai' || provider === 'openai-compatible') {
      if (provider === 'openai') need('EMBEDDINGS_API_KEY', api_key)
      else need('EMBEDDINGS_BASE_URL', base_url)
      return {
        provider,
        model: need('EMBEDDINGS_MODEL', model) ?? '',
        base_url: base_url ?? 'https://api.openai.com/v1',
        api_key,
        dimensions: need('EMBEDDINGS_DIMENSIONS', dimensions) ?? 0,
        asks_for_dimensions: provider === 'openai' && given > 0,
      }
    }
    return provider === 'none' ? undefined : { provider }
  }
  const embeddings = readEmbeddings()

  const readMail = (): MailConfig | undefined => {
    const smtp_url = text('SMTP_URL')
    const ca_file = text('SMTP_CA_FILE')
    const sender = text('MAIL_FROM')
    const from = sender === undefined ? undefined : mailboxOf(sender)
    if (sender !== undefined && !from)
      wrong.push('MAIL_FROM is neither an address nor of the form Name <address@qms.example>')
    if (ca_file && !existsSync(ca_file)) wrong.push('SMTP_CA_FILE names a file that is not there')
    const { protocol, hostname = '', username, password } = smtp_url && URL.canParse(smtp_url) ? new URL(smtp_url) : {}
    const isNear = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
    const tls = oneOf('SMTP_TLS', ['required', 'none'], isNear ? 'none' : 'required')
    if (smtp_url === undefined) return undefined
    // The value may hold a password, so the line does not repeat it.
    if (!/^smtps?:$/.test(protocol ?? '') || !hostname) wrong.push('SMTP_URL is not an smtp:// or smtps:// URL')
    else if (!isDecodable(`${username}${password}`))
      wrong.push('SMTP_URL has a user name or a password that is not percent-encoded')
    if (sender === undefined) wrong.push('MAIL_FROM is not set: SMTP_URL needs it')
    return { smtp_url, tls: protocol === 'smtps:' ? 'required' : tls, ca_file, from: from ?? { name: '', address: '' } }
  }
  const mail = readMail()

  const audit_anchors: Config['audit_anchors'] = { folders: [], mailboxes: [] }
  const anchors = list('AUDIT_ANCHOR')
  for (const anchor of anchors) {
    const [, kind, place = ''] = /^(folder|mail):(.+)$/.exec(anchor) ?? []
    if (kind === 'folder' && isAbsolute(place)) audit_anchors.folders.push(resolve(place))
    else if (kind === 'mail' && isAddress(place)) audit_anchors.mailboxes.push(place)
    else if (anchor !== 'none' || anchors.length > 1)
      wrong.push(
        `AUDIT_ANCHOR has ${JSON.stringify(anchor)}: it must be none, or folder:/absolute/path and mail:qa@example.com with commas between them`,
      )
  }
  if (audit_anchors.mailboxes.length > 0 && !mail) wrong.push('AUDIT_ANCHOR names a mailbox, which needs SMTP_URL')

  const public_url = endpoint('PUBLIC_URL')?.replace(/\/+$/, '')

  const dsn = text('ERRORTRACKER_DSN')
  // The client would only log that it sends nothing. The value holds a key, so the line does not repeat it.
  if (dsn && !(URL.canParse(dsn) && workingDsn.test(dsn)))
    wrong.push('ERRORTRACKER_DSN is not a DSN such as https://KEY@tracker.example/1')
  const traces_sample_rate = share('ERRORTRACKER_TRACES_SAMPLE_RATE', 0.1)

  const trusted_proxies = list('TRUSTED_PROXIES')
  for (const proxy of trusted_proxies) {
    if (!isNetwork(proxy))
      wrong.push(
        `TRUSTED_PROXIES has ${JSON.stringify(proxy)}, which is neither an address nor a network such as 10.0.0.0/8`,
      )
  }

  const web_concurrency = whole('WEB_CONCURRENCY', 1, [1, 64])
  if (web_concurrency > 1 && !database_url)
    wrong.push(
      `WEB_CONCURRENCY is ${web_concurrency} without DATABASE_URL: the embedded PostgreSQL belongs to one process`,
    )

  const first = {
    tenant: text('BOOTSTRAP_TENANT'),
    username: text('BOOTSTRAP_ADMIN_USERNAME'),
    email: text('BOOTSTRAP_ADMIN_EMAIL'),
    password: env.BOOTSTRAP_ADMIN_PASSWORD || undefined,
  }
  const given = Object.values(first).filter(value => value !== undefined).length
  if (given > 0 && given < 4) {
    const names = {
      tenant: 'BOOTSTRAP_TENANT',
      username: 'BOOTSTRAP_ADMIN_USERNAME',
      email: 'BOOTSTRAP_ADMIN_EMAIL',
      password: 'BOOTSTRAP_ADMIN_PASSWORD',
    }
    for (const key of Object.keys(names) as (keyof typeof names)[])
      if (first[key] === undefined) wrong.push(`${names[key]} is not set, although other BOOTSTRAP_ variables are`)
  }

  const config: Config = {
    environment,
    host: text('HOST') ?? (environment === 'production' ? '0.0.0.0' : '127.0.0.1'),
    port: whole('PORT', 8000, [0, 65_535]),
    data_dir,
    upload_dir: resolve(text('UPLOAD_DIR') ?? join(data_dir, 'uploads')),
    max_upload_bytes: whole('MAX_UPLOAD_MB', 100, [1, 10_240]) * 1024 * 1024,
    storage,
    clamav,
    database_url,
    migration_database_url,
    secret_key,
    access_token_expire_minutes: whole('ACCESS_TOKEN_EXPIRE_MINUTES', 480, [1, 10_080]),
    signature_reauth_minutes: whole('SIGNATURE_REAUTH_MINUTES', 15, [0, 1_440]),
    registration_enabled: yes('REGISTRATION_ENABLED'),
    registration_tenant: text('REGISTRATION_TENANT'),
    cors_origins,
    trusted_proxies,
    limit_concurrency,
    web_concurrency,
    docs_enabled: yes('DOCS_ENABLED', 'true'),
    log_format: oneOf('LOG_FORMAT', logFormats, environment === 'production' ? 'json' : 'text'),
    log_level: oneOf('LOG_LEVEL', logLevels, 'info'),
    release: text('BACKEND_RELEASE_SHA') ?? '',
    ai,
    ai_monthly_tokens: whole('AI_MONTHLY_TOKENS', Number.POSITIVE_INFINITY, [1, 1_000_000_000_000]),
    embeddings,
    mail,
    audit_anchors,
    public_url,
    error_tracker: dsn ? { dsn, traces_sample_rate } : undefined,
    bootstrap: given === 4 ? (first as NonNullable<Config['bootstrap']>) : undefined,
  }
  if (wrong.length > 0) throw new ConfigError(wrong)
  return config
}

const embeddingsProviders = ['none', 'builtin', 'openai', 'openai-compatible', 'onnx'] as const

/** How long their vectors are, unless EMBEDDINGS_DIMENSIONS asks for shorter ones. */
const openaiDimensions: Record<string, number> = {
  'text-embedding-3-small': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-ada-002': 1536,
}

const usual_clamav_port = 3310

function clamavAddress(text: string): ClamavAddress | undefined {
  if (!URL.canParse(text)) return undefined
  const { protocol, hostname, port, pathname, username, search, hash } = new URL(text)
  if (username || search || hash) return undefined
  if (protocol === 'unix:' && hostname === '' && pathname.startsWith('/') && pathname.length > 1)
    return { path: decodeURIComponent(pathname) }
  if (protocol === 'tcp:' && hostname !== '' && pathname.length <= 1)
    return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? usual_clamav_port : Number(port) }
  return undefined
}

const isDecodable = (text: string) => {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}

/** Neither part can hold what would begin another header or another recipient. */
function mailboxOf(text: string): Mailbox | undefined {
  const [, name = '', bracketed, plain] = /^(?:(.*?)\s*<([^<>]*)>|([^<>]*))$/.exec(text) ?? []
  const address = bracketed ?? plain ?? ''
  if (!isAddress(address) || /[\p{Cc}<>]/u.test(name)) return undefined
  return { name: name.replace(/^"(.*)"$/, '$1'), address }
}

/** An address, or a network by its prefix. One that is everybody is none: anybody could then say where they come from. */
function isNetwork(text: string) {
  const [address = '', prefix, ...rest] = text.split('/')
  const version = isIP(address)
  if (version === 0 || rest.length > 0) return false
  return prefix === undefined || (/^[1-9]\d{0,2}$/.test(prefix) && Number(prefix) <= (version === 4 ? 32 : 128))
}
