// With pgvector in the database, vectors are found by its index; what is found is what may be found, as without it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { unit } from '#platform/models/unit.ts'
import { until } from '#test/world/background.ts'
import { openWorld, type World } from '#test/world/world.ts'
import type { SearchScope } from './scope.ts'
import { findByMeaning } from './semantic.ts'
import { bytesOf, signsOf } from './vector-bytes.ts'
import { makeVectorIndex } from './vector-index.ts'

const dimensions = 128
const versions = 4000
const few = 40
const asked: SearchScope = { kinds: ['effective'], user_id: 0, drafts: false, trained: [] }

// proves: SRCH-01, SVC-01
describe('an index of pgvector', () => {
  let world: World
  let model_id: number
  /** The same at each run. */
  let state = 11
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  const some = () => unit(Float32Array.from({ length: dimensions }, () => random() + random() + random() - 1.5))
  const topics = Array.from({ length: 40 }, some)
  const about = (topic: number) => {
    const other = some()
    return unit(topics[topic % topics.length]!.map((value, place) => value + 0.7 * other[place]!))
  }
  const queries = Array.from({ length: 10 }, (_, topic) => about(topic))

  before(async () => {
    world = await openWorld()
    await world.superuser.query('set session_replication_role = replica')
    const [model] = await world.rows<{ id: string }>(`select embedding_model('made', ${dimensions}) as id`)
    model_id = Number(model!.id)
    await fill('quinn', 1, versions)
    await fill('rob', versions + 1, few)
    await world.superuser.query('vacuum analyze chunk_bits')
  })
  after(() => world.close())

  /** One passage each; of five versions one is superseded. */
  async function fill(of: string, from: number, count: number) {
    await world.superuser.query(`set app.tenant_id = '${world.people[of]!.tenant_id}'`)
    const ids = Array.from({ length: count }, (_, place) => from + place)
    const vectors = ids.map(about)
    await world.rows(
      `insert into document_index (version_id, document_id, number, title, document_type_id, status, status_kind, owner_id, created_by, listed_on,
          is_shown, is_restricted, content_revision, words)
        select id, id, 'SOP-' || id, 'procedure', 1, 'any', case when id % 5 > 0 then 'effective' else 'superseded' end, 1, 1, '2026-01-01', true, false, 1, ''
        from unnest($1::bigint[]) id`,
      [ids],
    )
    await world.rows(
      `with made as (select * from unnest($2::bigint[], $3::bytea[], $4::text[]) m (id, vector, bits)),
        whole as (insert into version_vectors (version_id, model_id, vectors) select id, $1, vector from made)
       insert into chunk_bits (model_id, version_id, position, bits) select $1, id, 0, bits::bit varying from made`,
      [model_id, ids, vectors.map(bytesOf), vectors.map(signsOf)],
    )
  }
  const find = (of: string, more: object = {}) =>
    Promise.all(
      queries.map(vector =>
        world.database.transaction({ tenantId: world.people[of]!.tenant_id, userId: null }, 'read only', tx =>
          findByMeaning(tx, { ...asked, ...more }, { model_id, vector }, 20),
        ),
      ),
    )
  const indexes = async () =>
    (await world.rows<{ name: string }>(`select indexname as name from pg_indexes where indexdef like '% hnsw %'`)).map(
      ({ name }) => name,
    )
  const scans = async () => {
    await world.superuser.query('select pg_stat_force_next_flush()')
    const [row] = await world.rows<{ scans: string }>(
      `select coalesce(sum(idx_scan), 0) as scans from pg_stat_user_indexes where starts_with(indexrelname, 'chunk_bits_near_')`,
    )
    return Number(row!.scans)
  }

  it('is not made where the extension is not in the database', async () => {
    assert.deepEqual(await makeVectorIndex(world.postgres.owner), { hasExtension: false })
  })

  it('finds nearly all that is found without it, and nothing that may not be found', async () => {
    const [whole, ofRival] = [await find('quinn'), await find('rob')]
    await world.superuser.query('create schema extensions; create extension vector schema extensions')
    await world.superuser.query('grant usage on schema extensions to attest_owner')
    assert.deepEqual(await makeVectorIndex(world.postgres.owner), { hasExtension: true, model: 'made' })
    const byIndex = await find('quinn')
    const share =
      whole.flat().filter(({ version_id }) => byIndex.flat().some(each => each.version_id === version_id)).length /
      whole.flat().length
    assert.ok(share > 0.9, `found ${share}`)
    for (const { version_id } of byIndex.flat()) assert.ok(version_id <= versions && version_id % 5 > 0)
    assert.ok(byIndex.every(found => found.length === 20))
    assert.deepEqual(await find('rob'), ofRival, 'a tenant of whom the index finds too few: all of theirs are read')
  })

  it('is what is read', async () => {
    const before = await scans()
    // Counts of another connection arrive a moment later.
    await until(async () => {
      await find('quinn')
      return (await scans()) !== before
    })
  })

  it('goes with its model', async () => {
    const [old] = await indexes()
    assert.deepEqual(await makeVectorIndex(world.postgres.owner), { hasExtension: true, model: 'made' })
    assert.deepEqual(await indexes(), [old])
    await world.rows(`update embedding_models set is_searched = false`)
    await world.rows(`insert into embedding_models (name, dimensions, is_searched) values ('other', 64, true)`)
    assert.deepEqual(await makeVectorIndex(world.postgres.owner), { hasExtension: true, model: 'other' })
    const now = await indexes()
    assert.equal(now.length, 1)
    assert.notEqual(now[0], old)
  })
})
