import { actionStatuses, addImportedAction, maxActions } from '#modules/capas'
import { attachImported } from '#modules/casework'
import { type BatchFacts, keyOf, provenance, type Sheet, type StagedRow } from '../sheet.ts'
import { type CapaRow, dueOf } from './capas.ts'
import { caseReferences, comparedFiles } from './cases.ts'
import { optional, required } from './columns.ts'
import { help, messages } from './messages.ts'
import { findCapas, readCapaActions } from './queries.ts'
import {
  asStored,
  attachedIn,
  attachmentColumns,
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
  plainKey,
  unknownPerson,
  unsure,
  userKey,
  wrong,
} from './shared.ts'

type ActionRow = {
  capa: string
  position: number
  description: string
  assigned_to: string
  state: (typeof actionStatuses)[number]
  due_date: string | null
  completed_on: string | null
  completed_by: string | null
  verified_on: string | null
  verified_by: string | null
  evidence: string | null
  attachment_1: string | null
  attachment_2: string | null
  attachment_3: string | null
}

const isOpen = ({ state }: Pick<ActionRow, 'state'>) => state === 'open' || state === 'in_progress'

const listedCapas = ({ find }: BatchFacts, rows: readonly StagedRow<ActionRow>[]) =>
  find('capas', [...new Set(rows.map(({ values }) => plainKey(values.capa)))]) as Promise<
    Map<string, StagedRow<CapaRow>>
  >

/** An action that is over may lack a due date: then it was due when it was completed, or with its CAPA. */
const dueWithin = ({ due_date, completed_on }: ActionRow, capa: CapaRow) => due_date ?? completed_on ?? dueOf(capa)

function findingsOf(values: ActionRow, capa: CapaRow | undefined, people: People, batch: BatchFacts): Finding[] {
  const { position, assigned_to, state, due_date, completed_on, verified_on, verified_by } = values
  const assignee = people.get(assigned_to)
  const reported = [
    ...(['completed_on', 'completed_by', 'verified_on', 'verified_by'] as const).filter(each => values[each] !== null),
  ]
  const isInOpenCapa = capa !== undefined && (capa.state === 'open' || capa.state === 'in_progress')
  return [
    ...(capa
      ? []
      : [
          wrong(
            'capa',
            messages.staged_action_without_capa({ number: values.capa }),
            messages.todo_action_without_capa(),
          ),
        ]),
    ...(position < 1 || position > maxActions
      ? [
          wrong(
            'position',
            messages.staged_action_position({ position, maximum: maxActions }),
            messages.todo_action_position(),
          ),
        ]
      : []),
    ...(assignee ? [] : [unknownPerson('assigned_to', assigned_to)]),
    ...(assignee && !assignee.is_active && isOpen(values) && isInOpenCapa
      ? [
          wrong(
            'assigned_to',
            messages.staged_assignee_inactive({ name: assignee.username }),
            messages.todo_assignee_inactive(),
          ),
        ]
      : []),
    // A CAPA is verified, and closed, when its actions are over. One that was cancelled left them as they were.
    ...(isOpen(values) && (capa?.state === 'pending_effectiveness' || capa?.state === 'closed')
      ? [
          wrong(
            'state',
            messages.staged_action_still_open({ state, number: values.capa, capa_state: capa.state }),
            messages.todo_action_still_open(),
          ),
        ]
      : []),
    ...(due_date === null && isOpen(values)
      ? [wrong('due_date', messages.staged_due_missing(), messages.todo_due_missing())]
      : []),
    ...(due_date !== null && due_date < batch.today && isOpen(values) && isInOpenCapa
      ? [unsure('due_date', messages.staged_overdue({ day: due_date }), messages.todo_overdue())]
      : []),
    ...(due_date !== null && capa && due_date > dueOf(capa)
      ? [
          unsure(
            'due_date',
            messages.staged_action_due_after_capa({ day: due_date, due: dueOf(capa) }),
            messages.todo_action_due_after_capa(),
          ),
        ]
      : []),
    ...futureDay('completed_on', completed_on, batch),
    ...futureDay('verified_on', verified_on, batch),
    ...inOrder(['completed_on', completed_on], ['verified_on', verified_on]),
    ...(state === 'done' && completed_on === null
      ? [wrong('completed_on', messages.staged_action_undated(), messages.todo_action_undated())]
      : []),
    ...(verified_by !== null && verified_on === null
      ? [wrong('verified_on', messages.staged_action_verified_undated(), messages.todo_action_undated())]
      : []),
    ...(state !== 'done' && reported.length > 0
      ? [wrong(reported[0]!, messages.staged_action_not_done({ state }), messages.todo_action_not_done())]
      : []),
    ...(state === 'done' && values.evidence === null && attachedIn(values).length === 0
      ? [unsure('evidence', messages.staged_action_without_evidence(), messages.todo_action_without_evidence())]
      : []),
  ]
}

/** Actions of the CAPAs of the same batch. Who did them is a name as the source has it, and no person of Attest. */
export const capaActions: Sheet<ActionRow> = {
  name: 'capa_actions',
  needs: ['users', 'capas'],
  help: help.help_capa_actions(),
  columns: [
    required('capa', 'text', help.help_action_capa(), ['CAPA', 'CAPA number', 'CAPA-Nummer', 'Number', 'Nummer']),
    required('position', 'integer', help.help_action_position(), ['Position', 'Action', 'No.', 'Maßnahme', 'Nr.']),
    required('description', 'long_text', help.help_action_description(), ['Description', 'Beschreibung']),
    required('assigned_to', 'text', help.help_action_assigned_to(), [
      'Assigned to',
      'Owner',
      'Zuständig',
      'Verantwortlich',
    ]),
    required('state', 'choice', help.help_action_state(), ['State', 'Status'], { choices: actionStatuses }),
    optional('due_date', 'date', help.help_due_date(), ['Due date', 'Fällig am', 'Frist']),
    optional('completed_on', 'date', help.help_action_completed_on(), [
      'Completed on',
      'Done on',
      'Erledigt am',
      'Abgeschlossen am',
    ]),
    optional('completed_by', 'text', help.help_closed_by(), [
      'Completed by',
      'Done by',
      'Erledigt von',
      'Abgeschlossen von',
    ]),
    optional('verified_on', 'date', help.help_action_verified_on(), ['Verified on', 'Verifiziert am', 'Geprüft am']),
    optional('verified_by', 'text', help.help_closed_by(), ['Verified by', 'Verifiziert von', 'Geprüft von']),
    optional('evidence', 'long_text', help.help_action_evidence(), ['Evidence', 'Nachweis']),
    ...attachmentColumns,
  ],
  key: ({ capa, position }) => keyOf(plainKey(capa), String(position ?? '')),
  references: ({ capa, assigned_to }) => [{ sheet: 'capas', key: plainKey(capa) }, ...caseReferences(assigned_to)],
  async check(tx, rows, batch) {
    const listed = await listedCapas(batch, rows)
    const people = await People.find(tx, batch, rows, values => [values.assigned_to])
    return rows.map(({ values }) => {
      const capa = listed.get(plainKey(values.capa))?.values
      const { position, description, state, completed_on, completed_by, verified_on, verified_by } = values
      return judged(findingsOf(values, capa, people, batch), {
        ...{ capa: values.capa.trim(), position, description, status: state },
        ...{ assigned_to: values.assigned_to, due_date: capa ? dueWithin(values, capa) : values.due_date },
        ...{ completed_on, completed_by, verified_on, verified_by, evidence: values.evidence },
        attachments: attachedIn(values),
      })
    })
  },
  async load(context, rows, batch) {
    const { tx } = context
    const people = await People.find(tx, batch, rows, values => [values.assigned_to])
    const listed = await listedCapas(batch, rows)
    const numbers = [...new Set(rows.map(({ values }) => values.capa.trim()))]
    const capas = new Map(
      (await findCapas(tx, batch.id, numbers))
        .filter(({ batch_id }) => batch_id === batch.id)
        .map(each => [each.called, each]),
    )
    const files = await batch.files(rows.flatMap(({ values }) => attachedIn(values)))
    const loaded = []
    for (const row of rows) {
      const { values } = row
      const { position, description, assigned_to, state, completed_on, completed_by, evidence } = values
      const { id, number } = capas.get(values.capa.trim())!
      const from = provenance(row, batch)
      const attached = await attachImported(
        context,
        { kind: 'capa', id, number },
        attachedIn(values).map(path => asStored(files.get(path)!)),
        from,
      )
      const made = await addImportedAction(
        context,
        {
          ...{ capa_id: id, position, description, status: state, evidence, attachment_ids: attached },
          assigned_to: people.require(assigned_to).id,
          due_date: dueWithin(values, listed.get(plainKey(values.capa))!.values),
          ...{ completed_on, completed_by_name: completed_by },
          ...{ approved_on: values.verified_on, approved_by_name: values.verified_by },
          ...{ migration_batch_id: batch.id, from },
        },
        batch,
      )
      loaded.push({ resource_type: 'capa_action', resource_id: made.id })
    }
    return loaded
  },
  async compare(tx, rows, batch) {
    const found = byId(await readCapaActions(tx, idsOf(rows), batch.time_zone))
    const listed = await listedCapas(batch, rows)
    const files = await batch.files(rows.flatMap(({ values }) => attachedIn(values)))
    return rows.map(({ values, resource_id, key }) => {
      const action = found.get(resource_id!)
      if (!action) return missing(key)
      return differing([
        ['capa', values.capa.trim(), callsBy(action)],
        ['position', values.position, action.position],
        ['description', values.description, action.description],
        ['assigned_to', userKey(values.assigned_to), lower(action.assignee)],
        ['state', values.state, action.status],
        ['due_date', dueWithin(values, listed.get(plainKey(values.capa))!.values), action.due_date],
        ['completed_on', values.completed_on, action.completed_on],
        ['completed_by', values.completed_by, action.completed_by_name],
        ['verified_on', values.verified_on, action.verified_on],
        ['verified_by', values.verified_by, action.approved_by_name],
        ['evidence', values.evidence, action.evidence],
        ...comparedFiles(values, action.attachments, files),
      ])
    })
  },
}
