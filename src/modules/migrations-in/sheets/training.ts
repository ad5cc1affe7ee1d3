import { addImportedCompletions, importedProgram, importedReading, importedTrainingTypes } from '#modules/training'
import { type BatchFacts, keyOf, provenance, type Sheet, type StagedRow } from '../sheet.ts'
import { optional, required } from './columns.ts'
import { versionKey } from './documents.ts'
import { labelKey } from './labels.ts'
import { help, messages } from './messages.ts'
import { findDocuments, findPrograms, findVersions, listVerifiedReadings, readTrainings } from './queries.ts'
import {
  byId,
  callsBy,
  differing,
  type Finding,
  futureDay,
  idsOf,
  inOrder,
  judged,
  lower,
  missing,
  People,
  unknownPerson,
  unsure,
  userKey,
  wrong,
} from './shared.ts'

type TrainingRow = {
  username: string
  document: string | null
  version: string | null
  title: string | null
  type: string | null
  completed_on: string
  valid_until: string | null
  score: number | null
  trainer: string | null
}

const documentsIn = (rows: readonly StagedRow<TrainingRow>[]) => [
  ...new Set(rows.flatMap(({ values }) => values.document?.trim() ?? [])),
]

const stagedVersions = ({ find }: BatchFacts, rows: readonly StagedRow<TrainingRow>[]) =>
  find(
    'versions',
    rows.flatMap(({ values }) =>
      values.document && values.version ? versionKey(values.document, values.version) : [],
    ),
  )

/** Exactly one of document and title says what a person was trained in. */
function subjectFindings({ document, version, title }: TrainingRow): Finding[] {
  if ((document === null) === (title === null))
    return [
      wrong(
        document === null ? 'document' : 'title',
        messages.staged_training_subject(),
        messages.todo_training_subject(),
      ),
    ]
  return document !== null && version === null
    ? [wrong('version', messages.staged_training_without_version(), messages.todo_training_without_version())]
    : []
}

export const training: Sheet<TrainingRow> = {
  name: 'training',
  needs: ['users', 'versions'],
  help: help.help_training(),
  columns: [
    required('username', 'text', help.help_trainee(), ['User name', 'Benutzername', 'Person']),
    optional('document', 'text', help.help_training_document(), [
      'Document',
      'Dokument',
      'Document number',
      'Dokumentnummer',
    ]),
    optional('version', 'text', help.help_training_version(), ['Version', 'Revision', 'Rev']),
    optional('title', 'text', help.help_training_title(), ['Title', 'Training', 'Titel', 'Schulung']),
    optional('type', 'choice', help.help_training_type(), ['Type', 'Art'], { choices: importedTrainingTypes }),
    required('completed_on', 'date', help.help_completed_on(), ['Completed on', 'Date', 'Abgeschlossen am', 'Datum']),
    optional('valid_until', 'date', help.help_valid_until(), ['Valid until', 'Gültig bis']),
    optional('score', 'integer', help.help_score(), ['Score', 'Ergebnis']),
    optional('trainer', 'text', help.help_trainer(), ['Trainer', 'Trainer/in', 'Schulende Person']),
  ],
  key: ({ username, document, version, title, completed_on }) =>
    keyOf(userKey(username), document?.trim() ?? title, version === null ? null : labelKey(version), completed_on),
  references: ({ username, document, version }) => [
    { sheet: 'users', key: userKey(username) },
    ...(document !== null && version !== null
      ? [{ sheet: 'versions' as const, key: versionKey(document, version) }]
      : []),
  ],
  async check(tx, rows, batch) {
    const people = await People.find(tx, batch, rows, values => [values.username])
    const staged = await stagedVersions(batch, rows)
    const found = await findDocuments(tx, batch.id, documentsIn(rows))
    const byNumber = new Map(found.map(each => [each.called, each]))
    const versions = new Map(
      (
        await findVersions(
          tx,
          found.map(({ id }) => id),
        )
      ).map(each => [keyOf(String(each.document_id), each.version), each.effective_date]),
    )
    const verified = await listVerifiedReadings(
      tx,
      found.map(({ id }) => id),
    )
    const programs = await findPrograms(
      tx,
      rows.flatMap(({ values }) => values.title ?? []),
    )
    return rows.map(({ values }) => {
      const { username, document, version, title, completed_on, valid_until, score } = values
      const person = people.get(username)
      const there = document === null ? undefined : byNumber.get(document.trim())
      const isStaged = document !== null && version !== null && staged.has(versionKey(document, version))
      const known = there && version !== null ? versions.get(keyOf(String(there.id), labelKey(version))) : undefined
      const effective = isStaged ? staged.get(versionKey(document, version))!.values.effective_date : known
      const program = title === null ? undefined : programs.find(each => each.title === title)
      return judged(
        [
          ...(person ? [] : [unknownPerson('username', username)]),
          ...subjectFindings(values),
          ...(document !== null && version !== null && !isStaged && known === undefined
            ? [
                wrong(
                  'version',
                  messages.staged_training_version_unknown({ document, version }),
                  messages.todo_training_version_unknown(),
                ),
              ]
            : []),
          ...futureDay('completed_on', completed_on, batch),
          ...inOrder(['completed_on', completed_on], ['valid_until', valid_until]),
          ...(typeof effective === 'string' && completed_on < effective
            ? [
                unsure(
                  'completed_on',
                  messages.staged_trained_before_effective({ day: completed_on, effective }),
                  messages.todo_trained_before_effective(),
                ),
              ]
            : []),
          ...(score !== null && (score < 0 || score > 100)
            ? [wrong('score', messages.staged_score_unfit({ score }), messages.todo_score_unfit())]
            : []),
          ...(program?.requires_verification || (there && verified.has(there.id))
            ? [
                unsure(
                  document === null ? 'title' : 'document',
                  messages.staged_training_unverified(),
                  messages.todo_training_unverified(),
                ),
              ]
            : []),
        ],
        {
          ...{ user: person?.username ?? username, status: 'completed', source: 'migration', signature_id: null },
          ...{
            document,
            document_version: version === null ? null : labelKey(version),
            title,
            type: document === null ? (values.type ?? 'classroom') : 'read_and_understand',
          },
          ...{ completed_on, valid_until, score, trainer: values.trainer, counts: batch.training_counts },
        },
      )
    })
  },
  async load(context, rows, batch) {
    const { tx } = context
    const people = await People.find(tx, batch, rows, values => [values.username])
    const documents = new Map((await findDocuments(tx, batch.id, documentsIn(rows))).map(each => [each.called, each]))
    const versions = new Map(
      (
        await findVersions(
          tx,
          [...documents.values()].map(({ id }) => id),
        )
      ).map(each => [keyOf(String(each.document_id), each.version), each.id]),
    )
    // Each program is looked up, or made, once for a page.
    const programs = new Map<string, Awaited<ReturnType<typeof importedProgram>>>()
    const completions = []
    for (const row of rows) {
      const { username, document, version, title, type, trainer, completed_on, valid_until, score } = row.values
      const from = provenance(row, batch)
      const of = document === null ? undefined : documents.get(document.trim())!
      const name = of ? `document ${of.id}` : `title ${title}`
      const program =
        programs.get(name) ??
        (of
          ? await importedReading(context, of, from)
          : await importedProgram(context, { title: title!, type: (type ?? 'classroom') as 'classroom' }, from))
      programs.set(name, program)
      const read = of && {
        ...{ document_id: of.id, number: of.number, version: labelKey(version!) },
        version_id: versions.get(keyOf(String(of.id), labelKey(version!)))!,
      }
      completions.push({
        ...{ program, user: people.require(username), read: read ?? null, completed_on, valid_until, score, trainer },
        ...{ counts: batch.training_counts, migration_batch_id: batch.id, from },
      })
    }
    const ids = await addImportedCompletions(context, completions, batch)
    return ids.map(id => ({ resource_type: 'training_assignment', resource_id: id }))
  },
  async compare(tx, rows, batch) {
    const found = byId(await readTrainings(tx, idsOf(rows), batch.time_zone))
    return rows.map(({ values, resource_id, key }) => {
      const assignment = found.get(resource_id!)
      if (!assignment) return missing(key)
      const { number, legacy_number, valid_months } = assignment
      return differing([
        ['username', userKey(values.username), lower(assignment.username)],
        ['document', values.document?.trim(), number === null ? null : callsBy({ number, legacy_number })],
        ['version', values.version === null ? null : labelKey(values.version), assignment.version],
        ['title', values.title, values.title === null ? null : assignment.title],
        ['completed_on', values.completed_on, assignment.completed_on],
        // Without a day of its own the validity is that of the program.
        [
          'valid_until',
          values.valid_until,
          values.valid_until === null && valid_months !== null ? null : assignment.valid_until,
        ],
        ['score', values.score, assignment.score],
        ['status', 'completed', assignment.status],
        ['source', 'migration', assignment.source],
      ])
    })
  },
}
