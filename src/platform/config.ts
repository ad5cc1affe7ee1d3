import { join, resolve } from 'node:path'
import { type AiConfig, readAi } from './config/ai.ts'
import { type AnchorsConfig, readAnchors } from './config/anchors.ts'
import { type ClamavAddress, readClamav } from './config/antivirus.ts'
import { type BootstrapConfig, readBootstrap } from './config/bootstrap.ts'
import { readDatabase } from './config/database.ts'
import { type EmbeddingsConfig, readEmbeddings } from './config/embeddings.ts'
import { type ErrorTrackerConfig, readErrorTracker } from './config/error-tracking.ts'
import { readKeys } from './config/keys.ts'
import { type MailConfig, readMail } from './config/mail.ts'
import { readMetrics } from './config/metrics.ts'
import { readCorsOrigins, readOutboundNetworks, readOutboundProxy, readTrustedProxies } from './config/network.ts'
import { type ProcessRole, type QueueName, readProcesses } from './config/processes.ts'
import { readStorage, type StorageConfig } from './config/storage.ts'
import { ConfigError, type Environment, variablesOf } from './config/variables.ts'
import { weaknessOf } from './crypto/secrets.ts'
import type { KeyPlace } from './crypto/signing-key.ts'
import { maxInstallationNumber } from './db/id-ranges.ts'
import type { Place } from './db/primary.ts'
import { type LogFormat, type LogLevel, logFormats, logLevels } from './log/log.ts'

export type { AiConfig } from './config/ai.ts'
export type { ClamavAddress } from './config/antivirus.ts'
export type { BootstrapConfig } from './config/bootstrap.ts'
export type { EmbeddingsConfig } from './config/embeddings.ts'
export type { Mailbox, MailConfig } from './config/mail.ts'
export type { GcpConfig, S3Config } from './config/storage.ts'
export { ConfigError, type Environment } from './config/variables.ts'

/** The whole configuration, read once at the start. docs/configuration.md explains each variable. */
export interface Config {
  environment: 'development' | 'production'
  host: string
  port: number
  data_dir: string
  upload_dir: string
  max_upload_bytes: number
  /** A PDF with more pages is refused, and its text not read. */
  max_pdf_pages: number
  /** The store of the files of records. */
  storage: StorageConfig
  /** Where the installation's own keys are. */
  keys: KeyPlace
  /** The virus scanner clamd; undefined if uploads are not scanned. */
  clamav: ClamavAddress | undefined
  /** Undefined for a PostgreSQL of our own below data_dir. */
  database_url: string | undefined
  migration_database_url: string | undefined
  /** The servers of which one takes changes; empty for the host of the URL. */
  database_hosts: readonly Place[]
  /** Off behind a pooler that lends a connection for a transaction alone. */
  database_prepared_statements: boolean
  secret_key: string
  /** The SECRET_KEY before it, to open what that one sealed. */
  secret_key_previous: string | undefined
  access_token_expire_minutes: number
  /** Failed log-ins within a quarter of an hour, above which a network address waits. */
  login_failures_per_address: number
  /** Off only for benches and tests: then nobody is refused for asking too often. */
  rate_limits: boolean
  /** The range of the ids of new records; undefined where they are small. */
  installation_number: number | undefined
  signature_reauth_minutes: number
  registration_enabled: boolean
  registration_tenant: string | undefined
  cors_origins: string[]
  /** Addresses and networks whose `X-Forwarded-` headers are believed. */
  trusted_proxies: string[]
  /** Private networks that requests to addresses of tenants may reach; by default none. */
  outbound_networks: string[]
  /** The proxy for them; undefined if they go out directly. */
  outbound_proxy: string | undefined
  /** Requests in flight above which the HTTP server answers 503 (SVC-09); Infinity without a cap. */
  limit_concurrency: number
  /** Processes that share the port. */
  web_concurrency: number
  /** What this process does. */
  process_roles: ReadonlySet<ProcessRole>
  /** The queues whose jobs it does. */
  job_queues: ReadonlySet<QueueName>
  docs_enabled: boolean
  /** The listener for Prometheus; undefined if no metrics are kept. */
  metrics: { host: string; port: number } | undefined
  log_format: LogFormat
  log_level: LogLevel
  release: string
  /** The language model of the assistant; undefined if there is none. */
  ai: AiConfig | undefined
  /** The most tokens that each tenant may use in a month, above its own limit; Infinity if only that one counts. */
  ai_monthly_tokens: number
  /** The embedding model of search by meaning; undefined if search is by words only. */
  embeddings: EmbeddingsConfig | undefined
  /** The mail server; undefined if no e-mail is sent. */
  mail: MailConfig | undefined
  /** Places outside of the database that keep checkpoints of the audit trail. */
  audit_anchors: AnchorsConfig
  /** The address of the service for people, without a slash at its end. Links in messages begin with it. */
  public_url: string | undefined
  /** Undefined if errors are not tracked; then the client is not even loaded (TRK-01). */
  error_tracker: ErrorTrackerConfig | undefined
  /** The first tenant and its Admin, created if there is no tenant yet. */
  bootstrap: BootstrapConfig | undefined
}

export function readConfig(env: Environment): Config {
  const variables = variablesOf(env)
  const { wrong, text, oneOf, whole, yes, endpoint } = variables
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

  const secret_key_previous = env.SECRET_KEY_PREVIOUS || undefined
  if (secret_key_previous !== undefined) {
    const weakness = weaknessOf(secret_key_previous)
    if (weakness) wrong.push(`SECRET_KEY_PREVIOUS ${weakness}`)
    else if (secret_key_previous === secret_key)
      wrong.push('SECRET_KEY_PREVIOUS is SECRET_KEY itself: remove it, or give the key that was in use before')
  }

  const cors_origins = readCorsOrigins(
    variables,
    environment === 'development' ? 'http://localhost:3000,http://127.0.0.1:3000' : '',
  )
  const storage = readStorage(variables)
  const keys = readKeys(variables, data_dir)
  const clamav = readClamav(variables)
  const database = readDatabase(variables)
  const limit_concurrency = whole('SERVER_LIMIT_CONCURRENCY', Number.POSITIVE_INFINITY, [1, 1_000_000])
  const ai = readAi(variables, limit_concurrency)
  const embeddings = readEmbeddings(variables, data_dir)
  const mail = readMail(variables)
  const audit_anchors = readAnchors(variables)
  const public_url = endpoint('PUBLIC_URL')?.replace(/\/+$/, '')
  const error_tracker = readErrorTracker(variables)
  const trusted_proxies = readTrustedProxies(variables)
  const outbound_networks = readOutboundNetworks(variables)
  const outbound_proxy = readOutboundProxy(variables)
  const processes = readProcesses(variables, database.database_url)
  const bootstrap = readBootstrap(variables)

  const rate_limits = oneOf('RATE_LIMITS', ['on', 'off'], 'on') === 'on'
  if (!rate_limits && environment === 'production')
    wrong.push(
      'RATE_LIMITS is off: in production somebody could guess passwords, or take the service away from all others',
    )
  const installation_number = whole('INSTALLATION_NUMBER', 0, [0, maxInstallationNumber]) || undefined

  const config: Config = {
    environment,
    host: text('HOST') ?? (environment === 'production' ? '0.0.0.0' : '127.0.0.1'),
    port: whole('PORT', 8000, [0, 65_535]),
    data_dir,
    upload_dir: resolve(text('UPLOAD_DIR') ?? join(data_dir, 'uploads')),
    max_upload_bytes: whole('MAX_UPLOAD_MB', 100, [1, 10_240]) * 1024 * 1024,
    max_pdf_pages: whole('MAX_PDF_PAGES', 5_000, [1, 1_000_000]),
    storage,
    keys,
    clamav,
    ...database,
    secret_key,
    secret_key_previous,
    access_token_expire_minutes: whole('ACCESS_TOKEN_EXPIRE_MINUTES', 480, [1, 10_080]),
    login_failures_per_address: whole('LOGIN_FAILURES_PER_ADDRESS', 100, [1, 1_000_000]),
    rate_limits,
    installation_number,
    signature_reauth_minutes: whole('SIGNATURE_REAUTH_MINUTES', environment === 'production' ? 0 : 15, [0, 1_440]),
    registration_enabled: yes('REGISTRATION_ENABLED'),
    registration_tenant: text('REGISTRATION_TENANT'),
    cors_origins,
    trusted_proxies,
    outbound_networks,
    outbound_proxy,
    limit_concurrency,
    ...processes,
    docs_enabled: yes('DOCS_ENABLED', 'true'),
    metrics: readMetrics(variables),
    log_format: oneOf('LOG_FORMAT', logFormats, environment === 'production' ? 'json' : 'text'),
    log_level: oneOf('LOG_LEVEL', logLevels, 'info'),
    release: text('BACKEND_RELEASE_SHA') ?? '',
    ai,
    ai_monthly_tokens: whole('AI_MONTHLY_TOKENS', Number.POSITIVE_INFINITY, [1, 1_000_000_000_000]),
    embeddings,
    mail,
    audit_anchors,
    public_url,
    error_tracker,
    bootstrap,
  }
  if (wrong.length > 0) throw new ConfigError(wrong)
  return config
}
