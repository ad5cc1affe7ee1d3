import { addImportedLink, type Relation, relations } from '#modules/casework'
import type { Tx } from '#platform/db/database.ts'
import { type BatchFacts, keyOf, provenance, type Sheet, type StagedRow } from '../sheet.ts'
import { required } from './columns.ts'
import { help, messages } from './messages.ts'
import { findCapas, findDeviations, findDocuments, readLinks } from './queries.ts'
import { type Finding, judged, plainKey, wrong } from './shared.ts'

type LinkRow = { from: string; to: string; relation: Relation | null }
type Kind = 'deviation' | 'capa' | 'document'

/** The record that a number names. Null before its row is loaded. */
interface End {
  kind: Kind
  id: number | null
  number: string
  line: number | null
}

const sheetOf = { deviation: 'deviations', capa: 'capas', document: 'documents' } as const
const kinds = Object.keys(sheetOf) as Kind[]

/** A number names a deviation, a CAPA or a document, in this order. */
async function endsOf(tx: Tx, batch: BatchFacts, rows: readonly StagedRow<LinkRow>[]): Promise<Map<string, End>> {
  const numbers = [...new Set(rows.flatMap(({ values }) => [values.from.trim(), values.to.trim()]))]
  const ends = new Map<string, End>()
  for (const kind of kinds.toReversed()) {
    for (const [key, { line }] of await batch.find(sheetOf[kind], numbers))
      ends.set(key, { kind, id: null, number: key, line })
    const find = { deviation: findDeviations, capa: findCapas, document: findDocuments }[kind]
    for (const { called, id, number } of await find(tx, batch.id, numbers))
      ends.set(called, { kind, id, number, line: ends.get(called)?.line ?? null })
  }
  return ends
}

/** The relations that a link of two kinds can have; undefined where they cannot be linked. */
function relationsOf(one: Kind, other: Kind): readonly Relation[] | undefined {
  const of = new Set([one, other])
  if (one === other) return one === 'deviation' ? relations.deviation_deviations : undefined
  if (!of.has('document')) return relations.deviation_capas
  return of.has('capa') ? relations.capa_documents : relations.deviation_documents
}

function findingsOf({ from, to, relation }: LinkRow, one: End | undefined, other: End | undefined): Finding[] {
  const unknown = [...(one ? [] : ['from' as const]), ...(other ? [] : ['to' as const])]
  if (!one || !other)
    return unknown.map(column =>
      wrong(
        column,
        messages.staged_link_unknown({ number: column === 'from' ? from : to }),
        messages.todo_link_unknown(),
      ),
    )
  if (from.trim() === to.trim()) return [wrong('to', messages.staged_link_to_itself(), messages.todo_link_unknown())]
  const known = relationsOf(one.kind, other.kind)
  if (!known) return [wrong('to', messages.staged_link_not_possible({ from, to }), messages.todo_link_not_possible())]
  if (relation !== null && !known.includes(relation))
    return [wrong('relation', messages.staged_link_relation({ relation, known }), messages.todo_link_relation())]
  // A recurrence is the later of the two, and gets the higher id by its line.
  return relation === 'recurrence' && one.line !== null && other.line !== null && one.line < other.line
    ? [wrong('from', messages.staged_link_recurrence({ from, to }), messages.todo_link_recurrence())]
    : []
}

export const links: Sheet<LinkRow> = {
  name: 'links',
  needs: ['versions', 'deviations', 'capas'],
  help: help.help_links(),
  columns: [
    required('from', 'text', help.help_link_from(), ['From', 'Von']),
    required('to', 'text', help.help_link_to(), ['To', 'Zu']),
    {
      ...{ name: 'relation', kind: 'choice', choices: [...new Set(Object.values(relations).flat())] },
      ...{ help: help.help_link_relation(), aliases: ['Relation', 'Beziehung'] },
    },
  ],
  key: ({ from, to }) => keyOf(...[plainKey(from), plainKey(to)].sort()),
  references: ({ from, to }) =>
    [from, to].flatMap(number => kinds.map(kind => ({ sheet: sheetOf[kind], key: number.trim() }))),
  async check(tx, rows, batch) {
    const ends = await endsOf(tx, batch, rows)
    return rows.map(({ values }) => {
      const [one, other] = [ends.get(values.from.trim()), ends.get(values.to.trim())]
      const known = one && other && relationsOf(one.kind, other.kind)
      return judged(findingsOf(values, one, other), {
        ...{ from: values.from, from_kind: one?.kind ?? null, to: values.to, to_kind: other?.kind ?? null },
        relation: values.relation ?? known?.[0] ?? null,
      })
    })
  },
  async load(context, rows, batch) {
    const ends = await endsOf(context.tx, batch, rows)
    const loaded = []
    for (const row of rows) {
      const [one, other] = [row.values.from, row.values.to].map(number => {
        const end = ends.get(number.trim())!
        return { ...end, id: end.id! }
      })
      const of = await addImportedLink(
        context,
        { one: one!, other: other!, relation: row.values.relation },
        provenance(row, batch),
      )
      loaded.push({ resource_type: of.kind, resource_id: of.id })
    }
    return loaded
  },
  async compare(tx, rows, batch) {
    const ends = await endsOf(tx, batch, rows)
    const listed = await Promise.all(
      (['deviation', 'capa'] as const).map(async kind => {
        const ids = rows.filter(({ resource_type }) => resource_type === kind).map(({ resource_id }) => resource_id!)
        return (await readLinks(tx, { kind, ids })).map(each => ({ kind, ...each }))
      }),
    )
    return rows.map(({ values, resource_type, resource_id }) => {
      const both = [ends.get(values.from.trim()), ends.get(values.to.trim())]
      const far = both.find(end => end && !(end.kind === resource_type && end.id === resource_id))
      const link = listed
        .flat()
        .find(
          each =>
            each.kind === resource_type &&
            each.id === resource_id &&
            each.other_kind === far?.kind &&
            each.other_id === far.id,
        )
      if (!link) return [{ column: 'to', row: values.to, record: null }]
      return values.relation === null || values.relation === link.relation
        ? []
        : [{ column: 'relation', row: values.relation, record: link.relation }]
    })
  },
}
