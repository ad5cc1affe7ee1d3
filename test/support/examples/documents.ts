import { demoPassword } from '../../../src/commands/demo/people.ts'
import { inDays, markdown, type Scene } from './scene.ts'

const alarms = markdown(
  'cold-store-alarms.md',
  '# Alarms of cold stores\n\n## Acknowledgement\n\nAn alarm is acknowledged within ten minutes.\n',
)
const title = 'Alarms of cold stores'

export async function documents({ ask, person, type, document, workflow }: Scene) {
  const { id } = await ask('POST /api/documents/upload', 'emil', {
    form: { title, document_type: type('SOP'), category: 'Warehouse', keywords: 'cold store, alarm' },
    file: alarms,
  })
  const params = { id }
  await ask('PUT /api/documents/:id', 'emil', {
    params,
    body: { keywords: ['cold store', 'alarm', 'night shift'], change_reason: 'Found by these words' },
  })
  const clearance = { id: document('SOP-0003') }
  const { id: comment_id } = await ask('POST /api/documents/:id/comments', 'jonas', {
    params: clearance,
    body: { text: 'Name the space behind the labeller too.', page: 1, quote: 'Line clearance' },
  })
  await ask('GET /api/documents/:id/comments', 'lucia', { params: clearance })
  await ask('GET /api/documents/:id/comments/:comment_id', 'lucia', { params: { ...clearance, comment_id } })
  await ask('POST /api/documents/:id/comments/:comment_id/resolve', 'lucia', {
    params: { ...clearance, comment_id },
    body: { reply: 'Added as point 7' },
  })
  await ask('POST /api/documents/:id/comments/:comment_id/reopen', 'jonas', {
    params: { ...clearance, comment_id },
    body: { reason: 'Point 7 names the space in front of the labeller' },
  })
  const { id: reply_id } = await ask('POST /api/documents/:id/comments', 'lucia', {
    params: clearance,
    body: { text: 'Point 8 names the one behind it.', parent_id: comment_id, mentions: [person('jonas')] },
  })
  await ask('PUT /api/documents/:id/comments/:comment_id', 'lucia', {
    params: { ...clearance, comment_id: reply_id },
    body: { text: 'Point 8 names the space behind it.' },
  })
  await ask('POST /api/documents/:id/configure-approval', 'marta', {
    params,
    body: {
      workflow_template_id: workflow('GMP two-step approval'),
      transition: 'review',
      approvers: [{ kind: 'user', who: person('jonas'), count: 1 }],
      change_reason: 'Jonas knows the cold stores',
    },
  })
  await ask('POST /api/documents/:id/transition', 'emil', {
    params,
    body: { transition: 'submit', comment: 'Ready for review' },
  })
  await ask('GET /api/documents/:id/workflow', 'jonas', { params })
  await ask('POST /api/documents/:id/remind', 'marta', {
    params,
    body: { comment: 'The inspection is next week' },
  })
  await ask('POST /api/documents/:id/delegate', 'jonas', {
    params,
    body: { to: person('priya'), reason: 'On a business trip until Friday' },
  })
  await ask('POST /api/documents/:id/end-delegation', 'jonas', { params, body: { reason: 'Back earlier' } })
  await ask('POST /api/documents/:id/approve', 'jonas', {
    params,
    body: { decision: 'approve', comment: 'Reviewed: complete and practicable', password: demoPassword },
  })
  await ask('POST /api/documents/:id/withdraw-approval', 'jonas', {
    params,
    body: { reason: 'The telephone number in section 3 is the old one', password: demoPassword },
  })

  await ask('GET /api/documents/', 'hana', { query: { page_size: 1, q: 'blender' } })
  await ask('GET /api/documents/values', 'hana', { query: { field: 'category' } })
  const blender = { id: document('SOP-0001') }
  await ask('GET /api/documents/:id', 'hana', { params: blender })
  await ask('GET /api/documents/:id/versions', 'hana', { params: blender })
  await ask('GET /api/documents/:id/versions/:version/text', 'hana', { params: { ...blender, version: '1.0' } })
  await ask('GET /api/documents/:id/history', 'hana', { params: blender })
  await ask('GET /api/documents/:id/links', 'hana', { params: blender })
  await ask('POST /api/documents/:id/periodic-review', 'marta', {
    params: { id: document('SOP-0002') },
    body: { outcome: 'keep_effective', comment: 'It is as we work', next_review_date: inDays(700) },
  })
  await ask('GET /api/documents/:id/periodic-reviews', 'hana', { params: { id: document('SOP-0002') } })
  await ask('POST /api/documents/:id/versions', 'lucia', {
    params: { id: document('SOP-0002') },
    form: {
      ...{ change_type: 'major', change_reason: 'Reports within one day instead of two' },
      training_impact: 'reassign_all',
    },
    file: markdown('deviation-handling-2.md', '# Handling of deviations\n\nReported within one day.\n'),
  })

  const { id: signature } = await ask('POST /api/signatures/', 'emil', {
    body: {
      ...{ document_id: id, signature_type: 'authorship', password: demoPassword },
      intent: 'I wrote this procedure and answer for it',
    },
  })
  await ask('GET /api/signatures/', 'hana', { query: { page_size: 1, document_id: blender.id } })
  await ask('GET /api/signatures/:id', 'hana', { params: { id: signature } })
  await ask('POST /api/signatures/:id/void', 'marta', {
    params: { id: signature },
    body: { reason: 'Signed before section 3 was corrected', password: demoPassword },
  })
  await ask('GET /api/find', 'emil', { query: { q: 'clean' } })
  await ask('GET /api/search/', 'emil', { query: { q: 'cleaning of the blender', page_size: 1 } })
}

export async function assistant({ ask, model, document, work }: Scene) {
  // Extracts the texts of the files.
  await work()
  model.answer('Lactose and LP-101 are weighed first, and a second person verifies each weighing [1].')
  await ask('POST /api/ai/chat', 'emil', {
    body: { message: 'What is weighed before LP-101 is blended?', context_documents: [document('FRM-0001')] },
  })
  model.answer('# Blending of LP-102\n\nThe weighings are verified by a second person [1]. By whom: [to be completed]')
  await ask('POST /api/ai/generate', 'emil', {
    body: { prompt: 'A batch record for the blending of LP-102, like that of LP-101', document_type: 'Form' },
  })
  model.answer('Each weighing has a place for two signatures [1]. Nothing is said about a line clearance.')
  await ask('POST /api/ai/analyze', 'priya', {
    body: { document_id: document('FRM-0001'), instructions: 'Is the line clearance recorded?' },
  })
  await ask('GET /api/ai/usage', 'nora')
}
