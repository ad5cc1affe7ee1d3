import { demoPassword } from '../../../src/commands/demo/people.ts'
import { inDays, type Scene } from './scene.ts'

const questions = [
  {
    key: 'limit',
    text: 'Which temperature does a cold store have?',
    type: 'single',
    options: [
      { key: 'two', text: '2 to 8 °C', is_correct: true },
      { key: 'ten', text: '8 to 15 °C', is_correct: false },
    ],
    explanation: 'It stands on the door.',
  },
]

export async function training({ ask, send, person, program }: Scene) {
  const { id } = await ask('POST /api/training/', 'marta', {
    body: {
      ...{ title: 'Work in cold stores', type: 'quiz', description: 'One question about temperatures.' },
      ...{ questions, passing_score: 100, max_attempts: 3, due_days: 14, valid_months: 12 },
      requires_verification: true,
    },
  })
  const params = { id }
  await ask('GET /api/training/', 'tom', { query: { page_size: 1 } })
  await ask('GET /api/training/:id', 'marta', { params })
  await ask('PUT /api/training/:id', 'marta', {
    params,
    body: { max_attempts: 2, change_reason: 'As in the other programs' },
  })
  await ask('POST /api/training/assign', 'marta', {
    body: { training_id: id, user_ids: [person('tom'), person('emil')], due_date: inDays(14) },
  })
  await ask('POST /api/training/bulk-assign', 'marta', {
    body: { training_id: id, user_ids: [person('lucia'), person('jonas')], due_date: inDays(14) },
  })
  await ask('POST /api/training/:id/start', 'tom', { params })
  await ask('POST /api/training/:id/complete', 'tom', {
    params,
    body: { answers: [{ question: 'limit', options: ['two'] }], password: demoPassword },
  })
  const assignments = `/api/training/assignments/?training_id=${id}`
  const done = await send('GET', `${assignments}&user_id=${person('tom')}`, 'marta')
  const own = { id: done.items[0].assignment_id }
  await ask('POST /api/training/assignments/:id/verify', 'jonas', {
    params: own,
    body: { comment: 'Asked about the alarms as well', password: demoPassword },
  })
  await ask('GET /api/training/my-training', 'tom', { query: { page_size: 1 } })
  await ask('GET /api/training/assignments/', 'marta', { query: { page_size: 1, training_id: id } })
  await ask('GET /api/training/assignments/:id', 'marta', { params: own })
  const { items } = await send('GET', `${assignments}&status=assigned`, 'marta')
  await ask('POST /api/training/assignments/:id/remind', 'marta', {
    params: { id: items[0].assignment_id },
    body: { comment: 'The store opens on Monday' },
  })
  await ask('POST /api/training/assignments/:id/waive', 'marta', {
    params: { id: items[0].assignment_id },
    body: { reason: 'Trained by the supplier of the store' },
  })
  await ask('POST /api/training/assignments/:id/cancel', 'marta', {
    params: { id: items[1].assignment_id },
    body: { reason: 'Does not work in the warehouse' },
  })

  const { id: group } = await send('POST', '/api/groups/', 'nora', {
    body: { name: 'Warehouse', group_type: 'department' },
  })
  await send('POST', `/api/groups/${group}/add-member`, 'nora', { body: { user_id: person('tom') } })
  await send('POST', '/api/training/assign', 'marta', { body: { training_id: id, group_ids: [group] } })
  await ask('GET /api/training/:id/groups', 'marta', { params })
  await ask('DELETE /api/training/:id/groups/:group_id', 'marta', { params: { id, group_id: group } })
  await ask('GET /api/training/records/:user_id', 'marta', {
    params: { user_id: person('tom') },
    query: { page_size: 1 },
  })
  await ask('GET /api/training/matrix', 'marta', { query: { page_size: 1 } })

  const { id: curriculum } = await ask('POST /api/training/curricula/', 'marta', {
    body: {
      ...{ name: 'Warehouse', description: 'For everybody who enters a cold store.', role_names: ['User'] },
      ...{ group_ids: [group], programs: [{ training_id: id, is_prerequisite: true }] },
    },
  })
  await ask('GET /api/training/curricula/', 'marta', { query: { page_size: 1 } })
  await ask('GET /api/training/curricula/:id', 'marta', { params: { id: curriculum } })
  await ask('PUT /api/training/curricula/:id', 'marta', {
    params: { id: curriculum },
    body: {
      programs: [{ training_id: program('Good documentation practice'), is_prerequisite: true }, { training_id: id }],
      change_reason: 'Records come first',
    },
  })
}
