import { demoPassword } from '../../../src/commands/demo/people.ts'
import { inDays, markdown, type Scene } from './scene.ts'

export async function controlledCopies({ ask, person, document }: Scene) {
  const blender = { id: document('SOP-0001') }
  const { id } = await ask('POST /api/documents/:id/controlled-copies', 'marta', {
    params: blender,
    body: { issued_to: person('tom'), location: 'Blending room 2', purpose: 'No screen may stand there' },
  })
  const params = { id }
  await ask('POST /api/controlled-copies/:id/print', 'marta', { params, body: {} })
  await ask('POST /api/controlled-copies/:id/print', 'marta', { params, body: { reason: 'Page 3 was torn' } })
  await ask('GET /api/controlled-copies/values', 'hana', { query: { field: 'location' } })
  await ask('GET /api/controlled-copies/', 'hana', { query: { page_size: 1, status: 'issued' } })
  await ask('POST /api/controlled-copies/:id/transfer', 'marta', {
    params,
    body: { holder_id: person('emil'), change_reason: 'He runs blending room 2 from now on' },
  })
  await ask('POST /api/controlled-copies/:id/recall', 'marta', {
    params,
    body: { due_date: inDays(7), change_reason: 'Blending room 2 is rebuilt' },
  })
  await ask('POST /api/controlled-copies/:id/confirm', 'emil', { params, body: { outcome: 'returned' } })
  await ask('POST /api/controlled-copies/:id/reconcile', 'marta', {
    params,
    body: { outcome: 'returned', change_reason: 'All pages are here' },
  })
  await ask('GET /api/controlled-copies/:id', 'hana', { params })
}

export async function fileRemovals({ ask, send, type }: Scene) {
  const { id: document_id } = await send('POST', '/api/documents/upload', 'emil', {
    form: { title: 'Complaint about LP-310', document_type: type('SOP') },
    file: markdown('complaint.md', '# Complaint\n\nThe name of a patient stands here.\n'),
  })
  const request = (reason: string) =>
    ask('POST /api/file-removals/', 'jonas', {
      body: { document_id, version: '1.0', reason, hides_name: true, password: demoPassword },
    })
  const { id: withdrawn } = await request('The file of another document')
  await ask('POST /api/file-removals/:id/withdraw', 'jonas', {
    params: { id: withdrawn },
    body: { decision_reason: 'It is the right file' },
  })
  const { id: rejected } = await request('The file of another document')
  await ask('POST /api/file-removals/:id/reject', 'marta', {
    params: { id: rejected },
    body: { decision_reason: 'It is the right file' },
  })
  const { id } = await request('It names a patient, who objects to that')
  await ask('POST /api/file-removals/:id/approve', 'marta', {
    params: { id },
    body: { decision_reason: 'Nobody needs the name of the patient', password: demoPassword },
  })
  await ask('GET /api/file-removals/', 'hana', { query: { page_size: 1 } })
  await ask('GET /api/file-removals/:id', 'hana', { params: { id } })
}
