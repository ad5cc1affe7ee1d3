import { demoPassword } from '../../../src/commands/demo/people.ts'
import { filesOf } from '../builders/migrations.ts'
import type { Scene } from './scene.ts'

const groups = {
  name: 'groups.csv',
  bytes: Buffer.from('name;type;description\r\nVisual inspection;department;Line 3\r\n'),
}

export async function migrations({ ask, send, work }: Scene) {
  const begin = () =>
    ask('POST /api/migrations/', 'nora', {
      body: {
        title: 'Documents of the file share',
        source_system: 'File share Q:',
        settings: { date_format: 'DD.MM.YYYY' },
      },
    })
  const { id } = await begin()
  const params = { id }
  await ask('GET /api/migrations/template.xlsx', 'nora')
  await ask('GET /api/migrations/template.zip', 'nora')
  await ask('PUT /api/migrations/:id', 'nora', { params, body: { settings: { keep_numbers: true } } })
  await ask('POST /api/migrations/:id/manifest', 'nora', { params, form: { sheet: 'groups' }, file: groups })
  await ask('POST /api/migrations/:id/files', 'nora', {
    params,
    form: {},
    file: { name: 'files.zip', bytes: filesOf('scans/list.pdf') },
  })
  await ask('GET /api/migrations/:id/files', 'nora', { params })
  await ask('POST /api/migrations/:id/check', 'nora', { params })
  await work()
  await ask('POST /api/migrations/:id/rehearse', 'nora', { params })
  await work()
  const { items } = await ask('GET /api/migrations/:id/rows', 'nora', { params, query: { page_size: 1 } })
  const row = { id, row_id: items[0].id }
  await ask('GET /api/migrations/:id/rows/:row_id', 'marta', { params: row })
  await ask('GET /api/migrations/:id/sample-plan', 'marta', { params })
  await ask('POST /api/migrations/:id/rows/:row_id/sample', 'marta', { params: row, body: { finding: 'ok' } })
  const { report_sha256 } = await ask('GET /api/migrations/:id', 'marta', { params })
  await ask('GET /api/migrations/:id/report', 'marta', { params, query: { format: 'csv' } })
  await ask('POST /api/migrations/:id/accept', 'marta', { params, body: { report_sha256, password: demoPassword } })
  await work()
  await ask('POST /api/migrations/:id/continue', 'nora', { params, body: {} })
  await work()
  await ask('POST /api/migrations/:id/release', 'marta', { params, body: { password: demoPassword } })
  const other = await send('POST', '/api/migrations/', 'nora', {
    body: { title: 'Training of 2019', source_system: 'Excel' },
  })
  await ask('POST /api/migrations/:id/discard', 'nora', {
    params: { id: other.id },
    body: { reason: 'The table was of another site' },
  })
  await ask('GET /api/migrations/', 'nora', { query: { page_size: 1 } })
}
