import { daysLater } from '#kernel/day.ts'
import { addImportedCapa, capaPriorities, capaSources, capaTypes, importedCapaStates } from '#modules/capas'
import { attachImported } from '#modules/casework'
import { provenance, type Sheet } from '../sheet.ts'
import { caseFindings, caseReferences, caseText, comparedFiles } from './cases.ts'
import { optional, required } from './columns.ts'
import { help } from './messages.ts'
import { findCapas, readCapas } from './queries.ts'
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
  missing,
  numberFindings,
  numbersOf,
  People,
  plainKey,
} from './shared.ts'

export type CapaRow = {
  number: string
  title: string
  description: string
  type: string
  source: string
  priority: string
  state: (typeof importedCapaStates)[number]
  assigned_to: string | null
  opened_on: string
  due_date: string | null
  closed_on: string | null
  closed_by: string | null
  root_cause: string | null
  adverse_effect_assessment: string | null
  attachment_1: string | null
  attachment_2: string | null
  attachment_3: string | null
}

/** A closed CAPA without a due date was due when it was closed. */
export const dueOf = ({ due_date, closed_on, opened_on }: CapaRow) => due_date ?? closed_on ?? daysLater(opened_on, 60)

export const capas: Sheet<CapaRow> = {
  name: 'capas',
  needs: ['users'],
  help: help.help_capas(),
  columns: [
    required('number', 'text', help.help_case_number(), ['Number', 'Nummer']),
    required('title', 'text', help.help_case_title(), ['Title', 'Titel']),
    required('description', 'long_text', help.help_case_description(), ['Description', 'Beschreibung']),
    required('type', 'choice', help.help_capa_type(), ['Type', 'Art'], { choices: capaTypes }),
    required('source', 'choice', help.help_capa_source(), ['Source', 'Quelle'], { choices: capaSources }),
    required('priority', 'choice', help.help_capa_priority(), ['Priority', 'Priorität'], { choices: capaPriorities }),
    required('state', 'choice', help.help_capa_state(), ['State', 'Status'], { choices: importedCapaStates }),
    optional('assigned_to', 'text', help.help_assigned_to(), ['Assigned to', 'Owner', 'Zuständig', 'Verantwortlich']),
    required('opened_on', 'date', help.help_opened_on(), ['Opened on', 'Eröffnet am']),
    optional('due_date', 'date', help.help_due_date(), ['Due date', 'Fällig am', 'Frist']),
    optional('closed_on', 'date', help.help_closed_on(), ['Closed on', 'Geschlossen am', 'Abgeschlossen am']),
    optional('closed_by', 'text', help.help_closed_by(), ['Closed by', 'Geschlossen von', 'Abgeschlossen von']),
    optional('root_cause', 'long_text', help.help_root_cause(), ['Root cause', 'Ursache']),
    optional('adverse_effect_assessment', 'long_text', help.help_adverse_effects(), [
      'Adverse effects',
      'Nachteilige Auswirkungen',
    ]),
    ...attachmentColumns,
  ],
  key: ({ number }) => plainKey(number),
  references: ({ assigned_to }) => caseReferences(assigned_to),
  async check(tx, rows, batch) {
    const numbers = rows.map(({ values }) => values.number.trim())
    const found = new Map((await findCapas(tx, batch.id, numbers)).map(each => [each.number, each]))
    const people = await People.find(tx, batch, rows, values => [values.assigned_to])
    return rows.map(({ values }) => {
      const { opened_on, closed_on } = values
      const number = values.number.trim()
      return judged(
        [
          ...numberFindings(number, found.get(number), batch),
          ...futureDay('opened_on', opened_on, batch),
          ...inOrder(['opened_on', opened_on], ['closed_on', closed_on]),
          ...caseFindings(values, people, batch),
        ],
        {
          ...numbersOf(number, batch),
          ...{
            title: values.title,
            type: values.type,
            source: values.source,
            priority: values.priority,
            status: values.state,
          },
          ...{
            assigned_to: values.assigned_to,
            opened_on,
            due_date: dueOf(values),
            closed_on,
            root_cause: values.root_cause,
          },
          attachments: attachedIn(values),
        },
      )
    })
  },
  async load(context, rows, batch) {
    const people = await People.find(context.tx, batch, rows, values => [values.assigned_to])
    const files = await batch.files(rows.flatMap(({ values }) => attachedIn(values)))
    const loaded = []
    for (const row of rows) {
      const { values } = row
      const { title, description, type, source, priority, state, opened_on, closed_on, root_cause } = values
      const from = provenance(row, batch)
      const made = await addImportedCapa(
        context,
        {
          ...numbersOf(values.number.trim(), batch),
          ...{ title, description, type, source, priority, status: state, opened_on, closed_on, root_cause, from },
          adverse_effect_assessment: values.adverse_effect_assessment,
          assigned_to: values.assigned_to === null ? null : people.require(values.assigned_to).id,
          ...{ due_date: dueOf(values), closed_by_name: values.closed_by, migration_batch_id: batch.id },
        },
        batch,
      )
      await attachImported(
        context,
        { kind: 'capa', ...made },
        attachedIn(values).map(path => asStored(files.get(path)!)),
        from,
      )
      loaded.push({ resource_type: 'capa', resource_id: made.id })
    }
    return loaded
  },
  async compare(tx, rows, batch) {
    const found = byId(await readCapas(tx, idsOf(rows), batch.time_zone))
    const files = await batch.files(rows.flatMap(({ values }) => attachedIn(values)))
    return rows.map(({ values, resource_id, key }) => {
      const record = found.get(resource_id!)
      if (!record) return missing(key)
      return differing([
        ['number', values.number.trim(), callsBy(record)],
        ...caseText(values, record),
        ['type', values.type, record.type],
        ['source', values.source, record.source],
        ['priority', values.priority, record.priority],
        ['opened_on', values.opened_on, record.opened_on],
        ['due_date', dueOf(values), record.due_date],
        ['root_cause', values.root_cause, record.root_cause],
        ['adverse_effect_assessment', values.adverse_effect_assessment, record.adverse_effect_assessment],
        ...comparedFiles(values, record.attachments, files),
      ])
    })
  },
}
