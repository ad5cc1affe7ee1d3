import type { Actor } from '#action'
import { headings, type Print, together } from '#kernel/print.ts'
import { findLinkedRecord, readRecordParts, requireReader } from '#modules/casework'
import { type DeviationRow, deviationAccess, requireDeviation } from '#modules/deviations'
import { findFormVersion } from '#modules/forms'
import { readSignaturesOf } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import type { Block, Fact } from '#platform/pdf/rendition.ts'
import { by, heading, importedFacts, moment, paragraph, plain, table, texts, words, yesOrNo } from '../blocks.ts'
import { printed } from '../messages.ts'
import type { Kind, Subject } from '../subject.ts'
import { filesOf, pagesOfParts, partsOf, signaturesOf } from './case.ts'

export const deviations: Kind<{ id: number }> = {
  reading: ['deviation.record_exported', 'deviation.dossier_exported', 'attachment.downloaded', 'access.denied'],
  async require(context, { id }) {
    requireReader(context.actor, 'deviation', id)
    const { number, revision } = await requireDeviation(context, id)
    return { id, number, mark: String(revision) }
  },
  read: ({ read, actor, services }, { id }) =>
    read(async (tx): Promise<Subject> => {
      const row = await requireDeviation({ tx, services }, id)
      const parts = await readRecordParts(tx, actor, deviationAccess, id)
      const { form_template_id, form_template_version } = row
      const form =
        form_template_id === null ? undefined : await findFormVersion(tx, form_template_id, form_template_version!)
      const pointers = form && (await readPointers(tx, actor, form, row.form_data ?? {}))
      const { number, title, status, revision, updated_at } = row
      return {
        ...{ type: 'deviation', id, number, title, status: plain(status), revision },
        mark: String(revision),
        changed_at: updated_at,
        record: { deviation: recordOf(row), form_template: form ?? null },
        parts: partsOf(parts),
        facts: factsOf(row),
        pages: altered => [
          ...contentOf(row),
          ...(form ? formOf(row, form, pointers!) : []),
          ...pagesOfParts(parts, altered),
        ],
        files: filesOf(parts),
        signatures: signaturesOf(await readSignaturesOf(tx, services.signing, 'deviation', [id])),
        scope: {
          resources: [
            { type: 'deviation', ids: [id] },
            { type: 'attachment', ids: parts.files.map(file => file.id) },
          ],
          refused: [{ id, number }],
        },
      }
    }),
}

/** Without what follows from the day or the reader, and what parts of the dossier hold. */
function recordOf(row: DeviationRow) {
  const { overdue, due_notice_on, reporter_id, assignee_id, attachments, document_ids, capa_ids, ...record } = row
  return record
}

const factsOf = (row: DeviationRow): Fact[] => [
  [headings.status, plain(row.status)],
  [
    headings.severity,
    row.severity_decision
      ? together([plain(row.severity), ' (', plain(row.severity_decision), ')'])
      : plain(row.severity),
  ],
  [headings.category, plain(row.category)],
  [headings.department, row.department ?? '-'],
  [headings.occurred, moment(row.occurred_at)],
  [headings.detected, moment(row.detected_at)],
  [headings.reported, by(row.reported_at, row.reported_by)],
  [headings.assigned_to, words(row.assigned_to)],
  [
    headings.due,
    printed.dossier_due({ day: row.due_date, original: row.original_due_date, extensions: row.extension_count }),
  ],
  [headings.recurrence, yesOrNo(row.is_recurrence)],
  [headings.closed, by(row.closed_at, row.closed_by)],
  ...importedFacts(row),
]

const contentOf = (row: DeviationRow): Block[] => [
  ...texts([[headings.description, row.description]]),
  ...table(
    headings.affected_items,
    [headings.type, headings.identifier],
    row.affected_items.map(({ kind, identifier }) => [plain(kind), identifier]),
  ),
  ...suggestionOf(row),
  ...(row.root_cause ? rootCauseOf(row.root_cause) : []),
  ...texts([
    [headings.severity_reason, row.severity_reason],
    [headings.late_report_reason, row.late_report_reason],
    [headings.immediate_action, row.immediate_action],
    [headings.impact_assessment, row.impact_assessment],
    [headings.investigation, row.investigation],
    [headings.no_capa_reason, row.no_capa_reason],
    ...(row.root_cause ? [] : [[headings.root_cause, null] satisfies [Print, null]]),
  ]),
]

const suggestionOf = ({ severity_suggestion: suggestion }: DeviationRow): Block[] =>
  suggestion
    ? [
        heading(headings.severity_suggestion),
        {
          kind: 'facts',
          facts: [
            [headings.severity, plain(suggestion.severity)],
            [headings.confidence, String(suggestion.confidence)],
            [headings.reason, suggestion.rationale],
          ],
        },
      ]
    : []

function rootCauseOf({ method, category, summary, steps }: NonNullable<DeviationRow['root_cause']>): Block[] {
  const causes = Array.isArray(steps)
    ? table(
        headings.five_whys,
        [headings.question, headings.answer],
        steps.map(({ why, because }) => [why, because]),
      )
    : table(
        headings.causes,
        [headings.category, headings.cause, headings.contributing],
        Object.entries(steps ?? {}).flatMap(([name, list]) =>
          list.map(({ cause, is_contributing }) => [plain(name), cause, yesOrNo(is_contributing ?? false)]),
        ),
      )
  return [
    heading(headings.root_cause),
    {
      kind: 'facts',
      facts: [
        [headings.method, plain(method)],
        [headings.category, plain(category)],
      ],
    },
    paragraph(summary),
    ...causes,
  ]
}

type Form = NonNullable<Awaited<ReturnType<typeof findFormVersion>>>

/** The numbers of the records that the form points to, as far as the reader may read them, by the keys of its fields. */
async function readPointers(tx: Tx, actor: Actor, { sections }: Form, values: Record<string, unknown>) {
  const numbers = new Map<string, Print>()
  for (const { key, type } of sections.flatMap(({ fields }) => fields)) {
    const id = values[key]
    if (typeof id !== 'number') continue
    const kind = kinds[type]
    if (!kind) numbers.set(key, printed.dossier_form_attachment({ id }))
    else {
      const found = await findLinkedRecord(tx, actor, { kind, id })
      numbers.set(key, found?.number ?? printed.dossier_record_not_readable({ type: kind }))
    }
  }
  return numbers
}
const kinds: Record<string, 'document' | 'capa'> = { document_picker: 'document', capa_picker: 'capa' }

/** The values of the form under the titles of its sections, as it was when it was filled in. */
function formOf({ form_data }: DeviationRow, form: Form, pointers: ReadonlyMap<string, Print>): Block[] {
  const values: Record<string, unknown> = form_data ?? {}
  return [
    heading(printed.dossier_form({ name: form.name, version: form.version })),
    ...form.sections.flatMap(({ title, fields }): Block[] => [
      { kind: 'flow', flow: [{ kind: 'heading', level: 4, runs: [{ text: title }] }] },
      {
        kind: 'facts',
        facts: fields.map(({ key, label, options }): Fact => {
          const option = options?.find(({ value }) => value === values[key])
          return [label, option?.label ?? pointers.get(key) ?? words(values[key])]
        }),
      },
    ]),
  ]
}
