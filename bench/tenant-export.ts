// How long an export of everything takes, how large it is, and what it needs of memory.
//
//   node [--expose-gc] bench/tenant-export.ts [--documents 10000] [--file-bytes 50000]
//
// With --expose-gc it says what is alive after a collection, too: that is what an export holds, without what V8 has not collected yet.
//
// Documents with one effective version each, a file of their own and two lines of history; by statement without triggers.
import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setInterval } from 'node:timers'
import { parseArgs } from 'node:util'
import { newKey } from '#platform/storage/storage.ts'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { loadNow } from './questions.ts'

const { values: given } = parseArgs({
  options: { documents: { type: 'string', default: '10000' }, 'file-bytes': { type: 'string', default: '50000' } },
})
const documents = Number(given.documents)
const file_bytes = Number(given['file-bytes'])
const written_at_once = 1_000

async function seed({ superuser, people, services }: World) {
  const { id: user, tenant_id } = people.alan!
  await superuser.query(
    `set app.tenant_id = '${tenant_id}'; set app.user_id = '${user}'; set session_replication_role = replica`,
  )
  for (let from = 1; from <= documents; from += written_at_once) {
    const files = Array.from({ length: Math.min(written_at_once, documents - from + 1) }, (_, place) => {
      const bytes = randomBytes(file_bytes)
      const key = newKey(tenant_id)
      const path = join(services.config.upload_dir, key)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, bytes)
      return { n: from + place, key, sha256: createHash('sha256').update(bytes).digest('hex') }
    })
    const made = `with made as (select f.n, f.key, f.sha256, 1000000 + f.n as id, t.id as type, t.workflow_template_id
      from jsonb_to_recordset($1) f (n int, key text, sha256 text), document_types t where t.tenant_id = current_tenant() and t.name = 'SOP')`
    const values = [JSON.stringify(files), user, file_bytes]
    for (const statement of [
      `insert into documents (tenant_id, id, number, document_type_id, owner_id, created_by, updated_by, effective_version_id, latest_version_id)
        overriding system value select current_tenant(), id, 'SOP-' || lpad(n::text, 6, '0'), type, $2, $2, $2, id, id from made where $3::int > 0`,
      `insert into document_versions (tenant_id, id, document_id, major, minor, change_type, title, category, keywords, file_key, file_name,
          file_size, content_type, sha256, workflow_template_id, workflow_template_version, status, status_kind, created_by, effective_at, effective_date)
        overriding system value select current_tenant(), id, id, 1, 0, 'major', 'Procedure ' || n, 'Production', '{}', key, 'procedure.pdf',
          $3::int, 'application/pdf', sha256, workflow_template_id, 1, 'effective', 'effective', $2, now(), current_date from made`,
      `insert into document_history (tenant_id, document_id, version_id, round, transition, from_status, to_status, trigger, user_id)
        select current_tenant(), id, id, 1, transition, from_status, to_status, 'user', $2
        from made, (values ('created', null, 'draft'), ('approve', 'draft', 'effective')) h (transition, from_status, to_status) where $3::int > 0`,
    ])
      await superuser.query(`${made} ${statement}`, values)
  }
  await superuser.query('reset session_replication_role')
}

const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openWorld({ LOG_LEVEL: 'warning' })
try {
  await seed(world)
  const reply = await world.as('ada').post('/api/tenant-exports/', { reason: 'Measured' })
  const { id } = reply.json()
  const before = process.memoryUsage().rss
  let most = before
  const alive: number[] = []
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 100)
  const lookAtAlive = () => {
    if (!globalThis.gc) return
    globalThis.gc()
    const { heapUsed, external } = process.memoryUsage()
    alive.push(heapUsed + external)
  }
  lookAtAlive()
  const watchAlive = setInterval(lookAtAlive, 2_000)
  const begun = performance.now()
  await world.work()
  const seconds = (performance.now() - begun) / 1000
  clearInterval(watch)
  clearInterval(watchAlive)
  lookAtAlive()
  const made = (await world.as('ada').get(`/api/tenant-exports/${id}`)).json()
  const MB = (bytes: number) => `${(bytes / 1024 ** 2).toFixed(0)} MB`
  console.log(
    `${documents} documents with files of ${MB(documents * file_bytes)}: ${made.status} in ${seconds.toFixed(0)} s, ${(documents / seconds).toFixed(0)} documents a second`,
  )
  console.log(`archive ${MB(made.bytes)}; memory ${MB(before)} before, ${MB(most)} at most`)
  if (alive.length > 0)
    console.log(`alive ${MB(alive[0]!)} before, ${MB(Math.max(...alive))} at most, ${MB(alive.at(-1)!)} at the end`)
  console.log(loadNow())
} finally {
  await world.close()
  await server.close()
}
