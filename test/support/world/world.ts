import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { registerAuditKey, sealNow, tenantsToSeal } from '#modules/audit'
import type { Schedule } from '#modules/jobs'
import { registerSigningKey } from '#modules/signatures'
import { readConfig } from '#platform/config.ts'
import { issueToken } from '#platform/crypto/jwt.ts'
import { openSigningKey } from '#platform/crypto/signing-key.ts'
import { Database } from '#platform/db/database.ts'
import { openPool } from '#platform/db/pool.ts'
import { createLog } from '#platform/log/log.ts'
import { openMailer } from '#platform/mail/mailer.ts'
import type { Embeddings } from '#platform/models/embeddings.ts'
import { openLanguageModel } from '#platform/models/language-model.ts'
import type { Outbound } from '#platform/outbound/send.ts'
import { openPdfRenderer } from '#platform/pdf/rendition.ts'
import { openStorage, type Patience } from '#platform/storage/open.ts'
import { openTextExtractor } from '#platform/text-extraction/index.ts'
import type { Replaced } from '../../../src/app.ts'
import { openService } from '../../../src/commands/service.ts'
import { knowTexts } from './known-texts.ts'
import { makePdfHere } from './make-pdf.ts'
import { peopleOfWorld } from './people.ts'
import { cloneDatabase, type Plans, quiet } from './postgres.ts'
import { undocumentedCodesIn } from './refusals.ts'

/** Everybody's password. */
export const password = 'Correct horse 1 battery'

type Payload = object | undefined

/** A small PDF that is one: what a test uploads where the content does not matter. `text` makes it another file. */
export const pdf = (text = 'Attest') =>
  Buffer.from(
    `%PDF-1.4\n%\u00e2\u00e3\u00cf\u00d3\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n% ${text}\ntrailer<</Root 1 0 R>>\n%%EOF\n`,
    'latin1',
  )

/**
 * The whole service on a database of its own, with two tenants and people with names: see people.ts. Everybody's token is fresh
 * unless `logged_in` says how many seconds ago; the clock stands on the machine's until a test moves it.
 */
export async function openWorld(
  environment: Record<string, string> = {},
  {
    through,
    patience,
    outbound,
    embeddings,
    plans,
    ...replaced
  }: {
    through?: (app: pg.ClientConfig) => Promise<pg.ClientConfig>
    patience?: Patience
    outbound?: Outbound
    embeddings?: Embeddings
    plans?: Plans
  } & Replaced = {},
) {
  const postgres = await cloneDatabase({ withPeople: true, ...(plans && { plans }) })
  const folder = mkdtempSync(join(tmpdir(), 'attest-world-'))
  const config = readConfig({
    SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-test',
    DATA_DIR: folder,
    LOG_LEVEL: 'debug',
    LOG_FORMAT: 'json',
    // Only tests of the limits ask as often as a person could not.
    RATE_LIMITS: 'off',
    ...environment,
  })
  const lines: Record<string, unknown>[] = []
  const log = createLog({ format: 'json', level: config.log_level, write: line => lines.push(JSON.parse(line)) })
  const clock = { moved_ms: 0, now: () => new Date(Date.now() + clock.moved_ms) }
  const database = new Database(openPool({ ...postgres.app, ...(await through?.(postgres.app)) }, quiet))
  const keys = join(folder, 'keys')
  const mailer = openMailer(config, log, { first_wait_ms: 20, longest_wait_ms: 100, patience_ms: 2000 })
  const outside = {
    clock,
    database,
    storage: await openStorage(config, patience),
    signingKey: await openSigningKey(keys),
    auditKey: await openSigningKey(keys, 'audit'),
    previousAuditKey: undefined,
    pdf: openPdfRenderer({ make: makePdfHere }),
    texts: knowTexts(openTextExtractor({ max_pdf_pages: config.max_pdf_pages })),
    languageModel: openLanguageModel(config, log.child({ logger: 'attest.model' }), {
      circuit: { first_wait_ms: 50, longest_wait_ms: 200, patience_ms: 0 },
      retry_ms: 5,
    }),
    mailer,
    ...(outbound && { outbound }),
    ...(embeddings && { embeddings }),
  }
  await registerSigningKey(database, outside.signingKey)
  await registerAuditKey(database, outside.auditKey)
  const app = await openService(config, log, { outside, ...replaced })
  const { services } = app
  // Sees every tenant's rows: what a test looks at, never what the application uses. Connected last, because nobody closes the connections of
  // a world that could not be opened, and this one would keep its process from ending.
  const superuser = new pg.Client(postgres.superuser)
  await superuser.connect()
  const people = await peopleOfWorld(superuser)

  /** To sign one takes as long as to answer many a request: what is asked for within a second is one token. */
  const tokens = new Map<string, { of: string; token: Promise<string> }>()
  const tokenOf = (name: string, { logged_in = 0 } = {}) => {
    const { id, tenant_id, session_version } = people[name]!
    const now = clock.now()
    const auth_time = Math.floor(now.getTime() / 1000) - logged_in
    const claims = { sub: String(id), ...(tenant_id !== 1 && { tid: tenant_id }), auth_time, amr: ['pwd'] }
    const of = `${tenant_id} ${id} ${session_version} ${auth_time}`
    const key = `${name} ${logged_in}`
    const known = tokens.get(key)
    if (known?.of === of) return known.token
    const token = issueToken(services.keys.jwt, { ...claims, ver: session_version }, { lifetime_seconds: 28_800, now })
    tokens.set(key, { of, token })
    return token
  }
  const refused: string[] = []
  const withoutCode: string[] = []
  const request = async (
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    url: string,
    { payload, headers }: { payload?: Payload | Buffer; headers: Record<string, string> },
  ) => {
    const reply = await app.server.inject({ method, url, headers, ...(payload && { payload }) })
    const { statusCode, body } = reply
    if (statusCode === 403) refused.push(`${method} ${url}: ${body}`)
    if (statusCode >= 400 && statusCode < 500 && undocumentedCodesIn(body).length > 0)
      withoutCode.push(`${method} ${url}: ${statusCode} ${body}`)
    return reply
  }
  /** Every test is a test of this: an attempt that is refused for want of authority has its entry (21 CFR 11.10(g), AUD-01). */
  async function requireDenials() {
    if (refused.length === 0) return
    const [denials] = await rows<{ count: number }>(
      `select count(*)::int from audit_entries where action in ('access.denied', 'signature.denied')`,
    )
    if (denials!.count < refused.length)
      throw new Error(`only ${denials!.count} of these left an entry: ${JSON.stringify(refused)}`)
  }
  /** And of this: each refusal has a code that docs/messages.md lists. */
  function requireCodes() {
    if (withoutCode.length > 0)
      throw new Error(`${withoutCode.length} refusals have no documented code: ${withoutCode.slice(0, 20).join('\n')}`)
  }

  /** `as('quinn').post(...)`; `options.logged_in` seconds ago. */
  const as = (name: string, options: { logged_in?: number } = {}) => {
    const send = async (
      method: 'GET' | 'POST' | 'PUT' | 'DELETE',
      url: string,
      payload?: Payload,
      headers: Record<string, string> = {},
    ) =>
      request(method, url, {
        payload,
        headers: { authorization: `Bearer ${await tokenOf(name, options)}`, ...headers },
      })
    return {
      get: (url: string, headers?: Record<string, string>) => send('GET', url, undefined, headers),
      post: (url: string, payload?: object, headers?: Record<string, string>) => send('POST', url, payload, headers),
      put: (url: string, payload?: object, headers?: Record<string, string>) => send('PUT', url, payload, headers),
      delete: (url: string, payload?: object) => send('DELETE', url, payload),
      /** A form; of `file` its bytes and its name. */
      async upload(
        url: string,
        fields: Record<string, string | number>,
        file: { bytes: Buffer; name: string } | undefined = { bytes: pdf(), name: 'procedure.pdf' },
      ) {
        const form = new FormData()
        for (const [field, value] of Object.entries(fields)) form.append(field, String(value))
        if (file) form.append('file', new Blob([new Uint8Array(file.bytes)]), file.name)
        const encoded = new Response(form)
        return request('POST', url, {
          payload: Buffer.from(await encoded.arrayBuffer()),
          headers: {
            authorization: `Bearer ${await tokenOf(name, options)}`,
            'content-type': encoded.headers.get('content-type')!,
          },
        })
      },
    }
  }

  /** One round of a schedule, at the moment that the world's clock shows. */
  const round = (schedule: Schedule) => schedule.round(services, new AbortController().signal)
  /** One round of every schedule. */
  const tick = async () => {
    for (const schedule of app.schedules) {
      const { failed } = await round(schedule)
      if (failed > 0) throw new Error(`${schedule.name} failed: ${JSON.stringify(lines.at(-1))}`)
    }
  }

  /**
   * Runs the background work that was asked for, until nothing of it is due by the world's clock. A failure is an error, unless
   * it is expected: then the result is returned.
   */
  const work = async ({ mayFail = false } = {}) => {
    await services.loginLimits.linkWork.settled()
    const went = await app.background.runPending(Math.round(clock.moved_ms / 1000))
    if (went.failed > 0 && !mayFail) throw new Error(`queued work failed: ${JSON.stringify(lines.at(-1))}`)
    return went
  }

  /** Gives every entry of the audit trail its place, whoever's it is. */
  const seal = async () => {
    for (const { tenant_id } of await tenantsToSeal(database)) await sealNow(services, tenant_id)
  }

  /** Rows of any table, of every tenant. */
  const rows = async <T extends object = Record<string, unknown>>(text: string, values: unknown[] = []) =>
    (await superuser.query<T>(text, values)).rows

  /** The id of a document type of acme by its name. */
  const typeId = async (name: string) =>
    Number(
      (
        await rows<{ id: string }>(
          'select t.id from document_types t join tenants n on n.id = t.tenant_id where n.slug = $1 and t.name = $2',
          ['acme', name],
        )
      )[0]!.id,
    )

  const close = async () => {
    const defect = await requireDenials()
      .then(requireCodes)
      .then(
        () => undefined,
        (error: Error) => error,
      )
    await app.close()
    mailer?.close()
    await outside.storage.close?.()
    await database.close()
    await superuser.end()
    await postgres.drop()
    rmSync(folder, { recursive: true })
    // The variable of a suite lives as long as the process that it shares with others, and would hold a service of 12 MB.
    for (const name of Object.keys(world)) if (!isKept.has(name)) Reflect.deleteProperty(world, name)
    if (defect) throw defect
  }
  const world = {
    app,
    server: app.server,
    postgres,
    superuser,
    database,
    services,
    clock,
    round,
    tick,
    work,
    seal,
    people,
    lines,
    folder,
    as,
    tokenOf,
    rows,
    typeId,
    close,
  }
  return world
}
/** Properties that a test may still read after `close`. None of them leads to the service. */
const isKept = new Set(['people', 'lines', 'folder'])
export type World = Awaited<ReturnType<typeof openWorld>>
