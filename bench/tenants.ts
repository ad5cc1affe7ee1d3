// Whether a company waits longer because there are many others on the same installation.
//
//   node bench/tenants.ts [--tenants 1000] [--documents 1000] [--large 500000] [--rounds 40]
//
// Two databases on one server: one company alone with so many documents, and the same company among so many others of its size and one
// with `large`. Each question is asked of both in turn; the ratios of their processor times and of the time that passed are printed, and
// must stay below 1.3. The time that passed includes other processes of the server that help with an answer, and who else is at work on
// the machine. Then a round of each schedule, and the memory of this process, which does the work of the service. Documents have a
// passage of some twenty words each.
import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { ClientConfig } from 'pg'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { loadNow } from './questions.ts'
import { median } from './service.ts'

const { values: given } = parseArgs({
  options: {
    tenants: { type: 'string', default: '1000' },
    documents: { type: 'string', default: '1000' },
    large: { type: 'string', default: '500000' },
    rounds: { type: 'string', default: '40' },
  },
})
const [tenants, documents, large, rounds] = [given.tenants, given.documents, given.large, given.rounds].map(Number) as [
  number,
  number,
  number,
  number,
]
const longest = 1.3
const at_once = 50_000
const first_id = 1_000
const filled = [
  ...['documents', 'document_versions', 'document_texts', 'document_index', 'document_chunks'],
  ...['deviations', 'deviation_index'],
]
/** More than the rows of the copied company in any table. */
const moved_by = 100_000

/**
 * Copies of the second company with all that each one begins with: roles, people, types, workflows, forms, templates. The ids of its rows
 * are moved by the same distance in each table, and so are those that point at them.
 */
async function addCompanies({ superuser, people }: World, count: number): Promise<number[]> {
  const model = people.rex!.tenant_id
  const { rows: tables } = await superuser.query<{ name: string; columns: { name: string; is_moved: boolean }[] }>(
    `select c.relname as name, jsonb_agg(jsonb_build_object('name', a.attname, 'is_moved', a.attname = 'id' or exists (
        select from pg_constraint k where k.contype = 'f' and k.conrelid = c.oid and cardinality(k.conkey) > 1 and a.attnum = any (k.conkey)))) as columns
      from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and c.relname !~ '^audit_'
        and exists (select from pg_attribute t where t.attrelid = c.oid and t.attname = 'tenant_id')
      group by c.oid, c.relname`,
  )
  await superuser.query('set session_replication_role = replica')
  const added = `generate_series(1, ${count}) k`
  const namedBy = (name: string) => `left(${name}, 20) || '-' || k`
  await superuser.query(
    `insert into tenants (id, name, slug, settings) overriding system value
     select ${first_id} + k, ${namedBy('name')}, ${namedBy('slug')}, settings from tenants, ${added} where id = $1`,
    [model],
  )
  for (const { name: table, columns } of tables) {
    const values = columns.map(({ name, is_moved }) => {
      if (name === 'tenant_id') return `${first_id} + k`
      if (table === 'users' && ['username', 'email'].includes(name)) return namedBy(`r.${name}`)
      return is_moved ? `r.${name} + ${moved_by}::bigint * k` : `r.${name}`
    })
    const names = columns.map(({ name }) => `"${name}"`).join(', ')
    await superuser.query(
      `insert into ${table} (${names}) overriding system value select ${values.join(', ')} from ${table} r, ${added} where r.tenant_id = $1`,
      [model],
    )
  }
  await superuser.query('reset session_replication_role')
  return Array.from({ length: count }, (_, place) => first_id + place + 1)
}

interface Filling {
  tenant: number
  from: number
  to: number
}

/** Texts by their number, in a table of the superuser's connection: each company has the same ones, and their words take the longest to make. */
async function makeTexts({ superuser }: World, count: number) {
  await superuser.query('create temporary table texts (n integer primary key, title text, body text, words tsvector)')
  await superuser.query(
    `insert into texts select n, title, body, chunk_words('eng', '', body) from generate_series(1, $1::integer) n
      cross join lateral (select (array['Cleaning', 'Filling', 'Weighing', 'Sampling', 'Labelling', 'Storage', 'Training', 'Calibration'])[1 + n % 8]
        || ' of line ' || n % 97 || ' room ' || n % 331 as title) t
      cross join lateral (select 'The operator rinses vessel ' || n % 613 || ' twice with purified water, records batch ' || n || ' and pressure ' || n % 89
        || ' in the log of ' || title || ', and informs quality assurance about each deviation' as body) b`,
    [count],
  )
}

/** Documents with their texts, and a deviation for ten of them; triggers sleep. */
async function fill({ superuser }: World, some: readonly Filling[]) {
  const values = [some.map(({ tenant }) => tenant), some.map(({ from }) => from), some.map(({ to }) => to)]
  const made = `with made as (
    select f.tenant, n, f.tenant * 10000000 + n as id, p.id as person, t.id as type, t.workflow_template_id as workflow,
      t.prefix || '-' || lpad(n::text, 6, '0') as number, texts.title, texts.body, texts.words,
      case n % 20 when 0 then 'draft' when 1 then 'obsolete' else 'effective' end as status,
      case n % 20 when 0 then 'initial' when 1 then 'final' else 'effective' end as kind, date '2016-01-01' + n % 3650 as dated
    from unnest($1::bigint[], $2::integer[], $3::integer[]) f (tenant, low, high)
      join lateral (select id from users u where u.tenant_id = f.tenant order by id limit 1) p on true
      join texts on texts.n between f.low and f.high
      join (select *, row_number() over (partition by tenant_id order by id) - 1 as place, count(*) over (partition by tenant_id) as types
        from document_types) t on t.tenant_id = f.tenant and t.place = n % t.types)`
  const statements = [
    `insert into documents (tenant_id, id, number, document_type_id, owner_id, created_by, updated_by, effective_version_id, latest_version_id)
      overriding system value select tenant, id, number, type, person, person, person, case when kind = 'effective' then id end, id from made`,
    `insert into document_versions (tenant_id, id, document_id, major, minor, change_type, title, category, keywords, file_key, file_name,
        file_size, content_type, sha256, workflow_template_id, workflow_template_version, status, status_kind, created_by, effective_at, effective_date)
      overriding system value select tenant, id, id, 1, 0, 'major', title, 'Production', '{}', 'none/' || id, 'file.md', 1000, 'text/markdown',
        repeat('0', 64), workflow, 1, status, kind, person, case when kind <> 'initial' then dated end, case when kind <> 'initial' then dated end from made`,
    `insert into document_texts (tenant_id, version_id, document_id, status, extractor, language, pages, characters, extracted_at)
      select tenant, id, id, 'extracted', 1, 'eng', 1, 200, now() from made`,
    `insert into document_index (tenant_id, version_id, document_id, number, title, document_type_id, category, status, status_kind, owner_id, created_by,
        listed_on, is_shown, is_restricted, content_revision, words)
      select tenant, id, id, number, plain_words(title), type, 'Production', status, kind, person, person, dated, true, false, 1,
        words || label_words(number, title, '{}', null) from made`,
    `insert into document_chunks (tenant_id, version_id, position, page, heading, body, words)
      select tenant, id, 0, 1, '', body, words from made`,
    `insert into deviations (tenant_id, id, number, title, description, severity, status, category, department, detected_at, reported_at, reported_by,
        due_date, original_due_date, closed_at, closed_by)
      overriding system value select tenant, id, 'DEV-2024-' || lpad(n::text, 6, '0'), title, body, 'minor', case when n % 50 = 0 then 'open' else 'closed' end, 'process', 'Production',
        dated, dated, person, dated + 30, dated + 30, case when n % 50 > 0 then dated + 20 end, case when n % 50 > 0 then person end
      from made where n % 10 = 0`,
    `insert into deviation_index (tenant_id, deviation_id, title, words, items, severity, category, content_revision)
      select tenant, id, plain_words(title), words || to_tsvector('english_unaccented', title), '{}', 'minor', 'process', 1 from made where n % 10 = 0`,
  ]
  for (const statement of statements) await superuser.query(`${made} ${statement}`, values)
}

/** Indexes that no constraint needs are made at the end, which takes a tenth of the time. */
async function fillAll(world: World, all: readonly Filling[]) {
  const { superuser } = world
  await superuser.query("set session_replication_role = replica; set maintenance_work_mem = '1GB'")
  await makeTexts(world, Math.max(...all.map(({ to }) => to)))
  const { rows: indexes } = await superuser.query<{ name: string; definition: string }>(
    `select indexname as name, indexdef as definition from pg_indexes
      where tablename = any ($1) and schemaname = 'public' and indexdef not like 'CREATE UNIQUE %'`,
    [filled],
  )
  for (const { name } of indexes) await superuser.query(`drop index ${name}`)
  let batch: Filling[] = []
  let rows = 0
  for (const each of [...all, undefined]) {
    if (batch.length > 0 && (!each || rows + each.to - each.from > at_once)) {
      await fill(world, batch)
      batch = []
      rows = 0
    }
    if (each) {
      batch.push(each)
      rows += each.to - each.from + 1
    }
  }
  for (const { definition } of indexes) await superuser.query(definition)
  await superuser.query('reset session_replication_role')
  await superuser.query('vacuum analyze')
}

const inParts = (tenant: number, count: number): Filling[] =>
  Array.from({ length: Math.ceil(count / at_once) }, (_, part) => ({
    tenant,
    from: part * at_once + 1,
    to: Math.min(count, (part + 1) * at_once),
  }))

const questions: Record<string, (round: number) => string> = {
  'list of documents': () => '/api/documents/',
  'list of drafts': () => '/api/documents/?status=draft',
  'list by a word': round => `/api/documents/?q=room+${round * 7}`,
  'list of deviations': () => '/api/deviations/',
  'list of deviations by words': round => `/api/deviations/?q=calib+vessel+${round * 7}`,
  'find by name': round => `/api/find?q=line+${round}`,
  'search, frequent words': () => '/api/search/?q=operator+water',
  'search, a rare word': round => `/api/search/?q=batch+${100 + round * 20}`,
  'search, a phrase': () => '/api/search/?q=%22purified+water%22',
  'search, the beginning of a word': () => '/api/search/?q=calib*',
  'search, two typing errors': () => '/api/search/?q=calibraton+pressuer',
  'search, a title': round => `/api/search/?q=calibration+of+line+${round}`,
  'dashboard, statistics': () => '/api/dashboard/stats',
  'dashboard, assigned': () => '/api/dashboard/assigned-items',
  'dashboard, pending approvals': () => '/api/dashboard/pending-approvals',
  'dashboard, overdue': () => '/api/dashboard/overdue-items',
  'audit trail': () => '/api/audit/',
  notifications: () => '/api/notifications/',
}

/** Of processor time of this process and of the server's, whoever else is busy; and how long it took. */
interface Taken {
  cpu_ms: number
  wall_ms: number
}

async function take(world: World, work: () => Promise<unknown>): Promise<Taken> {
  const { rows } = await world.superuser.query<{ pid: number }>(
    "select pid from pg_stat_activity where datname = current_database() and usename = 'attest_app'",
  )
  const ofServer = () =>
    rows.reduce((sum, { pid }) => sum + Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6, 0)
  const [server_ms, own, begun] = [ofServer(), process.cpuUsage(), performance.now()]
  await work()
  const wall_ms = performance.now() - begun
  const { user, system } = process.cpuUsage(own)
  return { cpu_ms: ofServer() - server_ms + (user + system) / 1000, wall_ms }
}

const ask = (world: World, path: string) =>
  take(world, async () => {
    const reply = await world.as('quinn').get(path)
    if (reply.statusCode !== 200) throw new Error(`${path}: ${reply.statusCode} ${reply.body}`)
  })

const resident = () => Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))![1]) / 1024

/** Of all backends of the server together: what was asked is in their caches, and nothing of it grows with the companies. */
async function sizeOf({ superuser, postgres }: World): Promise<number> {
  const { rows } = await superuser.query<{ bytes: string }>('select pg_database_size($1) as bytes', [
    (postgres.app as ClientConfig).database,
  ])
  return Math.round(Number(rows[0]!.bytes) / 1024 / 1024)
}

const server = await openTestServer({ settings: { shared_buffers: '1GB' } })
await server.addPeopled(addPeople)
const alone = await openWorld({ LOG_LEVEL: 'warning' })
const among = await openWorld({ LOG_LEVEL: 'warning' })
try {
  const own = (world: World) => inParts(world.people.quinn!.tenant_id, documents)
  await fillAll(alone, own(alone))
  const begun = performance.now()
  const others = await addCompanies(among, tenants - 1)
  console.log(`${tenants} companies, after ${((performance.now() - begun) / 1000).toFixed(0)} s`)
  await fillAll(among, [
    ...own(among),
    ...others.flatMap(tenant => inParts(tenant, documents)),
    ...inParts(among.people.rob!.tenant_id, large),
  ])
  console.log(
    `${tenants * documents + large} documents, after ${((performance.now() - begun) / 1000).toFixed(0)} s: ${await sizeOf(among)} MiB, alone ${await sizeOf(alone)} MiB`,
  )
  for (const world of [alone, among]) await world.tick()

  console.log(
    `${loadNow()}\n\n${'processor, ms, median'.padEnd(34)}   alone   among   ratio  ratio of the time that passed`,
  )
  const slow: string[] = []
  for (const [name, question] of Object.entries(questions)) {
    const times = new Map<World, Taken[]>([
      [alone, []],
      [among, []],
    ])
    for (let round = -3; round < rounds; round++)
      for (const world of round % 2 === 0 ? [alone, among] : [among, alone]) {
        const took = await ask(world, question(Math.max(0, round)))
        if (round >= 0) times.get(world)!.push(took)
      }
    const of = (what: keyof Taken) => [alone, among].map(world => median(times.get(world)!.map(each => each[what])))
    const [one, other] = of('cpu_ms') as [number, number]
    const [passed, passedAmong] = of('wall_ms') as [number, number]
    if (Math.max(other / one, passedAmong / passed) > longest) slow.push(name)
    const figures = [one.toFixed(1), other.toFixed(1), (other / one).toFixed(2), (passedAmong / passed).toFixed(2)]
    console.log(`${name.padEnd(34)}${figures.map(each => each.padStart(8)).join('')}`)
  }

  console.log(`\n${'a round of a schedule, ms'.padEnd(34)}   alone   among`)
  const sums = [0, 0]
  for (const schedule of among.app.schedules) {
    const took: number[] = []
    for (const [place, world] of [alone, among].entries()) {
      const same = world.app.schedules.find(({ name }) => name === schedule.name)!
      const { cpu_ms } = await take(world, () => world.round(same))
      took.push(cpu_ms)
      sums[place]! += (cpu_ms * 60) / schedule.every_minutes
    }
    console.log(`${schedule.name.padEnd(34)}${took.map(each => each.toFixed(1).padStart(8)).join('')}`)
  }
  console.log(
    `${'seconds of rounds in an hour'.padEnd(34)}${sums.map(each => (each / 1000).toFixed(1).padStart(8)).join('')}`,
  )

  const memory = [resident()]
  for (let tens = 0; tens < 3; tens++) {
    for (let round = 0; round < 10; round++) for (const schedule of among.app.schedules) await among.round(schedule)
    memory.push(resident())
  }
  const said = memory.map(each => `${each.toFixed(0)} MiB`).join(', ')
  console.log(`\nmemory of this process before, and after each of three times ten rounds of everything: ${said}`)
  console.log(loadNow())
  if (slow.length > 0) {
    console.log(`slower than alone by more than ${longest}: ${slow.join(', ')}`)
    process.exitCode = 1
  }
} finally {
  await among.close()
  await alone.close()
  await server.close()
}
