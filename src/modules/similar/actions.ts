import { query } from '#action'
import { invalid, issueAt, notFound } from '#kernel/errors.ts'
import { readSettings } from '#modules/accounts'
import { synonymsWith } from '#modules/search'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'
import { findAsked, listCandidates, listFound, plainWords } from './queries.ts'
import { type Asked, judge, ranked } from './rules.ts'
import { SimilarDeviations, SimilarFilter } from './schema.ts'
import { embedAsked, findByMeaning } from './vectors.ts'

/** The first sentences name what happened. */
const maxNamedCharacters = 2000
/** Titles are compared letter by letter, and a longer text tells no more. */
const maxTitleCharacters = 500

async function askedOf(tx: Tx, { q, deviation_id }: SimilarFilter): Promise<Asked> {
  if (deviation_id !== undefined) {
    const asked = await findAsked(tx, deviation_id)
    if (!asked) throw notFound('Deviation')
    return asked
  }
  const text = q!
  return {
    text,
    title: await plainWords(tx, text.slice(0, maxTitleCharacters)),
    items: [],
    category: null,
    root_cause_category: null,
  }
}

export const similar = query({
  summary: 'Find similar deviations',
  description: `Finds deviations like a text (\`q\`) or like another deviation (\`deviation_id\`): by shared words and other names of the same thing (those of the trade and of the setting \`search_synonyms\`), of which rare ones count more, titles that are alike letter by letter, affected items, category and root cause category; and by meaning, if a model that knows it is installed. \`method\` says by which (\`lexical\` or \`hybrid\`), and \`matched\` and \`why\` say what each has in common. The best matches come first. It works without AI.`,
  permission: 'deviations.read',
  input: { query: SimilarFilter },
  response: SimilarDeviations,
  async prepare(context, { query: filter }) {
    if ((filter.q === undefined) === (filter.deviation_id === undefined))
      throw invalid(issueAt(['query', 'q'], messages.similar_deviations_of_one()))
    return embedAsked(context, filter)
  },
  async run({ tx, actor, prepared: vector }, { query: filter }) {
    const asked = await askedOf(tx, filter)
    const names = synonymsWith((await readSettings(tx)).search_synonyms).namesOf(
      asked.text.slice(0, maxNamedCharacters),
    )
    const near = vector && (await findByMeaning(tx, vector, filter))
    const candidates = await listCandidates(tx, asked, names, [...(near?.keys() ?? [])], filter)
    const judged = candidates
      .map(each => ({
        id: each.deviation_id,
        ...judge(asked, { ...each, meaning: near ? (near.get(each.deviation_id) ?? 0) : null }),
      }))
      .filter(({ score }) => score > 0)
    const best = new Map(
      ranked(judged)
        .slice(0, filter.limit ?? 10)
        .map(each => [each.id, each]),
    )
    const found = await listFound(tx, actor, [...best.keys()], filter.deviation_id)
    return {
      method: near ? ('hybrid' as const) : ('lexical' as const),
      items: ranked(found.map(each => ({ ...each, ...best.get(each.id)! }))),
    }
  },
})
