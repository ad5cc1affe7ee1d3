// An installation with something of everything in it, and its commands as an operator runs them: real processes.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg, { type ClientConfig } from 'pg'
import { deleteContentJob } from '#modules/file-removals'
import { capas } from '../builders/capas.ts'
import { deviations } from '../builders/deviations.ts'
import { ok, papers } from '../builders/documents.ts'
import { environmentOfPrograms } from '../world/environment.ts'
import { emptyDatabase, urlsOf } from '../world/postgres.ts'
import { openWorld, password, pdf } from '../world/world.ts'
import { openCommands } from './commands.ts'

const main = resolve(import.meta.dirname, '../../../src/main.ts')
const killAtModule = resolve(import.meta.dirname, 'kill-at.ts')
export const secret_key = 'f0d1c2b3a495867718293a4b5c6d7e8f-test'

type Target = Awaited<ReturnType<typeof emptyDatabase>>
export type Environment = Record<string, string>

export async function openInstallation() {
  const folder = mkdtempSync(join(tmpdir(), 'attest-backup-'))
  const world = await openWorld({ SECRET_KEY: secret_key })
  const source: Environment = { DATA_DIR: world.folder, ...urlsOf(world.postgres) }
  const targets: Target[] = []
  const running = new Set<ChildProcess>()

  const typeOfRival = async () =>
    (
      await world.rows<{ id: string }>(
        `select t.id from document_types t join tenants n on n.id = t.tenant_id where n.slug = 'rival' and t.name = 'SOP'`,
      )
    )[0]!.id

  function begin(words: string[], environment: Environment, options: readonly string[] = []) {
    const env = { ...environmentOfPrograms(), SECRET_KEY: secret_key, PORT: '0', RATE_LIMITS: 'off', ...environment }
    const child = spawn(process.execPath, [...options, main, ...words], { env, stdio: ['ignore', 'pipe', 'pipe'] })
    running.add(child)
    child.once('close', () => running.delete(child))
    return child
  }
  const commands = openCommands(() => ({ SECRET_KEY: secret_key }))
  const run = (words: string[], environment: Environment) => commands.run(words, environment)
  /** The command is killed as it prints a line that matches. */
  async function killAt(pattern: RegExp, words: string[], environment: Environment) {
    const child = begin(words, { ...environment, KILL_AT: pattern.source }, ['--import', killAtModule])
    child.stdout!.resume()
    const [, signal] = await once(child, 'close')
    assert.equal(signal, 'SIGKILL', `it printed no line like ${pattern}`)
  }
  async function backUp(name: string, environment = source, ...options: string[]) {
    const to = join(folder, name)
    const { code, err } = await run(['backup', '--to', to, ...options], environment)
    assert.deepEqual([code, err], [0, ''])
    return to
  }
  /** An empty database on the server of this run, with an empty folder. */
  async function newTarget() {
    const target = await emptyDatabase()
    targets.push(target)
    const environment = { DATA_DIR: mkdtempSync(join(folder, 'target-')), ...urlsOf(target) }
    return { target, environment, uploads: join(environment.DATA_DIR, 'uploads') }
  }
  /** The content of a signed file goes; no other job is done. */
  async function removeFile(file: object) {
    const { id } = ok(await world.as('petra').post('/api/file-removals/', { ...file, reason: 'Unlawful' }))
    ok(await world.as('quinn').post(`/api/file-removals/${id}/approve`, { decision_reason: 'Agreed' }))
    const attempt = { number: 1, isLast: false, signal: new AbortController().signal }
    await deleteContentJob.run(world.services, { tenant_id: world.people.quinn!.tenant_id, id }, attempt)
  }
  async function fill() {
    const { upload, submitted, effective, addVersion, release } = papers(world)
    await upload({
      title: 'Tab\t, "quotes", back\\slash, {braces} and  ünïcode 𝄞',
      keywords: 'a b, {c}, "d", NULL, null',
    })
    await submitted()
    for (let n = 0; n < 3; n++) await effective({ title: `Cleaning of line ${n}` })
    const { id } = await effective({ title: 'Of two versions' })
    assert.equal((await addVersion(id)).statusCode, 201)
    await release(id)
    const witness = { document_id: id, version: '1.1', signature_type: 'witness', intent: 'Seen', password }
    const { id: seen } = ok(await world.as('quentin').post('/api/signatures/', witness))
    ok(await world.as('quinn').post(`/api/signatures/${seen}/void`, { reason: 'Signed by mistake', password }))
    // Signed, with a file, as everything that is restored is looked at again.
    const { put, inState } = deviations(world)
    const pending = await inState('pending_approval', { severity: 'major' })
    const photo = { bytes: pdf('photo'), name: 'photo.pdf' }
    ok(await world.as('petra').upload(`/api/deviations/${pending.id}/attachments`, {}, photo))
    const scan = { bytes: pdf('names a patient'), name: 'scan.pdf' }
    const wrong = ok(await world.as('petra').upload(`/api/deviations/${pending.id}/attachments`, {}, scan))
    ok(await put('quentin', pending.id, { status: 'closed', change_reason: 'Complete' }))
    await removeFile({ attachment_id: wrong.id })
    await removeFile({ document_id: id, version: '1.0' })
    await capas(world).inState('closed')
    await upload({ title: 'With a text' }, { bytes: Buffer.from('It speaks of hygrometers.'), name: 'text.txt' })
    await world.work()
    await upload({ by: 'rob', type: 'SOP', document_type: String(await typeOfRival()) })
  }

  const close = async () => {
    await commands.close()
    for (const child of running) {
      child.kill('SIGKILL')
      await once(child, 'close')
    }
    for (const target of targets) await target.drop()
    await world.close()
    rmSync(folder, { recursive: true, maxRetries: 20, retryDelay: 100 })
  }

  await fill()
  return { world, folder, source, begin, run, killAt, backUp, newTarget, close }
}
export type Installation = Awaited<ReturnType<typeof openInstallation>>

export async function rowsOf<T extends object = object>(config: ClientConfig, statement: string): Promise<T[]> {
  const client = new pg.Client(config)
  await client.connect()
  try {
    return (await client.query<T>(statement)).rows
  } finally {
    await client.end()
  }
}

/** The server sees a client that was killed when it next looks for it. */
export async function untilAlone(config: ClientConfig) {
  const others = `select pid from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'`
  while ((await rowsOf(config, others)).length > 0) await setTimeout(20)
}

/** A restored trail goes on in another epoch: these say so, and an entry in each tenant. */
const ofEpochs = ['audit_epochs', 'audit_logs', 'audit_pending', 'audit_entries_id_seq']

/** Everything that a restore is to bring back: rows by their own text, what guards them, and what the sequences give out next. */
/** A restore counts it up, which ends all sessions. */
const withoutVersion = `(to_jsonb(t) - 'session_version')::text`

export async function pictureOf(config: ClientConfig) {
  const client = new pg.Client({ ...config, options: '-c timezone=UTC' })
  await client.connect()
  try {
    const { rows: tables } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace and relname <> 'migrations'`,
    )
    const rows: Record<string, string> = {}
    for (const { name } of tables.filter(({ name }) => !ofEpochs.includes(name))) {
      const { rows: sum } = await client.query<{ sum: string }>(
        `select count(*) || ' ' || coalesce(md5(string_agg(row, '|' order by row collate "C")), '') as sum
         from ${name} t, lateral (select ${name === 'credentials' ? withoutVersion : 't::text'} as row) r
         where to_jsonb(t) ->> 'action' is distinct from 'audit.epoch_started'`,
      )
      rows[name] = sum[0]!.sum
    }
    const { rows: sequences } = await client.query<{ name: string }>(
      `select relname as name from pg_class where relkind = 'S' and relnamespace = 'public'::regnamespace`,
    )
    const next: Record<string, string> = {}
    for (const { name } of sequences.filter(({ name }) => !ofEpochs.includes(name))) {
      const { rows: at } = await client.query<{ next: string }>(
        `select last_value + case when is_called then 1 else 0 end as next from ${name}`,
      )
      next[name] = at[0]!.next
    }
    // Those of the queue differ by the day on which it made its tables.
    const { rows: guards } = await client.query(
      `with t as (select * from pg_class where relnamespace = 'public'::regnamespace)
       select tgrelid::regclass::text as on, tgname as name, tgenabled::text as how, pg_get_triggerdef(pg_trigger.oid) as what
         from pg_trigger join t on t.oid = tgrelid where not tgisinternal
       union all select conrelid::regclass::text, conname, convalidated::text, pg_get_constraintdef(pg_constraint.oid) from pg_constraint join t on t.oid = conrelid
       union all select oid::regclass::text, relname, relrowsecurity::text || relforcerowsecurity::text, coalesce(relacl::text, '') from t where relkind = 'r'
       order by 1, 2, 3, 4`,
    )
    return { rows, next, guards }
  } finally {
    await client.end()
  }
}
