import { daysLater } from '#kernel/day.ts'
import { attachImported } from '#modules/casework'
import { addImportedDeviation, Category, importedDeviationStates, Severity } from '#modules/deviations'
import { provenance, type Sheet } from '../sheet.ts'
import { caseFindings, caseReferences, caseText, comparedFiles } from './cases.ts'
import { optional, required } from './columns.ts'
import { help } from './messages.ts'
import { findDeviations, readDeviations } from './queries.ts'
import {
  asStored,
  attachedIn,
  attachmentColumns,
  byId,
  callsBy,
  differing,
  futureDay,
  idsOf,
  inOrder,
  judged,
  lower,
  missing,
  numberFindings,
  numbersOf,
  People,
  plainKey,
  unknownPerson,
  userKey,
} from './shared.ts'

type DeviationRow = {
  number: string
  title: string
  description: string
  severity: (typeof Severity.enum)[number]
  state: (typeof importedDeviationStates)[number]
  category: string | null
  department: string | null
  reported_by: string
  assigned_to: string | null
  occurred_on: string | null
  detected_on: string
  reported_on: string | null
  due_date: string | null
  closed_on: string | null
  closed_by: string | null
  investigation: string | null
  attachment_1: string | null
  attachment_2: string | null
  attachment_3: string | null
}

/** A closed deviation without a due date was due when it was closed. */
const dueOf = ({ due_date, closed_on, detected_on }: DeviationRow) =>
  due_date ?? closed_on ?? daysLater(detected_on, 30)

export const deviations: Sheet<DeviationRow> = {
  name: 'deviations',
  needs: ['users'],
  help: help.help_deviations(),
  columns: [
    required('number', 'text', help.help_case_number(), ['Number', 'Nummer']),
    required('title', 'text', help.help_case_title(), ['Title', 'Titel']),
    required('description', 'long_text', help.help_case_description(), ['Description', 'Beschreibung']),
    required('severity', 'choice', help.help_severity(), ['Severity', 'Schweregrad'], { choices: Severity.enum }),
    required('state', 'choice', help.help_deviation_state(), ['State', 'Status'], { choices: importedDeviationStates }),
    optional('category', 'choice', help.help_category(), ['Category', 'Kategorie'], { choices: Category.enum }),
    optional('department', 'text', help.help_department(), ['Department', 'Abteilung']),
    required('reported_by', 'text', help.help_reported_by(), ['Reported by', 'Gemeldet von']),
    optional('assigned_to', 'text', help.help_assigned_to(), ['Assigned to', 'Owner', 'Zuständig', 'Verantwortlich']),
    optional('occurred_on', 'date', help.help_occurred_on(), ['Occurred on', 'Aufgetreten am']),
    required('detected_on', 'date', help.help_detected_on(), ['Detected on', 'Entdeckt am', 'Festgestellt am']),
    optional('reported_on', 'date', help.help_reported_on(), ['Reported on', 'Gemeldet am']),
    optional('due_date', 'date', help.help_due_date(), ['Due date', 'Fällig am', 'Frist']),
    optional('closed_on', 'date', help.help_closed_on(), ['Closed on', 'Geschlossen am', 'Abgeschlossen am']),
    optional('closed_by', 'text', help.help_closed_by(), ['Closed by', 'Geschlossen von', 'Abgeschlossen von']),
    optional('investigation', 'long_text', help.help_investigation(), ['Investigation', 'Untersuchung']),
    ...attachmentColumns,
  ],
  key: ({ number }) => plainKey(number),
  references: ({ reported_by, assigned_to }) => caseReferences(reported_by, assigned_to),
  async check(tx, rows, batch) {
    const numbers = rows.map(({ values }) => values.number.trim())
    const found = new Map((await findDeviations(tx, batch.id, numbers)).map(each => [each.number, each]))
    const people = await People.find(tx, batch, rows, values => [values.reported_by, values.assigned_to])
    return rows.map(({ values }) => {
      const { reported_by, occurred_on, detected_on, reported_on, closed_on } = values
      const number = values.number.trim()
      return judged(
        [
          ...numberFindings(number, found.get(number), batch),
          ...(people.get(reported_by) ? [] : [unknownPerson('reported_by', reported_by)]),
          ...futureDay('occurred_on', occurred_on, batch),
          ...futureDay('detected_on', detected_on, batch),
          ...futureDay('reported_on', reported_on, batch),
          ...inOrder(['occurred_on', occurred_on], ['detected_on', detected_on]),
          ...inOrder(['detected_on', detected_on], ['reported_on', reported_on]),
          ...inOrder(['detected_on', detected_on], ['closed_on', closed_on]),
          ...caseFindings(values, people, batch),
        ],
        {
          ...numbersOf(number, batch),
          ...{ title: values.title, severity: values.severity, status: values.state, category: values.category },
          ...{ department: values.department, reported_by: people.get(reported_by)?.username ?? reported_by },
          ...{ assigned_to: values.assigned_to, detected_on, occurred_on, reported_on: reported_on ?? detected_on },
          ...{ due_date: dueOf(values), closed_on, attachments: attachedIn(values) },
        },
      )
    })
  },
  async load(context, rows, batch) {
    const people = await People.find(context.tx, batch, rows, values => [values.reported_by, values.assigned_to])
    const files = await batch.files(rows.flatMap(({ values }) => attachedIn(values)))
    const loaded = []
    for (const row of rows) {
      const { values } = row
      const { title, description, severity, state, category, department, investigation, closed_on } = values
      const from = provenance(row, batch)
      const made = await addImportedDeviation(
        context,
        {
          ...numbersOf(values.number.trim(), batch),
          ...{ title, description, severity, status: state, category, department, investigation, closed_on, from },
          reported_by: people.require(values.reported_by).id,
          assigned_to: values.assigned_to === null ? null : people.require(values.assigned_to).id,
          ...{ occurred_on: values.occurred_on, detected_on: values.detected_on },
          reported_on: values.reported_on ?? values.detected_on,
          ...{ due_date: dueOf(values), closed_by_name: values.closed_by, migration_batch_id: batch.id },
        },
        batch,
      )
      await attachImported(
        context,
        { kind: 'deviation', ...made },
        attachedIn(values).map(path => asStored(files.get(path)!)),
        from,
      )
      loaded.push({ resource_type: 'deviation', resource_id: made.id })
    }
    return loaded
  },
  async compare(tx, rows, batch) {
    const found = byId(await readDeviations(tx, idsOf(rows), batch.time_zone))
    const files = await batch.files(rows.flatMap(({ values }) => attachedIn(values)))
    return rows.map(({ values, resource_id, key }) => {
      const record = found.get(resource_id!)
      if (!record) return missing(key)
      return differing([
        ['number', values.number.trim(), callsBy(record)],
        ...caseText(values, record),
        ['severity', values.severity, record.severity],
        ['category', values.category, record.category],
        ['department', values.department, record.department],
        ['investigation', values.investigation, record.investigation],
        ['reported_by', userKey(values.reported_by), lower(record.reporter)],
        ['occurred_on', values.occurred_on, record.occurred_on],
        ['detected_on', values.detected_on, record.detected_on],
        ['reported_on', values.reported_on ?? values.detected_on, record.reported_on],
        ['due_date', dueOf(values), record.due_date],
        ...comparedFiles(values, record.attachments, files),
      ])
    })
  },
}
