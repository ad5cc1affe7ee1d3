// The checks of `doctor`, before a start and while the service runs.
import { constants, existsSync } from 'node:fs'
import { access } from 'node:fs/promises'
import type { Socket } from 'node:net'
import { dirname } from 'node:path'
import { TLSSocket } from 'node:tls'
import type { ClientBase, Pool } from 'pg'
import type { Message } from '#kernel/message.ts'
import { countSecondFactors, hasPassword, hasTenant, tenantsWithoutConfigurationApproval } from '#modules/accounts'
import { countSealed } from '#modules/identity-providers'
import type { Problem } from '#modules/installation'
import { countPasskeys } from '#modules/passkeys'
import { type TextTrouble, troubleQuery } from '#modules/search'
import { listSigningKeys, readTrustedKeys } from '#modules/signatures'
import { anchorFailure } from '#platform/anchors/failure.ts'
import { openAnchorStores } from '#platform/anchors/open.ts'
import { openAntivirus } from '#platform/antivirus/open.ts'
import type { Config } from '#platform/config.ts'
import { deriveKeys } from '#platform/crypto/secrets.ts'
import { findKeys } from '#platform/crypto/signing-key.ts'
import type { Database } from '#platform/db/database.ts'
import { isolationExamined, refuseIfNotIsolated } from '#platform/db/isolation.ts'
import { describeMissing, howToMigrate, readMigrationState } from '#platform/db/migrate.ts'
import { openMailer } from '#platform/mail/mailer.ts'
import { openEmbeddings } from '#platform/models/open-embeddings.ts'
import { officePrograms } from '#platform/pdf/office.ts'
import { isInSystem, openSandbox } from '#platform/sandbox.ts'
import type { FileStorage } from '#platform/storage/storage.ts'
import { extractor_version } from '#platform/text-extraction/index.ts'
import { findOcr } from '#platform/text-extraction/ocr.ts'
import { quiet, Refusal } from '../command.ts'
import { examineIdentity, outdatedLine } from '../identity.ts'
import { lines } from './messages.ts'
import { checkProjections } from './projections.ts'
import type { Report } from './report.ts'

/** A start creates a missing folder, so its nearest existing parent must be writable. */
export async function refuseUnwritable(folder: string, variable: string) {
  let nearest = folder
  while (!existsSync(nearest)) nearest = dirname(nearest)
  await access(nearest, constants.W_OK | constants.X_OK).catch((error: NodeJS.ErrnoException) => {
    throw new Refusal(lines.doctor_folder_unwritable({ variable, folder, nearest, error: String(error.code) }))
  })
}

export async function checkServices(config: Config, report: Report) {
  const antivirus = await openAntivirus(config, quiet)
  if (antivirus) {
    await report.check(lines.doctor_about_virus_scanner(), async () => {
      await antivirus.check().catch((error: NodeJS.ErrnoException) => {
        throw new Refusal(lines.doctor_virus_scanner_silent({ error: error.code ?? error.message }))
      })
      return lines.doctor_virus_scanner_works()
    })
  }
  const mailer = openMailer(config, quiet)
  if (mailer) {
    await report.check(lines.doctor_about_mail_server(), async () => {
      await mailer.check().finally(() => mailer.close())
      const hasLogin = new URL(config.mail!.smtp_url).username !== ''
      return hasLogin ? lines.doctor_mail_server_works() : lines.doctor_mail_server_answers()
    })
  }
  for (const store of openAnchorStores(config))
    await report.check(lines.doctor_about_anchors(), async () => {
      await store.check().catch(error => {
        throw new Error(anchorFailure(store.name, error))
      })
      return lines.doctor_anchors_work({ store: store.name })
    })
  if (config.embeddings?.provider === 'onnx')
    await report.check(lines.doctor_about_embeddings(), async () => {
      await openEmbeddings(config)
      return lines.doctor_embeddings_installed()
    })
}

/** Whether the programs that read files of strangers are enclosed. Not every machine allows it, so it is no failure. */
export async function reportConverters({ data_dir, upload_dir, keys }: Config, report: Report) {
  const about = lines.doctor_about_converters()
  const programs = [officePrograms.some(existsSync) ? 'LibreOffice' : [], findOcr() ? 'Tesseract' : []].flat()
  if (programs.length === 0) return report.note(about, lines.doctor_converters_none())
  const sandbox = await openSandbox().state()
  if (sandbox.status === 'works') {
    const { signature, audit, previous_audit } = keys.files ?? {}
    const places = [data_dir, upload_dir, keys.folder, signature, audit, previous_audit].filter(
      each => each !== undefined,
    )
    const folders = [...new Set(places)].filter(isInSystem)
    return folders.length > 0
      ? report.note(about, lines.doctor_converters_see({ programs, folders }))
      : report.ok(about, lines.doctor_converters_enclosed({ programs }))
  }
  report.note(
    about,
    sandbox.status === 'missing'
      ? lines.doctor_converters_no_sandbox({ programs })
      : lines.doctor_converters_sandbox_refused({ programs, reason: sandbox.reason }),
  )
}

async function checkSecondFactors(config: Config, database: Database): Promise<Message> {
  const { current, previous, unreadable } = await countSecondFactors(database, deriveKeys(config))
  const has_previous = config.secret_key_previous !== undefined
  if (unreadable > 0) throw new Refusal(lines.doctor_second_factors_unreadable({ count: unreadable, has_previous }))
  if (previous > 0) throw new Refusal(lines.doctor_sealed_previous({ count: previous }))
  return lines.doctor_sealed({ count: current, has_previous })
}

async function checkPasskeys(config: Config, database: Database): Promise<Message> {
  const { current, previous, unreadable } = await countPasskeys(database, deriveKeys(config))
  const has_previous = config.secret_key_previous !== undefined
  if (unreadable > 0) throw new Refusal(lines.doctor_passkeys_unreadable({ count: unreadable, has_previous }))
  if (previous > 0) throw new Refusal(lines.doctor_sealed_previous({ count: previous }))
  return lines.doctor_sealed({ count: current, has_previous })
}

async function checkProviders(config: Config, database: Database): Promise<Message> {
  const { current, previous, secrets, links, altered } = await countSealed(database, deriveKeys(config))
  const has_previous = config.secret_key_previous !== undefined
  const faults = [
    ...(secrets > 0 ? [lines.doctor_provider_secrets_unreadable({ count: secrets, has_previous })] : []),
    ...(links > 0 ? [lines.doctor_provider_links_unreadable({ count: links, has_previous })] : []),
    ...(altered.length > 0 ? [lines.doctor_providers_altered({ providers: altered })] : []),
  ]
  if (faults.length > 0) throw new Refusal(faults)
  if (previous > 0) throw new Refusal(lines.doctor_sealed_previous({ count: previous }))
  return lines.doctor_providers({ count: current, has_previous })
}

/** Names the keys in the database that no key in use has confirmed: everybody who can write there could add one. */
async function checkSigningKeys({ keys }: Config, database: Database, report: Report) {
  const held = (await findKeys(keys, 'signature')).inUse
  if (!held) return
  await report.check(lines.doctor_about_signing_keys(), async () => {
    const [known, trusted] = await database.transaction({ tenantId: null, userId: null }, 'read only', async tx => [
      await listSigningKeys(tx),
      await readTrustedKeys(tx, [held]),
    ])
    const unknown = known.filter(({ public_key }) => !trusted.has(public_key)).map(({ key_id }) => key_id)
    if (unknown.length > 0) throw new Refusal(lines.doctor_signing_keys_unknown({ keys: unknown }))
    return lines.doctor_signing_keys_known({ count: known.length })
  })
}

const keysOf = {
  signature: { about: lines.doctor_about_signature(), command: 'signing-key rotate' },
  audit: { about: lines.doctor_about_audit(), command: 'audit-key rotate' },
} as const

/** Reports the problems that a start would refuse, in the same words, or else the keys that exist or would be made. */
export async function checkIdentity(
  config: Config,
  database: Database | undefined,
  storage: FileStorage | undefined,
  report: Report,
) {
  let seen: Awaited<ReturnType<typeof examineIdentity>> | undefined
  const installation = lines.doctor_about_installation()
  try {
    seen = await examineIdentity(config, database, storage)
  } catch (error) {
    report.failWith(installation, error)
    return
  }
  const { problems, records, around, outdated } = seen
  /** Whether there was a problem. */
  const reportProblems = (about: Message, what: Problem['about']) => {
    const found = problems.filter(problem => problem.about === what)
    for (const { line } of found) report.fail(about, [line])
    return found.length > 0
  }
  if (!reportProblems(installation, 'installation')) {
    if (records.installation) report.ok(installation, lines.doctor_installation({ installation: records.installation }))
    else report.note(installation, lines.doctor_installation_new())
  }
  for (const name of ['signature', 'audit'] as const) {
    const { about, command } = keysOf[name]
    if (reportProblems(about, name)) continue
    const inUse = around.keys.inUse[name]
    const isKnown = records.keys[name].some(({ public_key }) => public_key === inUse?.public_key)
    if (records.keys[name].length === 0)
      report.note(about, inUse ? lines.doctor_key_new({ key: inUse.key_id }) : lines.doctor_key_missing())
    else if (isKnown && inUse)
      await report.check(about, async () => {
        if ((await findKeys(config.keys, name)).next)
          throw new Refusal(lines.doctor_key_rotation_unfinished({ command }))
        return outdated.includes(name)
          ? outdatedLine(records, name, around.keys.fileOf(name))
          : lines.doctor_key_known({ key: inUse.key_id })
      })
  }
}

/** A company decides itself whether its configuration needs two people, so the setting is no failure where it is off. */
async function reportConfigurationApproval(database: Database, report: Report) {
  const about = lines.doctor_about_configuration_changes()
  const tenants = await tenantsWithoutConfigurationApproval(database)
  if (tenants.length === 0) report.ok(about, lines.doctor_configuration_approved())
  else report.note(about, lines.doctor_configuration_unapproved({ tenants }))
}

/** Informs about outdated texts, which stay in use until somebody has the files read again. */
async function reportTexts(query: Query, report: Report) {
  const { outdated, failed, waiting } = (await query(troubleQuery, [extractor_version])).rows[0] as TextTrouble
  const found = [
    [outdated, lines.doctor_texts_outdated],
    [failed, lines.doctor_texts_failed],
    [waiting, lines.doctor_texts_waiting],
  ] as const
  const troubles = found.filter(([count]) => count > 0).map(([count, line]) => line({ count }))
  for (const each of troubles.length > 0 ? troubles : [lines.doctor_texts_read()])
    report.note(lines.doctor_about_texts(), each)
}

/** What the service connects to, as whom, and how. */
export async function describeConnection(client: ClientBase, { database_url }: Config): Promise<Message> {
  const { rows } = await client.query<{ version: string; name: string }>(
    `select current_setting('server_version') as version, current_user as name`,
  )
  const { version, name } = rows[0]!
  if (name !== 'attest_app') throw new Refusal(lines.doctor_database_wrong_login({ login: name }))
  if (!database_url) return lines.doctor_database_embedded({ version })
  const { stream } = (client as unknown as { connection: { stream: Socket } }).connection
  return describeTls(database_url, version, stream)
}

/**
 * By the connection itself: a proxy may encrypt its own connection to the server alone, and NODE_TLS_REJECT_UNAUTHORIZED has Node accept a
 * certificate that it did not find good.
 */
function describeTls(url: string, version: string, socket: Socket): Message {
  const tls = socket instanceof TLSSocket ? socket.getProtocol() : null
  if (!tls) return lines.doctor_database_plain({ version })
  const is_verified = (socket as TLSSocket).authorized && new URL(url).searchParams.get('sslmode') !== 'no-verify'
  return lines.doctor_database_encrypted({ version, tls, is_verified })
}

/** Undefined if the database has another history. Migrations that a start would apply are not a failure. */
export async function checkMigrations(pool: Pool | ClientBase, mayMigrate: boolean, report: Report) {
  const about = lines.doctor_about_migrations()
  let state: Awaited<ReturnType<typeof readMigrationState>> | undefined
  try {
    state = await readMigrationState(pool)
  } catch (error) {
    report.failWith(about, error)
    return undefined
  }
  const { missing } = state
  if (missing.length === 0) report.ok(about, lines.doctor_migrations_applied())
  else if (mayMigrate) report.note(about, lines.doctor_migrations_waiting({ missing: describeMissing(state) }))
  else report.fail(about, [lines.doctor_migrations_missing({ missing: describeMissing(state), remedy: howToMigrate })])
  return state
}

/** A statement outside of any tenant. */
type Query = (text: string, values: unknown[]) => Promise<{ rows: unknown[] }>

export const checkIsolation = (pool: Pool | ClientBase, report: Report) =>
  report.check(lines.doctor_about_isolation(), async () => {
    await refuseIfNotIsolated(pool)
    return lines.doctor_isolation(isolationExamined)
  })

/** Whether there is a tenant already, so that the variables have no effect any more. */
export async function reportBootstrap(
  { username, password }: NonNullable<Config['bootstrap']>,
  database: Database,
  report: Report,
): Promise<boolean> {
  if (!(await hasTenant(database))) return false
  report.note(
    lines.doctor_about_first_tenant(),
    (await hasPassword(database, username, password))
      ? lines.doctor_first_tenant_password_in_use({ username })
      : lines.doctor_first_tenant_exists(),
  )
  return true
}

/** What is in the records, of every tenant: secrets that open, keys that are known, projections that match. */
export async function checkRecords(
  config: Config,
  database: Database,
  report: Report,
  query: Query,
  { projections_ms }: { projections_ms?: number } = {},
) {
  await report.check(lines.doctor_about_second_factors(), () => checkSecondFactors(config, database))
  await report.check(lines.doctor_about_passkeys(), () => checkPasskeys(config, database))
  await report.check(lines.doctor_about_identity_providers(), () => checkProviders(config, database))
  await checkSigningKeys(config, database, report)
  await checkProjections(database, report, projections_ms)
  await reportConfigurationApproval(database, report)
  await reportTexts(query, report)
}
