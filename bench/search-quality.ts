// How good what a search finds is, judged on the documents and queries in bench/search-set.
//
//   node bench/search-quality.ts [--held-out] [--failures 20] [--set semantic=0.5 ...]
//
// The documents are uploaded, released and read as anybody's, and the queries asked over HTTP. Of each way (by words alone and,
// with a model that EMBEDDINGS_* name, by vectors alone and by both) nDCG@10 and recall@20 are printed for the queries that it may be tuned on, with `--held-out` for those set aside too.
// `--failures` lists the worst. `--set name=value` changes a number of src/modules/search/ranking.ts, and may be there often.
import { parseArgs } from 'node:util'
import { papers } from '#test/builders/documents.ts'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { ranking } from '../src/modules/search/ranking.ts'
import { embedQuery, findByMeaning } from '../src/modules/search/semantic.ts'
import { fileOf } from './search-set/files.ts'
import { ndcg, recall } from './search-set/measures.ts'
import { documents, held_out, type JudgedQuery, queries, withNumbers } from './search-set/read.ts'

const { values: given } = parseArgs({
  options: {
    'held-out': { type: 'boolean', default: false },
    failures: { type: 'string', default: '0' },
    set: { type: 'string', multiple: true, default: [] },
  },
})

const depth = { ndcg: 10, recall: 20 }
const reader = 'uma'

interface Filed {
  key: string
  number: string
  version_id: number
}

async function file(world: World): Promise<Filed[]> {
  const { upload, move, approve, get } = papers(world)
  const filed: Filed[] = []
  for (const [place, document] of documents.entries()) {
    const { type, title, category, keywords } = document
    const { id, number } = await upload({ type, title, category, keywords }, await fileOf(document, place))
    await move('alan', id, 'submit')
    for (const by of ['petra', 'quentin'])
      if ((await get('alan', id)).status !== 'effective') await approve(by, id, { comment: 'Right' })
    const { status } = await get('alan', id)
    if (status !== 'effective') throw new Error(`${document.key} is ${status}`)
    const [version] = await world.rows<{ id: string }>('select id from document_versions where document_id = $1', [id])
    filed.push({ key: document.key, number, version_id: Number(version!.id) })
  }
  await world.work()
  return filed
}

type Way = (q: string) => Promise<string[]>

function ways(world: World, filed: readonly Filed[]): Record<string, Way> {
  const byNumber = new Map(filed.map(({ number, key }) => [number, key]))
  const byVersion = new Map(filed.map(({ version_id, key }) => [version_id, key]))
  const { embeddings } = world.services
  const ask = async (q: string) => {
    const reply = await world.as(reader).get(`/api/search/?q=${encodeURIComponent(q)}&page_size=${depth.recall}`)
    if (reply.statusCode !== 200) throw new Error(`${q}: ${reply.statusCode} ${reply.body}`)
    return reply.json().items.map((item: { number: string }) => byNumber.get(item.number)!)
  }
  const binding = { tenantId: world.people[reader]!.tenant_id, userId: world.people[reader]!.id }
  const read: Parameters<typeof embedQuery>[0]['read'] = work => world.database.transaction(binding, 'read only', work)
  const byWords = {
    async text(q: string) {
      world.services.embeddings = undefined
      return ask(q)
    },
  }
  if (!embeddings) return byWords
  return {
    ...byWords,
    async vectors(q) {
      world.services.embeddings = embeddings
      const vector = await embedQuery({ read, services: world.services }, q)
      if (!vector) return []
      const asked = { kinds: ['effective'], user_id: binding.userId, drafts: false, trained: [] }
      const found = await read(tx => findByMeaning(tx, asked, vector, depth.recall))
      return found.map(({ version_id }) => byVersion.get(version_id)!)
    },
    async hybrid(q) {
      world.services.embeddings = embeddings
      return ask(q)
    },
  }
}

interface Judged {
  query: JudgedQuery
  ndcg: number
  recall: number
  found: string[]
}

async function judge(way: Way, some: readonly JudgedQuery[], filed: readonly Filed[]): Promise<Judged[]> {
  const numberOf = (key: string) => filed.find(each => each.key === key)!.number
  const judged: Judged[] = []
  for (const query of some) {
    const found = await way(withNumbers(query.text, numberOf))
    judged.push({
      query,
      ndcg: ndcg(found, query.grades, depth.ndcg),
      recall: recall(found, query.grades, depth.recall),
      found,
    })
  }
  return judged
}

const mean = (numbers: readonly number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length
const pair = (some: readonly Judged[]) =>
  `${mean(some.map(each => each.ndcg)).toFixed(3)} ${mean(some.map(each => each.recall)).toFixed(3)}`

function print(title: string, byWay: ReadonlyMap<string, Judged[]>) {
  const [first] = byWay.values()
  const classes = [...new Set(first!.map(({ query }) => query.class))]
  const names = [...byWay.keys()]
  console.log(`\n${title}: ${first!.length} queries; nDCG@${depth.ndcg} and recall@${depth.recall}`)
  console.log(`${''.padEnd(22)}${names.map(name => name.padStart(14)).join('')}`)
  const row = (name: string, of: (some: readonly Judged[]) => readonly Judged[]) =>
    console.log(`${name.padEnd(22)}${names.map(way => pair(of(byWay.get(way)!)).padStart(14)).join('')}`)
  row('all', some => some)
  for (const each of classes) {
    const number = first!.filter(({ query }) => query.class === each).length
    row(`${each} (${number})`, some => some.filter(({ query }) => query.class === each))
  }
}

function printWorst(way: string, judged: readonly Judged[], number: number) {
  console.log(`\n${way}: the worst of those that may be tuned on`)
  for (const { query, ndcg, recall, found } of judged.toSorted((a, b) => a.ndcg - b.ndcg).slice(0, number)) {
    console.log(`${ndcg.toFixed(3)} ${recall.toFixed(2)} ${query.class}: ${query.text}`)
    console.log(`    wanted ${[...query.grades].map(([key, grade]) => `${key}:${grade}`).join(' ')}`)
    console.log(`    found  ${found.slice(0, 6).join(' ')}`)
  }
}

for (const setting of given.set) {
  const [name, value] = setting.split('=') as [keyof typeof ranking, string]
  if (!(name in ranking)) throw new Error(`no number is called ${String(name)}`)
  Object.assign(ranking, { [name]: typeof ranking[name] === 'number' ? Number(value) : value })
}
const server = await openTestServer()
await server.addPeopled(addPeople)
const model = Object.entries(process.env).filter(([name]) => name.startsWith('EMBEDDINGS_')) as [string, string][]
const world = await openWorld({ LOG_LEVEL: 'warning', ...Object.fromEntries(model) })
try {
  const filed = await file(world)
  const unread = await world.rows<{ status: string; number: string }>(
    "select status, count(*) as number from document_texts where status <> 'extracted' group by 1",
  )
  console.log(`${filed.length} documents, ${JSON.stringify(world.services.embeddings?.id ?? 'without vectors')}`)
  for (const { status, number } of unread) console.log(`${number} texts are ${status}`)
  const all = ways(world, filed)
  const parts = { 'Those that may be tuned on': queries.filter(query => !held_out.has(query)) }
  if (given['held-out']) Object.assign(parts, { 'Those set aside': queries.filter(query => held_out.has(query)) })
  for (const [title, some] of Object.entries(parts)) {
    const byWay = new Map<string, Judged[]>()
    for (const [name, way] of Object.entries(all)) byWay.set(name, await judge(way, some, filed))
    print(title, byWay)
    if (title.startsWith('Those that'))
      for (const [name, judged] of byWay)
        if (Number(given.failures) > 0) printWorst(name, judged, Number(given.failures))
  }
} finally {
  await world.close()
  await server.close()
}
