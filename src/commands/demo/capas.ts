import { sql } from 'kysely'
import { daysLater } from '#kernel/day.ts'
import { demoPassword } from './people.ts'
import { type Begun, continueStory, type Deed } from './story.ts'
import { type Part, personId, type Visit } from './visit.ts'

interface Action {
  description: string
  /** User name. */
  by: string
}
interface Story {
  /** With the author it identifies the story. */
  title: string
  by: string
  /** Its owner's user name. */
  owner?: string
  fields: object
  actions?: Action[]
  /** Titles of linked documents and deviations. */
  documents?: string[]
  deviations?: string[]
  deeds: Deed[]
}

const put =
  (who: string, body: object): Deed =>
  (visit, id) =>
    visit.as(who).put(`/api/capa/${id}`, body)
const approve =
  (who: string, comment: string): Deed =>
  (visit, id) =>
    visit.as(who).post(`/api/capa/${id}/approve-draft`, { comment })
const reject =
  (who: string, comment: string): Deed =>
  (visit, id) =>
    visit.as(who).post(`/api/capa/${id}/reject-draft`, { comment })
const start = (who: string) => put(who, { status: 'in_progress', change_reason: 'Cause and actions are agreed' })
const cancel = (who: string, change_reason: string) => put(who, { status: 'cancelled', change_reason })
const close = (who: string, change_reason: string) =>
  put(who, { status: 'closed', change_reason, password: demoPassword })
interface OpenAction {
  id: number
  status: string
  assigned_to: { username: string }
}
/** Verifies every action, once its assignee has done it. */
const verify =
  (who: string, evidence: string): Deed =>
  async (visit, id) => {
    const { actions } = await visit.as(who).get<{ actions: OpenAction[] }>(`/api/capa/${id}`)
    for (const open of actions.filter(({ status }) => status !== 'done')) {
      const sent = actions.map(each => ({ id: each.id, ...(each === open && { status: 'done', evidence }) }))
      await put(open.assigned_to.username, { actions: sent, change_reason: 'Done' })(visit, id)
    }
    return put(who, { status: 'pending_effectiveness', change_reason: 'The evidence of all actions was seen' })(
      visit,
      id,
    )
  }
const plan =
  (who: string, reviewer: string, criteria: string): Deed =>
  async (visit, id) =>
    visit.as(who).post(`/api/capa/${id}/effectiveness`, {
      criteria,
      method: 'data_review',
      due_date: daysLater(new Date().toISOString().slice(0, 10), 90),
      reviewer_id: await personId(visit, reviewer),
    })
const conclude =
  (who: string, findings: object): Deed =>
  async (visit, id) => {
    const [review] = await visit.as(who).get<{ id: number }[]>(`/api/capa/${id}/effectiveness`)
    return visit.as(who).put(`/api/capa/${id}/effectiveness/${review!.id}`, { password: demoPassword, ...findings })
  }

const stories: readonly Story[] = [
  {
    title: 'Line clearance looks behind the labeller',
    by: 'lucia',
    owner: 'lucia',
    fields: {
      description: 'The check list of the line clearance names the table and the cabinet, and not what is behind them.',
      type: 'corrective',
      source: 'deviation',
      priority: 'high',
      root_cause: 'The check list was written for the labeller that line 3 had before.',
    },
    actions: [{ description: 'Add the space behind the labeller to the check list', by: 'lucia' }],
    deviations: ['Label roll of another product found at packaging line 3'],
    deeds: [],
  },
  {
    title: 'Shaft seal of the blender PB-02 can be cleaned',
    by: 'emil',
    owner: 'emil',
    fields: {
      description: 'Product stays in the gap of the shaft seal, where no brush reaches.',
      type: 'both',
      source: 'deviation',
      priority: 'critical',
    },
    actions: [
      { description: 'Replace the seal by one without a gap', by: 'emil' },
      { description: 'Validate the cleaning again', by: 'jonas' },
    ],
    documents: ['Cleaning of the powder blender PB-02'],
    deviations: ['Swab of the blender PB-02 above its limit after cleaning'],
    deeds: [],
  },
  {
    title: 'Printers of balances print the time',
    by: 'emil',
    owner: 'emil',
    fields: {
      description: 'A printer loses its settings when its paper is changed with the power off.',
      type: 'preventive',
      source: 'trend',
      priority: 'low',
      root_cause: 'The settings are kept by a battery that is empty.',
      adverse_effect_assessment: 'None: the electronic records have the time.',
    },
    actions: [{ description: 'Change the batteries of all printers', by: 'lucia' }],
    deviations: ['Weighing printed without a time'],
    deeds: [
      approve('priya', 'Three printers are of the same kind'),
      start('emil'),
      plan('jonas', 'priya', 'No print without a time in 30 days'),
      verify('marta', 'List of the printers with the day of the change'),
      conclude('priya', {
        result: 'not_effective',
        conclusion: 'One printer lost its settings again, with a new battery',
        change_reason: 'It happened before the planned day',
        evidence: 'Prints of PR-2',
        follow_up: 'Replace the printers of this kind',
      }),
    ],
  },
  {
    title: 'Alarms of cold stores reach somebody who is awake',
    by: 'jonas',
    owner: 'emil',
    fields: {
      description: 'The alarm of a cold store goes to one telephone, which may be off.',
      type: 'corrective',
      source: 'deviation',
      priority: 'critical',
      root_cause: 'The alarm list was never changed when the night shift ended.',
      adverse_effect_assessment: 'None: the alarm itself is as it was qualified.',
    },
    actions: [{ description: 'Send the alarms to the gate, which is never empty', by: 'emil' }],
    deviations: ['Cold store CS-1 above 8 °C for six hours'],
    deeds: [
      approve('priya', 'At once'),
      start('emil'),
      plan('priya', 'jonas', 'Each test alarm of three months is acknowledged within ten minutes'),
      verify('priya', 'Report of the test at night'),
    ],
  },
  {
    title: 'Training records are complete before a batch is begun',
    by: 'lucia',
    owner: 'lucia',
    fields: {
      description: 'An inspection found two people at the blender whose training was not recorded.',
      type: 'corrective',
      source: 'audit_finding',
      priority: 'medium',
      root_cause: 'The list at the line is printed once a month.',
      adverse_effect_assessment: 'None: both had been trained.',
    },
    actions: [
      { description: 'Print the list with each batch record', by: 'lucia' },
      { description: 'Tell the shift leaders', by: 'emil' },
    ],
    documents: ['Handling of deviations'],
    deeds: [
      start('lucia'),
      plan('jonas', 'priya', 'Twenty batch records hold the list of their day'),
      verify('jonas', 'Batch records 0120 to 0124'),
      conclude('priya', {
        result: 'effective',
        conclusion: 'All of twenty batch records hold it',
        change_reason: 'Twenty batches were made sooner than planned',
        evidence: 'Batch records 0125 to 0144',
      }),
      close('marta', 'Found effective, with nothing left to do'),
    ],
  },
  {
    title: 'Second logbook for the balance AB-11',
    by: 'emil',
    fields: {
      description: 'A logbook in the corridor, where it can be signed on the way out.',
      type: 'preventive',
      source: 'internal',
      priority: 'low',
    },
    deeds: [reject('jonas', 'Two logbooks of one balance contradict each other sooner or later')],
  },
  {
    title: 'Audible alarm at point 4 of the water system',
    by: 'emil',
    fields: {
      description: 'The alert limit of the conductivity is shown, and not heard.',
      type: 'preventive',
      source: 'internal',
      priority: 'medium',
    },
    documents: ['Handling of deviations'],
    deeds: [cancel('marta', 'The water system is replaced in spring')],
  },
]

interface Found extends Begun {
  title: string
  username: string
}

/**
 * The first CAPA with the title and author of a story; a later one is a visitor's. Marks are steps of the history, a planned review and
 * an effective one.
 */
const findStories = (visit: Visit) =>
  visit.look(async tx => {
    const { rows } = await sql<Found>`
      select distinct on (c.title, u.username) c.id, c.title, u.username,
        (select count(*) from record_history where capa_id = c.id)
        + (select count(*) from effectiveness_reviews where capa_id = c.id)
        + (select count(*) from effectiveness_reviews where capa_id = c.id and result = 'effective') as marks
      from capas c join users u on u.id = c.created_by
      where c.title = any(${stories.map(({ title }) => title)})
      order by c.title, u.username, c.id`.execute(tx)
    return rows
  })

const linksOf = ({ documents = [], deviations = [] }: Story, visit: Visit) =>
  visit.look(async tx => {
    const { rows } = await sql<{ document_ids: number[]; deviation_ids: number[] }>`
      select (select coalesce(jsonb_agg(d.id order by d.id), '[]')
          from documents d join document_versions v on v.id = d.effective_version_id
          where v.title = any(${documents})) as document_ids,
        (select coalesce(jsonb_agg(id order by id), '[]') from deviations where title = any(${deviations})) as deviation_ids`.execute(
      tx,
    )
    return rows[0]!
  })

async function write(visit: Visit, story: Story): Promise<{ id: number }> {
  const { title, by, owner, fields, actions = [] } = story
  const given = await Promise.all(
    actions.map(async ({ description, by }) => ({ description, assigned_to: await personId(visit, by) })),
  )
  return visit.as(by).post('/api/capa/', {
    title,
    ...fields,
    ...(await linksOf(story, visit)),
    ...(owner && { assigned_to: await personId(visit, owner) }),
    actions: given,
  })
}

/** CAPAs in every state. */
export const capas: Part = async visit => {
  const found = await findStories(visit)
  for (const story of stories) {
    const { title, by, deeds } = story
    const begun = found.find(each => each.title === title && each.username === by)
    await continueStory(visit, { kind: 'CAPA', title, deeds, begun, begin: () => write(visit, story) })
  }
}
