import { sql } from 'kysely'
import * as contents from './contents.ts'
import { type PdfContent, pdfOf } from './pdf.ts'
import { demoPassword } from './people.ts'
import { type Begun, continueStory, type Deed } from './story.ts'
import type { File, Part, Visit } from './visit.ts'

interface Story {
  /** The name of the first file identifies the story, because its number may belong to a visitor's document. */
  file: Content
  by: string
  /** The fields of the upload; `type` is the document type's name. */
  type: string
  title: string
  category: string
  keywords: string
  deeds: Deed[]
}
interface Content {
  name: string
  content: PdfContent | string
}

const fileOf = async ({ name, content }: Content): Promise<File> => ({
  name,
  bytes: typeof content === 'string' ? Buffer.from(content) : await pdfOf(content),
})

const move =
  (transition: string) =>
  (who: string, comment?: string): Deed =>
  (visit, id) =>
    visit.as(who).post(`/api/documents/${id}/transition`, { transition, ...(comment && { comment }) })
const submit = move('submit')
const obsolete = move('obsolete')
const decide =
  (decision: 'approve' | 'reject', proof: object) =>
  (who: string, comment: string): Deed =>
  (visit, id) =>
    visit.as(who).post(`/api/documents/${id}/approve`, { decision, comment, ...proof })
/** A decision with a signature, which needs the password. */
const sign = decide('approve', { password: demoPassword })
const approve = decide('approve', {})
const reject = decide('reject', {})
const newVersion =
  (who: string, file: Content, change_reason: string): Deed =>
  async (visit, id) =>
    visit.as(who).upload(`/api/documents/${id}/versions`, { change_type: 'major', change_reason }, await fileOf(file))

const stories: readonly Story[] = [
  {
    file: { name: 'powder-blender-cleaning.pdf', content: contents.cleaning1 },
    by: 'emil',
    type: 'SOP',
    title: contents.cleaning1.title,
    category: 'Production',
    keywords: 'cleaning, blender, PB-02',
    deeds: [
      submit('emil'),
      sign('jonas', 'Reviewed: complete, and as it is done on the floor'),
      sign('priya', 'Approved for use'),
      newVersion(
        'emil',
        { name: 'powder-blender-cleaning-2.pdf', content: contents.cleaning2 },
        'Third rinse and two more swab places after the cleaning validation',
      ),
      submit('emil'),
      sign('priya', 'Reviewed: the new limits agree with SPEC-0001'),
      sign('jonas', 'Approved for use'),
    ],
  },
  {
    file: { name: 'deviation-handling.pdf', content: contents.deviations },
    by: 'lucia',
    type: 'SOP',
    title: contents.deviations.title,
    category: 'Quality',
    keywords: 'deviation, investigation, CAPA',
    deeds: [
      submit('lucia'),
      sign('priya', 'Reviewed against the regulation and the old procedure'),
      sign('marta', 'Approved for use'),
    ],
  },
  {
    file: { name: 'line-clearance.pdf', content: contents.lineClearance },
    by: 'lucia',
    type: 'SOP',
    title: contents.lineClearance.title,
    category: 'Packaging',
    keywords: 'line clearance, packaging, reconciliation',
    deeds: [submit('lucia')],
  },
  {
    file: { name: 'purified-water.pdf', content: contents.water },
    by: 'emil',
    type: 'Specification',
    title: contents.water.title,
    category: 'Utilities',
    keywords: 'water, TOC, conductivity',
    deeds: [submit('emil'), sign('jonas', 'Reviewed: limits agree with the pharmacopoeia')],
  },
  {
    file: { name: 'balance-check.pdf', content: contents.calibration },
    by: 'emil',
    type: 'Work instruction',
    title: contents.calibration.title,
    category: 'Quality control',
    keywords: 'balance, calibration',
    deeds: [submit('emil'), approve('jonas', 'Tried out on AB-11')],
  },
  {
    file: { name: 'data-integrity.pdf', content: contents.dataIntegrity },
    by: 'lucia',
    type: 'Policy',
    title: contents.dataIntegrity.title,
    category: 'Quality',
    keywords: 'data integrity, ALCOA, Part 11',
    deeds: [submit('lucia'), approve('marta', 'In force for all sites')],
  },
  {
    file: { name: 'blender-cleaning-validation.pdf', content: contents.cleaningValidation },
    by: 'emil',
    type: 'Validation protocol',
    title: contents.cleaningValidation.title,
    category: 'Validation',
    keywords: 'cleaning validation, PB-02, swab',
    deeds: [submit('emil'), reject('priya', 'The reason for the choice of the swab places is missing in section 3')],
  },
  {
    file: { name: 'batch-record-lp-101.md', content: contents.batchRecord },
    by: 'lucia',
    type: 'Form',
    title: 'Batch record: blending of LP-101',
    category: 'Production',
    keywords: 'batch record, LP-101',
    deeds: [submit('lucia'), approve('jonas', 'Agrees with the master formula')],
  },
  {
    file: { name: 'product-review-lp-101-2024.pdf', content: contents.productReview },
    by: 'lucia',
    type: 'Report',
    title: contents.productReview.title,
    category: 'Quality',
    keywords: 'APR, LP-101',
    deeds: [
      submit('lucia'),
      approve('priya', 'Figures checked against the batch list'),
      obsolete('marta', 'Replaced by the review of 2025'),
    ],
  },
  {
    file: { name: 'equipment-list.csv', content: contents.equipmentList },
    by: 'emil',
    type: 'General document',
    title: 'List of qualified equipment',
    category: 'Engineering',
    keywords: 'equipment, qualification',
    deeds: [],
  },
]

interface Found extends Begun {
  file_name: string
}

/** The first document that began with one of the files; a later one is a visitor's. Marks are in the history. */
const findStories = (visit: Visit) =>
  visit.look(async tx => {
    const names = stories.map(({ file }) => file.name)
    const { rows } = await sql<Found>`
      select distinct on (v.file_name) v.document_id as id, v.file_name,
        (select count(*) from document_history h
          where h.document_id = v.document_id and h.trigger = 'user' and h.transition <> 'reject')
        + (select count(*) from document_decisions c where c.document_id = v.document_id) as marks
      from document_versions v
      where v.file_name = any(${names}) and v.major = 1 and v.minor = 0
      order by v.file_name, v.document_id`.execute(tx)
    return new Map(rows.map(row => [row.file_name, row]))
  })

const typesOf = async (visit: Visit) => {
  const types = await visit.look(tx => tx.selectFrom('document_types').select(['id', 'name']).execute())
  return new Map(types.map(({ id, name }) => [name, id]))
}

/** Documents of several types in every state. */
export const documents: Part = async visit => {
  const found = await findStories(visit)
  const types = await typesOf(visit)
  for (const { file, by, type, title, category, keywords, deeds } of stories) {
    const fields = { title, document_type: types.get(type)!, category, keywords }
    const upload = async () => visit.as(by).upload<{ id: number }>('/api/documents/upload', fields, await fileOf(file))
    await continueStory(visit, { kind: type, title, deeds, begun: found.get(file.name), begin: upload })
  }
}
