// How long the passages that are near to a query are looked for by their vectors, of more and more of them, and how many of the nearest
// are found.
//
//   node bench/vectors.ts [--passages 10000,100000,500000] [--rounds 40]
//
// Five passages a version, four versions in five effective; vectors of 1,024 dimensions about 500 topics. "with conditions" is what a
// search asks: of effective versions, whose content the person may know. "of one document in fifty": narrowed by its type. "bare": the
// same scan without any condition, on the rows of the signs alone. Where the server of TEST_DATABASE_URL has pgvector, all of it again with its
// index. Found: of the ten nearest by their whole vectors, how many are among the ten that are answered.
import { parseArgs } from 'node:util'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { findByMeaning } from '../src/modules/search/semantic.ts'
import { bytesOf, cosine, signsOf } from '../src/modules/search/vector-bytes.ts'
import { makeVectorIndex } from '../src/modules/search/vector-index.ts'
import { loadNow } from './questions.ts'

const { values: given } = parseArgs({
  options: {
    passages: { type: 'string', default: '10000,100000,500000' },
    rounds: { type: 'string', default: '40' },
  },
})
const sizes = given.passages.split(',').map(Number)
const rounds = Number(given.rounds)
const dimensions = 1024
const topics = 500
const of_version = 5
const at_once = 1000

/** The same in each run. */
let state = 1
const random = () => {
  state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
  return state / 2 ** 32
}
const noise = () => Float32Array.from({ length: dimensions }, () => random() + random() + random() - 1.5)
const unit = (vector: Float32Array) => {
  const length = Math.hypot(...vector)
  return vector.map(value => value / length)
}
const centres = Array.from({ length: topics }, noise)
const about = (topic: number) => {
  const other = noise()
  return unit(centres[topic]!.map((value, place) => 0.4 * value + other[place]!))
}

const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openWorld({ LOG_LEVEL: 'warning' })
try {
  console.log(`load ${loadNow()}, ${rounds} rounds; milliseconds, p50 (p95)`)
  const tenant = world.people.quinn!.tenant_id
  await world.superuser.query(`set app.tenant_id = '${tenant}'; set session_replication_role = replica`)
  const [{ id: model }] = (await world.rows<{ id: number }>(
    `select embedding_model('bench', ${dimensions})::int as id`,
  )) as [{ id: number }]
  const effective: { version_id: number; position: number; bytes: Buffer }[] = []
  let versions = 0
  for (const size of sizes) {
    for (; versions * of_version < size; versions += at_once / of_version) await fill(world, model, versions, effective)
    for (const table of ['document_index', 'chunk_bits', 'version_vectors'])
      await world.superuser.query(`vacuum analyze ${table}`)
    await measure(world, model, String(size), effective)
  }
  const [{ has }] = (await world.rows<{ has: boolean }>(
    `select exists (select from pg_available_extensions where name = 'vector') as has`,
  )) as [{ has: boolean }]
  if (has) {
    const begun = performance.now()
    await world.superuser.query('create extension vector')
    await makeVectorIndex(world.postgres.owner)
    console.log(`index made in ${((performance.now() - begun) / 1000).toFixed(0)} s`)
    await measure(world, model, 'with its index, the same', effective)
  }
  console.log(`load ${loadNow()}`)
} finally {
  await world.close()
  await server.close()
}

async function fill(
  { superuser }: World,
  model: number,
  from: number,
  effective: { version_id: number; position: number; bytes: Buffer }[],
) {
  const ids: number[] = []
  const whole: Buffer[] = []
  const bits: string[] = []
  for (let version = from + 1; version <= from + at_once / of_version; version++) {
    ids.push(version)
    const vectors = Array.from({ length: of_version }, () => about(Math.floor(random() * topics)))
    const bytes = vectors.map(bytesOf)
    whole.push(Buffer.concat(bytes))
    bits.push(...vectors.map(signsOf))
    if (version % 5 > 0)
      effective.push(...bytes.map((each, position) => ({ version_id: version, position, bytes: each })))
  }
  await superuser.query(
    `insert into document_index (version_id, document_id, number, title, document_type_id, status, status_kind, owner_id, created_by, listed_on,
        is_shown, is_restricted, content_revision, words)
      select id, id, 'SOP-' || id, 'procedure ' || id, id % 50, 'any', case when id % 5 > 0 then 'effective' else 'superseded' end, 1, 1,
        '2026-01-01', true, false, 1, (select string_agg(format('word%s:%s', (id * 7 + n * n) % 20000, n), ' ') from generate_series(1, 120) n)::tsvector
      from unnest($1::bigint[]) id`,
    [ids],
  )
  await superuser.query(
    'insert into version_vectors (version_id, model_id, vectors) select id, $1, vectors from unnest($2::bigint[], $3::bytea[]) v (id, vectors)',
    [model, ids, whole],
  )
  await superuser.query(
    `insert into chunk_bits (model_id, version_id, position, bits)
      select $1, $2 + (n - 1) / ${of_version}, (n - 1) % ${of_version}, bits::bit varying from unnest($3::text[]) with ordinality b (bits, n)`,
    [model, from + 1, bits],
  )
}

async function measure(
  { database, people, superuser }: World,
  model_id: number,
  size: string,
  effective: { version_id: number; bytes: Buffer }[],
) {
  const taken: Record<string, number[]> = {}
  let found = 0
  const asked = { kinds: ['effective'], user_id: people.quinn!.id, drafts: false, trained: [] }
  const time = async <T>(what: string, work: () => Promise<T>) => {
    const begun = performance.now()
    const result = await work()
    taken[what] = [...(taken[what] ?? []), performance.now() - begun]
    return result
  }
  const search = (more: object, vector: Float32Array) =>
    database.transaction({ tenantId: people.quinn!.tenant_id, userId: null }, 'read only', tx =>
      findByMeaning(tx, { ...asked, ...more }, { model_id, vector }, 50),
    )
  for (let round = 0; round < rounds; round++) {
    const vector = about(round % topics)
    const answered = await time('with conditions', () => search({}, vector))
    await time('of one document in fifty', () => search({ document_type: [7] }, vector))
    await time('bare', () =>
      superuser.query(
        'select version_id, position from chunk_bits where tenant_id = $1 and model_id = $2 order by bit_count(bits # $3::bit varying) limit 300',
        [people.quinn!.tenant_id, model_id, signsOf(vector)],
      ),
    )
    const best = new Map<number, number>()
    for (const { version_id, bytes } of effective)
      best.set(version_id, Math.max(best.get(version_id) ?? -1, cosine(vector, bytes)))
    const nearest = [...best].sort((a, b) => b[1] - a[1]).slice(0, 10)
    const ten = new Set(answered.slice(0, 10).map(({ version_id }) => version_id))
    found += nearest.filter(([version]) => ten.has(version)).length / 10
  }
  const at = (all: number[], share: number) => all.toSorted((a, b) => a - b)[Math.floor(share * (all.length - 1))]!
  const times = Object.entries(taken).map(
    ([what, all]) => `${what} ${at(all, 0.5).toFixed(1)} (${at(all, 0.95).toFixed(1)})`,
  )
  console.log(`${size} passages: ${times.join(', ')}; found ${((100 * found) / rounds).toFixed(1)} %`)
}
