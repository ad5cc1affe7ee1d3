import { existsSync, readFileSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { filesBelow } from '#test/world/stored-files.ts'
import { type Company, NotAcknowledged } from './company.ts'
import { type Journal, sha256 } from './work.ts'

export interface Findings {
  /** Acknowledged records that are missing or differ from their acknowledgement. */
  lost: string[]
  /** Rows without an entry of the trail or a file, entries without a row, states without the signatures that they follow from. */
  halves: string[]
  /** Signatures that are not valid, and what the verification of the trail says. */
  untrue: string[]
  /** Files that no row names, with those that are still being received. */
  orphans: string[]
  records: number
  entries: number
}

/** Everything that an installation must still be true of, whatever has happened to it. The service has to run. */
export async function findingsOf(company: Company, journal: Journal): Promise<Findings> {
  const client = new pg.Client(company.superuser())
  await client.connect()
  try {
    const { halves, keys, signatures, entries } = await halvesIn(client, join(company.folder, 'uploads'))
    return {
      lost: await lostOf(company, journal),
      halves,
      untrue: [...(await untrueIn(company, signatures)), ...(await trailOf(company))],
      orphans: filesBelow(join(company.folder, 'uploads')).filter(file => !keys.has(file)),
      records: journal.acknowledged.length,
      entries,
    }
  } finally {
    await client.end()
  }
}

async function lostOf(company: Company, { acknowledged, files }: Journal) {
  const lost: string[] = []
  const byPath = [...Map.groupBy(acknowledged, ({ path }) => path)]
  await inParallel(byPath, async ([path, promises]) => {
    // A lost record is answered by a 404, which is the finding.
    const found = await company.get('quinn', path).catch(error => {
      if (error instanceof NotAcknowledged) throw error
      lost.push(`${path}: ${(error as Error).message}`)
    })
    if (found) lost.push(...promises.filter(each => !each.holds(found)).map(({ what }) => `${path}: ${what}`))
  })
  await inParallel([...files], async ([id, hash]) => {
    const bytes = await company.download('quinn', `/api/documents/${id}/download`)
    if (sha256(bytes) !== hash) lost.push(`the file of document ${id}`)
  })
  return lost
}

/** Compares what the guard of the trail ties together, from outside of any transaction. */
async function halvesIn(client: pg.Client, uploads: string) {
  const halves: string[] = []
  const rows = async <T extends object>(text: string) => (await client.query<T>(text)).rows
  const tables = await rows<{ name: string; resource: string; id: string }>(
    // The arguments of a trigger each end with a NUL.
    `select tgrelid::regclass::text as name, arguments[1] as resource, arguments[2] as id from pg_trigger,
       regexp_split_to_array(encode(tgargs, 'escape'), '\\\\000') as arguments
     where tgname = 'audited' and tgfoid = 'require_audit_entry'::regproc and tgrelid <> 'tenants'::regclass`,
  )
  if (tables.length < 20) halves.push('the audited tables are not found')
  for (const { name, resource, id } of tables) {
    const [found] = await rows<{ count: number }>(
      `select count(*)::int as count from ${name} t where tenant_id > 1 and not exists (select from audit_entries e
         where e.tenant_id = t.tenant_id and e.resource_type = '${resource}' and e.resource_id = t.${id})`,
    )
    if (found!.count > 0) halves.push(`${found!.count} rows of ${name} without an entry of the trail`)
  }
  for (const [what, text] of Object.entries(contradictions)) {
    const [found] = await rows<{ count: number }>(`select count(*)::int as count from (${text}) found`)
    if (found!.count > 0) halves.push(`${found!.count}: ${what}`)
  }
  const named = await rows<{ key: string; sha256: string }>(
    'select file_key as key, sha256 from document_versions union all select file_key, sha256 from attachments',
  )
  for (const { key, sha256: hash } of named) {
    const path = join(uploads, key)
    if (!existsSync(path)) halves.push(`no file ${key}`)
    else if (sha256(readFileSync(path)) !== hash) halves.push(`another file ${key}`)
  }
  const signatures = await rows<{ id: string }>('select id from signatures where tenant_id > 1')
  const [trail] = await rows<{ entries: number }>('select count(*)::int as entries from audit_entries')
  return { halves, keys: new Set(named.map(({ key }) => key)), signatures, entries: trail!.entries }
}

const signed = (what: string) => `(select count(*) from signatures s where s.tenant_id = t.tenant_id and ${what})`
const contradictions: Record<string, string> = {
  'entries of a created record that is not there': ['document', 'deviation', 'capa']
    .map(
      kind =>
        `select e.id from audit_entries e left join ${kind === 'capa' ? 'capas' : `${kind}s`} r on r.tenant_id = e.tenant_id and r.id = e.resource_id
          where e.action = '${kind}.created' and r.id is null`,
    )
    .join(' union all '),
  'documents whose status is not what their signatures come to': `select t.id from document_versions t where t.status <>
     case ${signed('s.version_id = t.id')} when 0 then case when t.submitted_at is null then 'draft' else 'in_review' end
       when 1 then 'in_approval' else 'effective' end`,
  'numbers of documents with a gap':
    "select from documents group by document_type_id having max(split_part(number, '-', 2)::int) <> count(*)",
  'entries that are neither sealed nor wait for it': `select e.id from audit_entries e
     where not exists (select from audit_leaves l where l.tenant_id = e.tenant_id and l.entry_id = e.id)
       and not exists (select from audit_pending p where p.tenant_id = e.tenant_id and p.entry_id = e.id)`,
}

async function untrueIn(company: Company, signatures: { id: string }[]) {
  const untrue: string[] = []
  await inParallel(signatures, async ({ id }) => {
    const { verification } = await company.get('quinn', `/api/signatures/${id}`)
    if (verification.status === 'valid') return
    const failed = verification.checks.filter(({ passed }: { passed: boolean }) => !passed)
    untrue.push(`signature ${id}: ${verification.status} ${JSON.stringify(failed)}`)
  })
  return untrue
}

export async function trailOf(company: Company): Promise<string[]> {
  const { valid, failures } = await company.get('otto', '/api/audit/verify')
  return valid ? [] : [`the trail: ${JSON.stringify(failures)}`]
}

/** The files that are left where the sweep comes two days later. The service is stopped for it. */
export async function leftAfterSweep(company: Company, orphans: readonly string[]) {
  const before = new Date(Date.now() - 2 * 24 * 3_600_000)
  const uploads = join(company.folder, 'uploads')
  await company.stop()
  // Partly received or read files are gone with the end of the process.
  for (const file of orphans.filter(each => existsSync(join(uploads, each))))
    utimesSync(join(uploads, file), before, before)
  await company.run('storage', 'sweep', '--force')
  return orphans.filter(file => existsSync(join(uploads, file)))
}

async function inParallel<T>(items: readonly T[], work: (item: T) => Promise<void>) {
  const rest = [...items]
  const worker = async () => {
    for (let item = rest.pop(); item !== undefined; item = rest.pop()) await work(item)
  }
  await Promise.all(Array.from({ length: 4 }, worker))
}
