import { demoPassword } from '../../../src/commands/demo/people.ts'
import { markdown, type Scene } from './scene.ts'

export async function retention({ ask, send, type, work, age }: Scene) {
  const form = type('Form')
  await send('PUT', `/api/document-types/${form}`, 'marta', {
    body: { retention_years: 10, change_reason: 'By our procedure for records' },
  })
  const { id: document_id } = await send('POST', '/api/documents/upload', 'emil', {
    form: { title: 'Cleaning log of the old blender', document_type: form },
    file: markdown('cleaning-log.md', '# Cleaning log\n\nThe blender was sold.\n'),
  })
  await send('POST', `/api/documents/${document_id}/transition`, 'emil', {
    body: { transition: 'cancel', comment: 'The blender was sold' },
  })
  await age(document_id, 11)
  await ask('GET /api/retention/due', 'jonas', { query: { page_size: 1 } })
  await ask('GET /api/documents/:id/retention', 'jonas', { params: { id: document_id } })
  const propose = (reason: string) =>
    ask('POST /api/disposals/', 'jonas', {
      body: { versions: [{ document_id, version: '1.0' }], reason, password: demoPassword },
    })
  const { id: withdrawn } = await propose('The retention period is over')
  await ask('POST /api/disposals/:id/withdraw', 'jonas', {
    params: { id: withdrawn },
    body: { decision_reason: 'The buyer still asks for it' },
  })
  const { id: rejected } = await propose('The retention period is over')
  await ask('POST /api/disposals/:id/reject', 'marta', {
    params: { id: rejected },
    body: { decision_reason: 'The buyer still asks for it' },
  })
  const { id: hold } = await ask('POST /api/legal-holds/', 'marta', {
    body: { document_id, reason: 'The buyer of the blender complains' },
  })
  await ask('GET /api/legal-holds/', 'hana', { query: { page_size: 1 } })
  await ask('POST /api/legal-holds/:id/lift', 'nora', {
    params: { id: hold },
    body: { lift_reason: 'The complaint is settled', password: demoPassword },
  })
  await ask('GET /api/legal-holds/:id', 'hana', { params: { id: hold } })
  const { id } = await propose('The retention period is over')
  await ask('POST /api/disposals/:id/approve', 'marta', {
    params: { id },
    body: { decision_reason: 'I have checked the list', password: demoPassword },
  })
  await work()
  await ask('GET /api/disposals/', 'hana', { query: { page_size: 1 } })
  await ask('GET /api/disposals/:id', 'hana', { params: { id } })
}

/** How long the files of a deviation and a CAPA are kept. */
export async function retentionOfCases({ ask, deviation, capa }: Scene) {
  await ask('GET /api/deviations/:id/retention', 'hana', {
    params: { id: deviation('Cold store CS-1 above 8 °C for six hours') },
  })
  await ask('GET /api/capa/:id/retention', 'hana', {
    params: { id: capa('Alarms of cold stores reach somebody who is awake') },
  })
}
