import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { library } from '#test/builders/search.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { formsOf, ranking, scoreOf } from './ranking.ts'
import type { SearchedWord } from './terms.ts'

// proves: SRCH-01
describe('the score of a text', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(() => world.close())

  const word = (fields: Partial<SearchedWord>): SearchedWord => ({
    any: [...(fields.typed ?? []), ...(fields.other ?? []), ...(fields.prefix ?? [])].join(' | '),
    ...{ typed: [], other: [], prefix: [], is_asked: true, share: null, text: '', can_be_mistyped: false },
    ...fields,
  })

  it('counts the best form of each word by its place and rarity, and all of it by the length of the text', async () => {
    const books = library(world)
    const { id } = await books.effective({ title: 'Drying of granules' }, [
      'Granules are dried in the SOP tray, and a tray is weighed before it is dried again.',
    ])
    await books.effective({ title: 'Weighing' }, ['A tray is weighed.'])
    const words = [
      word({ typed: ["'dry'", "'dri'"], other: ["'granules'"], prefix: ["'sop'"] }),
      word({ typed: ["'tray'"], share: 'stop' }),
    ]
    const tenant = world.people.alan!.tenant_id
    await world.superuser.query(`set app.tenant_id = '${tenant}'`)
    const scope = { kinds: ['effective'], user_id: world.people.uma!.id, drafts: false, trained: [] }
    const query = { must: null, never: null, pairs: [], words, configurations: '{english_unaccented}' }
    const [row] = await world.rows<{
      answer: { version_ids: number[]; lengths: number[]; ranks: number[][]; words: SearchedWord[] }
    }>("select search_texts($1, $2, '{}', $3) as answer", [scope, query, ranking])
    const { version_ids, lengths, ranks, words: answered } = row!.answer
    const forms = formsOf(answered, ranking)
    assert.deepEqual(forms.forms, ["'dry'", "'dri'", "'granules'", "'sop'", "'tray'"])
    const [first, second] = answered.map(({ weight }) => weight!)
    const [expected] = await world.rows<{ version_id: string; score: number }>(
      `select version_id, power(ts_rank($2::real[], words, 'dri', 2) / ts_rank($2::real[], words, 'dri'), $4)
         * ($5 * greatest(power(ts_rank($2::real[], words, 'dry'), $4), power(ts_rank($2::real[], words, 'dri'), $4),
              $7 * power(ts_rank($2::real[], words, 'granules'), $4), $8 * power(ts_rank($3::real[], words, 'sop'), $4))
           + $6 * power(ts_rank($2::real[], words, 'tray'), $4)) as score
       from document_index where document_id = $1`,
      [
        ...[id, ranking.places, ranking.prefix_places, ranking.power],
        ...[first, second! * ranking.stop, ranking.other, ranking.prefix],
      ],
    )
    const at = version_ids.indexOf(Number(expected!.version_id))
    assert.ok(expected!.score > 0)
    assert.ok(Math.abs(scoreOf(forms, ranking, lengths[at]!, ranks[at]!) - expected!.score) < 1e-6)

    // The best piece of a text is chosen in the database, by the same score.
    const { forms: asked, word: places, share, is_prefix } = forms
    const pieces = await world.rows<{ score: number; expected: number }>(
      `select p.score, power(ts_rank($9::real[], c.words, 'dri', 2) / ts_rank($9::real[], c.words, 'dri'), $10)
         * (select sum(best) from (select max(f.share * power(ts_rank(case when f.is_prefix then $11::real[] else $9::real[] end, c.words, f.form), $10)) as best
             from unnest($3::tsquery[], $4::integer[], $5::float8[], $6::boolean[]) f (form, word, share, is_prefix) group by f.word) b) as expected
       from search_pieces($1, $2, $3, $4, $5, $6, $7, $8, 1) p join document_chunks c using (version_id, position)`,
      [
        ...[scope, "'dri' | 'tray'", asked, places, share, is_prefix, ranking, [expected!.version_id]],
        ...[ranking.places, ranking.power, ranking.prefix_places],
      ],
    )
    assert.equal(pieces.length, 1)
    assert.ok(pieces[0]!.score > 0 && Math.abs(pieces[0]!.score - pieces[0]!.expected) < 1e-6)
  })
})
