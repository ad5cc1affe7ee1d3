import { sql } from 'kysely'
import { demoPassword } from './people.ts'
import { type Begun, continueStory, type Deed } from './story.ts'
import { type Part, personId, type Visit } from './visit.ts'

interface Story {
  /** With the reporter it identifies the story. */
  title: string
  by: string
  fields: object
  /** Titles of linked documents. */
  documents?: string[]
  deeds: Deed[]
}

const put =
  (who: string, body: object): Deed =>
  (visit, id) =>
    visit.as(who).put(`/api/deviations/${id}`, body)
const investigate =
  (who: string): Deed =>
  async (visit, id) =>
    put(who, { status: 'under_investigation', assigned_to: await personId(visit, who) })(visit, id)
const submit = (who: string, findings: object) =>
  put(who, { status: 'pending_approval', change_reason: 'The investigation is complete', ...findings })
const close = (who: string, change_reason: string) =>
  put(who, { status: 'closed', change_reason, password: demoPassword })
const reopen = (who: string, change_reason: string) => put(who, { status: 'under_investigation', change_reason })
const cancel = (who: string, change_reason: string) => put(who, { status: 'cancelled', change_reason })
const comment =
  (who: string, text: string): Deed =>
  (visit, id) =>
    visit.as(who).post(`/api/deviations/${id}/comments`, { text })
const attach =
  (who: string, name: string, text: string): Deed =>
  (visit, id) =>
    visit.as(who).upload(`/api/deviations/${id}/attachments`, {}, { name, bytes: Buffer.from(text) })

const stories: readonly Story[] = [
  {
    title: 'Page of the logbook of balance AB-11 signed a day late',
    by: 'tom',
    fields: {
      description:
        'The daily check of the analytical balance AB-11 was done and within its limits, but signed only on the next morning. No weighing was affected.',
      severity: 'minor',
      severity_decision: 'accepted',
      category: 'documentation',
      department: 'Quality control',
      affected_items: [{ kind: 'equipment', identifier: 'AB-11' }],
      immediate_action: 'Signed with the day of the signature, and a note beside it.',
    },
    deeds: [],
  },
  {
    title: 'Swab of the blender PB-02 above its limit after cleaning',
    by: 'emil',
    fields: {
      description:
        'One of five swabs of the blender PB-02 after cleaning shows 14 µg per 25 cm² of the previous product, the limit is 10 µg. The next batch was not started.',
      severity: 'major',
      category: 'cleaning',
      department: 'Production',
      affected_items: [
        { kind: 'equipment', identifier: 'PB-02' },
        { kind: 'batch', identifier: 'LP-101-0117' },
      ],
      immediate_action: 'Blender labelled "Quarantine" and locked.',
    },
    documents: ['Cleaning of the powder blender PB-02'],
    deeds: [
      investigate('jonas'),
      attach(
        'jonas',
        'swab-results.csv',
        'place,microgram per 25 cm2\nhatch,2\nshaft seal,14\nblade,3\nwall,1\nvalve,4\n',
      ),
      comment('emil', 'The shaft seal is the place that was added with the cleaning validation.'),
    ],
  },
  {
    title: 'Label roll of another product found at packaging line 3',
    by: 'lucia',
    fields: {
      description:
        'At the line clearance before batch LP-204-0032 a roll of labels of LP-101 was found behind the labeller. No pack was labelled with it: the reconciliation of both batches agrees.',
      severity: 'major',
      category: 'packaging',
      department: 'Packaging',
      affected_items: [{ kind: 'equipment', identifier: 'Labeller L-3' }],
      immediate_action: 'Roll taken away and destroyed under two signatures; the line was cleared again.',
    },
    documents: ['Handling of deviations'],
    deeds: [
      investigate('priya'),
      submit('priya', {
        investigation: 'Camera records, the reconciliation of both batches and the interviews of two shifts agree.',
        impact_assessment: 'None on the product: the roll was never mounted. A mix-up would have been possible.',
        root_cause: {
          method: 'five_whys',
          category: 'method_procedure_gap',
          summary: 'The check list of the line clearance does not name the space behind the labeller.',
          steps: [
            { why: 'Why was the roll there?', because: 'It fell behind the labeller at the last change of rolls.' },
            { why: 'Why was it not found at the end of that batch?', because: 'Nobody looked behind the labeller.' },
            { why: 'Why did nobody look there?', because: 'The check list names the table and the cabinet alone.' },
          ],
        },
      }),
    ],
  },
  {
    title: 'Cold store CS-1 above 8 °C for six hours',
    by: 'tom',
    fields: {
      description:
        'The cold store CS-1 was between 8 and 11 °C for six hours of the night. Three batches of LP-310 for patients were in it, and their storage condition is 2 to 8 °C. The alarm was not acknowledged by anybody.',
      severity: 'critical',
      category: 'storage_warehouse',
      department: 'Warehouse',
      affected_items: [
        { kind: 'equipment', identifier: 'CS-1' },
        { kind: 'batch', identifier: 'LP-310-0008' },
        { kind: 'batch', identifier: 'LP-310-0009' },
        { kind: 'batch', identifier: 'LP-310-0010' },
      ],
      immediate_action: 'Batches moved to CS-2 and blocked; the compressor was restarted.',
    },
    deeds: [
      investigate('jonas'),
      attach(
        'jonas',
        'cs-1-temperatures.csv',
        'hour,celsius\n22,4.1\n23,8.3\n0,9.4\n1,10.2\n2,10.9\n3,10.1\n4,8.4\n5,5.0\n',
      ),
      submit('jonas', {
        investigation:
          'The compressor stopped after a short power cut, and the alarm went to a telephone that is off at night.',
        impact_assessment:
          'The stability data of LP-310 cover 72 hours at 25 °C: the three batches stay within their specification.',
        no_capa_reason: 'The alarm line was changed at once and tested; nothing more is to be corrected.',
        root_cause: {
          method: 'fishbone',
          category: 'equipment_failure',
          summary: 'Power cut, and an alarm that nobody could hear.',
          steps: {
            equipment: [{ cause: 'The compressor does not restart by itself', is_contributing: true }],
            process: [{ cause: 'The alarm goes to one telephone', is_contributing: true }],
            environment: [{ cause: 'Power cut of four seconds' }],
          },
        },
      }),
      close('priya', 'The stability data were checked, and the alarm was tried at night'),
    ],
  },
  {
    title: 'Conductivity alarm of the water system at point 4',
    by: 'emil',
    fields: {
      description: 'The conductivity at point 4 was above its alert limit for a minute.',
      severity: 'minor',
      category: 'equipment',
      department: 'Engineering',
      affected_items: [{ kind: 'system', identifier: 'PW-1' }],
    },
    deeds: [cancel('jonas', 'It was the monthly test of the alarm, which had been announced')],
  },
  {
    title: 'Weighing printed without a time',
    by: 'lucia',
    fields: {
      description:
        'The printer of the balance room prints weighings without the time since the change of its paper. The electronic records have it.',
      severity: 'minor',
      category: 'equipment',
      department: 'Quality control',
      affected_items: [{ kind: 'equipment', identifier: 'Printer PR-2' }],
    },
    deeds: [
      investigate('priya'),
      submit('priya', { impact_assessment: 'None: the electronic record is the original.' }),
      close('jonas', 'The setting of the printer was corrected'),
      reopen('marta', 'It prints without the time again'),
    ],
  },
]

interface Found extends Begun {
  title: string
  username: string
}

/** The first deviation with the title and reporter of a story; a later one is a visitor's. Marks are its history, comments and files. */
const findStories = (visit: Visit) =>
  visit.look(async tx => {
    const { rows } = await sql<Found>`
      select distinct on (d.title, u.username) d.id, d.title, u.username,
        (select count(*) from record_history where deviation_id = d.id)
        + (select count(*) from attachments where deviation_id = d.id)
        + (select count(*) from record_comments where deviation_id = d.id) as marks
      from deviations d join users u on u.id = d.reported_by
      where d.title = any(${stories.map(({ title }) => title)})
      order by d.title, u.username, d.id`.execute(tx)
    return rows
  })

const documentIds = (visit: Visit, titles: string[]) =>
  visit.look(async tx => {
    const rows = await tx
      .selectFrom('documents as d')
      .innerJoin('document_versions as v', 'v.id', 'd.effective_version_id')
      .select('d.id')
      .where('v.title', 'in', titles)
      .orderBy('d.id')
      .execute()
    return rows.map(({ id }) => id)
  })

/** Deviations in every state. */
export const deviations: Part = async visit => {
  const found = await findStories(visit)
  for (const { title, by, fields, documents, deeds } of stories) {
    const begun = found.find(each => each.title === title && each.username === by)
    const report = async () => {
      const document_ids = documents ? await documentIds(visit, documents) : []
      return visit.as(by).post<{ id: number }>('/api/deviations/', { title, ...fields, document_ids })
    }
    await continueStory(visit, { kind: 'deviation', title, deeds, begun, begin: report })
  }
}
