// Functions with the rights of their owner see every tenant. Each text in each argument of each of them is tried as a piece of SQL.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { ranking } from '../../src/modules/search/ranking.ts'

/** Executed as SQL each of these fails with a division by zero, or breaks the statement around it. */
const probes = ['7/0', '1 + 7/0', "x') or 7/0 = 1 --", '0) t, (select 7/0) x --', "'", '"', '$$']

const scope = {
  kinds: ['effective'],
  user_id: '1',
  drafts: 'false',
  trained: ['1'],
  documents: ['1'],
  status: ['effective'],
  document_type: ['1'],
  category: ['x'],
  date_from: '2026-01-01',
  date_to: '2026-12-31',
}
const words = [
  {
    any: "'clean'",
    typed: ["'clean'"],
    other: ["'wash'"],
    prefix: ["'sop'"],
    share: 'part',
    weight: '1.5',
    text: 'cleaning',
    is_asked: 'true',
    can_be_mistyped: 'true',
    found: '1',
  },
]
const query = {
  must: "'clean'",
  never: "'wash'",
  number: 'SOP-1',
  words,
  everything: '10',
  pairs: ['7'],
  configurations: '{english_unaccented}',
}
const rankingAsText = Object.fromEntries(Object.entries(ranking).map(([name, value]) => [name, String(value)]))

/** The arguments of a call that works. Strings, also inside of JSON, are replaced one after the other. */
const calls: Record<string, unknown[]> = {
  'find_login(text)': ['uma'],
  'find_sso_domain(text)': ['example.com'],
  'find_deviations(text)': ['cleaning'],
  'similar_deviations(text, text, text[], bigint, text, text, jsonb, bigint[])': [
    ...['cleaning', 'cleaning', ['LOT-1'], 1, 'minor', 'x'],
    [{ typed: 'cleaning', others: ['washing'] }],
    [1],
  ],
  'find_documents(text)': ['cleaning'],
  'find_audit_places(text, bigint, bigint)': ['uma', 1, 10],
  'search_texts(jsonb, jsonb, bigint[], jsonb)': [scope, query, [1], rankingAsText],
  'search_more(jsonb, text, text, integer[], boolean, bigint[], integer, bigint, integer)': [
    ...[scope, "'clean'", "'wash'", [7], true],
    ...[[1], 1001, 0, 10],
  ],
  'search_pieces(jsonb, tsquery, tsquery[], integer[], double precision[], boolean[], jsonb, bigint[], integer)': [
    ...[scope, "'clean'", ["'clean'", "'sop'"], [1, 1], [0.5, 0.5], [false, true]],
    ...[rankingAsText, [1], 2],
  ],
  'named_records(text, jsonb, integer, text[], bigint)': [
    'document',
    {
      words: [
        { number: '0*1', title: '%cleaning%' },
        { number: '^li', beginning: 'li%' },
      ],
      whole: { number: 'cleaning', title: 'cleaning' },
    },
    ...[10, ['effective'], 1],
  ],
  'known_documents(jsonb)': [scope],
  'nearest_passages(jsonb, bigint, bit varying, integer)': [scope, 1, '0101', 10],
  'embedding_model(text, integer)': ['a model', 64],
  'tenants_with_work(text, timestamp with time zone)': ['training.audience', '2026-11-26T12:00:00Z'],
}

/** The value with each of its strings replaced by the probe in turn. */
function* replaced(value: unknown, probe: string): Generator<unknown> {
  if (typeof value === 'string') yield probe
  else if (Array.isArray(value)) {
    for (const [at, each] of value.entries()) for (const other of replaced(each, probe)) yield value.with(at, other)
  } else if (value && typeof value === 'object') {
    for (const [name, each] of Object.entries(value))
      for (const other of replaced(each, probe)) yield { ...value, [name]: other }
  }
}

/** A refusal of a value (class 22 but a division by zero, or a malformed text query) shows that the value was a value. */
const isValue = ({ code = '', message }: { code?: string; message: string }) =>
  (code.startsWith('22') && code !== '22012') || /tsquery/.test(message)

describe('functions with the rights of their owner (proves: SVC-01)', () => {
  let world: World
  let app: pg.Client
  before(async () => {
    world = await openWorld()
    await papers(world).effective({ title: 'Cleaning of line 1' })
    await world.work()
    app = new pg.Client(world.postgres.app)
    await app.connect()
  })
  after(async () => {
    await app.end()
    await world.close()
  })

  async function call(signature: string, values: readonly unknown[]) {
    const types = signature.slice(signature.indexOf('(') + 1, -1).split(', ')
    const places = types.map((type, at) => `$${at + 1}::${type}`).join(', ')
    await app.query(`begin read write; set local app.tenant_id = '${world.people.uma!.tenant_id}'`)
    try {
      await app.query(
        `select * from ${signature.slice(0, signature.indexOf('('))}(${places})`,
        values.map((value, at) => (types[at] === 'jsonb' ? JSON.stringify(value) : value)),
      )
      return undefined
    } catch (error) {
      return error as Error & { code?: string }
    } finally {
      await app.query('rollback')
    }
  }

  it('are all tried that take a text', async () => {
    const rows = await world.rows<{ name: string }>(`
      select format('%s(%s)', proname, (select string_agg(format_type(type, null), ', ' order by place) from unnest(proargtypes) with ordinality a (type, place))) as name
      from pg_proc where prosecdef and pronamespace = 'public'::regnamespace and has_function_privilege('attest_app', oid, 'execute')
        and proargtypes::oid[] && array['text', 'text[]', 'jsonb', 'bit varying']::regtype[]::oid[] order by 1`)
    assert.deepEqual(rows.map(({ name }) => name).sort(), Object.keys(calls).sort())
  })

  for (const [signature, values] of Object.entries(calls)) {
    it(`take a text as a text: ${signature}`, async () => {
      assert.equal(await call(signature, values), undefined, 'the call works')
      let tried = 0
      for (const probe of probes)
        for (const [at, value] of values.entries())
          for (const other of replaced(value, probe)) {
            const error = await call(signature, values.with(at, other))
            tried += 1
            if (error) assert.ok(isValue(error), `${JSON.stringify(other)}: ${error.code} ${error.message}`)
          }
      assert.ok(tried >= probes.length)
    })
  }
})
