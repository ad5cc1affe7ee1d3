// What records of a batch are: with their old numbers, approvals that are history, and training that counts or not; and what no insider makes of
// a batch.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { type Json, ok } from '#test/builders/documents.ts'
import { readDossier } from '#test/builders/dossiers.ts'
import { csv, documents, filesOf, migrationsOf, versions } from '#test/builders/migrations.ts'
import { pagesOf } from '#test/builders/pdf.ts'
import { openWorld, type World } from '#test/world/world.ts'

// proves: MIG-01, MIG-02
describe('what a batch has imported', () => {
  let world: World
  let app: pg.Client
  let batch: Json
  const imports = () => migrationsOf(world)
  const document = async (q: string): Promise<Json> => {
    const { items } = ok(await world.as('quinn').get(`/api/documents/?q=${encodeURIComponent(q)}`))
    assert.equal(items.length, 1, `${q}: ${JSON.stringify(items)}`)
    return ok(await world.as('quinn').get(`/api/documents/${items[0].id}`))
  }

  before(async () => {
    world = await openWorld()
    app = new pg.Client(world.postgres.app)
    await app.connect()
    const { begin, manifest, files, step, accept, read, url } = imports()
    const id = await begin({ keep_numbers: false, training_counts: false })
    const sheets = {
      users: csv(
        'username;email;full_name;active',
        'old.otto;old.otto@alt.example;Otto Alt;yes',
        'gone.gerd;gerd@alt.example;Gerd Weg;no',
      ),
      documents: documents('QM 7-Alt', 'QM 8-Alt'),
      versions: versions('QM 7-Alt', 'QM 8-Alt'),
      approvals: csv(
        'number;version;person;role;meaning;approved_on;evidence;evidence_file',
        'QM 7-Alt;2.0;Dr. Weiß;Head of QA;Approved;2023-04-28;Binder 3;scans/page.pdf',
        'QM 7-Alt;1.0;Dr. Weiß;Head of QA;Approved;2021-02-27;;',
      ),
      training: csv('username;document;version;completed_on', 'old.otto;QM 7-Alt;2.0;2023-06-01'),
      deviations: csv(
        'number;title;description;severity;state;reported_by;detected_on;closed_on;closed_by',
        'ABW 12/24;Leak at line 3;Oil on the floor;minor;closed;old.otto;2024-02-01;2024-05-01;Dr. Weiß',
      ),
      capas: csv(
        'number;title;description;type;source;priority;state;assigned_to;opened_on;due_date;root_cause',
        'KP 3/24;Seal replaced;Replace the seal;corrective;deviation;low;in_progress;quinn;2024-02-02;2030-01-31;Wear',
      ),
      capa_actions: csv(
        'capa;position;description;assigned_to;state;due_date;completed_on;completed_by;verified_on;verified_by;evidence;attachment_1',
        'KP 3/24;1;Order the seal;old.otto;done;;2024-03-01;Hr. Öztürk;2024-03-02;Dr. Weiß;Order 77;scans/order.pdf',
        'KP 3/24;3;Train the crew;alan;open;2030-01-15;;;;;;',
      ),
    }
    for (const [name, bytes] of Object.entries(sheets)) ok(await manifest(id, `${name}.csv`, bytes))
    const paths = ['QM 7-Alt', 'QM 8-Alt'].flatMap(each => [`${each}/1.0.pdf`, `${each}/2.0.pdf`])
    ok(await files(id, filesOf(...paths, 'scans/page.pdf', 'scans/order.pdf')))
    await step(id, 'check')
    await step(id, 'rehearse')
    ok(await accept(id))
    await world.work()
    batch = await read(id)
    assert.equal(batch.status, 'loaded', JSON.stringify(ok(await world.as('ada').get(url(id, '/rows?status=error')))))
    assert.equal(
      batch.reconciliation.differences,
      0,
      JSON.stringify(ok(await world.as('ada').get(url(id, '/rows?status=differs')))),
    )
  })
  after(async () => {
    await app?.end()
    await world.close()
  })

  it('has new numbers behind those of the series, and is found by the old ones', async () => {
    const found = await document('QM 7-Alt')
    assert.match(found.number, /^SOP-\d{4}$/)
    assert.deepEqual([found.legacy_number, found.imported], ['QM 7-Alt', { batch: batch.number, source: 'File share' }])
    const { items } = ok(await world.as('quinn').get('/api/find?q=QM%207-Alt'))
    assert.deepEqual([items[0].kind, items[0].id], ['document', found.id])
    const { items: results } = ok(await world.as('quinn').get('/api/search/?q=%22QM%207-Alt%22'))
    assert.ok(
      results.some(({ document_id }: Json) => document_id === found.id),
      JSON.stringify(results),
    )
    const now = world.clock.now().toISOString()
    const then = ok(await world.as('quinn').get(`/api/documents/${found.id}?as_of=${now}`))
    assert.deepEqual([then.version, then.effective_version, then.owner.username], ['2.0', '2.0', 'alan'])
  })

  it('shows approvals of before as history with the acceptance, on its copy and in its dossier, and never as signatures', async () => {
    const { id } = await document('QM 7-Alt')
    const approvals = ok(await world.as('quinn').get(`/api/documents/${id}/historical-approvals`))
    assert.deepEqual(
      approvals.map(({ version, person_name, approved_on, evidence, evidence_file, batch }: Json) => [
        ...[version, person_name, approved_on, evidence, evidence_file?.name ?? null, batch.accepted_by.username],
      ]),
      [
        ['1.0', 'Dr. Weiß', '2021-02-27', null, null, 'quinn'],
        ['2.0', 'Dr. Weiß', '2023-04-28', 'Binder 3', 'page.pdf', 'quinn'],
      ],
    )
    const scan = await world.as('quinn').get(`/api/documents/${id}/historical-approvals/${approvals[1].id}/evidence`)
    assert.deepEqual([scan.statusCode, scan.headers['content-type']], [200, 'application/pdf'])
    for (const path of [
      `${id}/historical-approvals/${approvals[0].id}/evidence`,
      `${id}/historical-approvals/999/evidence`,
    ])
      assert.equal((await world.as('quinn').get(`/api/documents/${path}`)).statusCode, 404)
    assert.equal((await world.as('rob').get(`/api/documents/${id}/historical-approvals`)).statusCode, 404)
    const { items } = ok(await world.as('quinn').get('/api/signatures/?page_size=100'))
    assert.deepEqual(
      items.map(({ resource_type }: Json) => resource_type),
      ['migration_batch'],
    )
    const copy = await world.as('quinn').get(`/api/documents/${id}/download?rendition=signed`)
    assert.equal(copy.statusCode, 200, copy.body.slice(0, 300))
    const dossier = await readDossier(world, `/api/documents/${id}/dossier`)
    const listed = dossier.json([...dossier.files.keys()].find(name => name.endsWith('historical_approvals.json'))!)
    assert.deepEqual(
      listed.map(({ person_name }: Json) => person_name),
      ['Dr. Weiß', 'Dr. Weiß'],
    )
    for (const statement of ['update historical_approvals set meaning = meaning', 'delete from historical_approvals'])
      await assert.rejects(world.rows(statement), /append-only/)
  })

  it('has deviations and CAPAs with their old numbers, by which lists and searches find them, on paper too', async () => {
    for (const [url, kind, number, series] of [
      ['/api/deviations/', 'deviation', 'ABW 12/24', /^DEV-/],
      ['/api/capa/', 'capa', 'KP 3/24', /^CAPA-/],
    ] as const) {
      const q = encodeURIComponent(number)
      const { items } = ok(await world.as('quinn').get(`${url}?q=${q}`))
      assert.equal(items.length, 1, `${number}: ${JSON.stringify(items)}`)
      const { items: named } = ok(await world.as('quinn').get(`/api/find?q=${q}`))
      assert.deepEqual([named[0].kind, named[0].id], [kind, items[0].id])
      const now = world.clock.now().toISOString()
      for (const query of ['', `?as_of=${now}`]) {
        const record = ok(await world.as('quinn').get(`${url}${items[0].id}${query}`))
        assert.match(record.number, series)
        assert.deepEqual(
          [record.legacy_number, record.imported],
          [number, { batch: batch.number, source: 'File share' }],
        )
      }
      const paper = await world.as('quinn').get(`${url}${items[0].id}/record.pdf`)
      const text = (await pagesOf(paper.rawPayload)).join(' ')
      assert.ok(text.includes(number) && text.includes(`from File share, by ${batch.number}`), text.slice(0, 1000))
    }
  })

  it('has the actions of a CAPA with who did them before, and goes on with the others', async () => {
    const { items } = ok(await world.as('quinn').get('/api/capa/?q=KP'))
    const url = `/api/capa/${items[0].id}`
    const shown = (capa: Json) =>
      capa.actions.map((each: Json) => [
        ...[each.description, each.assigned_to.username, each.status, each.completed_by, each.completed_by_name],
        ...[each.approved_by_name, each.evidence, each.attachment_ids.length],
      ])
    const expected = [
      ['Order the seal', 'old.otto', 'done', null, 'Hr. Öztürk', 'Dr. Weiß', 'Order 77', 1],
      ['Train the crew', 'alan', 'open', null, null, null, null, 0],
    ]
    const now = world.clock.now().toISOString()
    for (const query of ['', `?as_of=${now}`])
      assert.deepEqual(shown(ok(await world.as('quinn').get(url + query))), expected)
    const paper = await world.as('quinn').get(`${url}/record.pdf`)
    const text = (await pagesOf(paper.rawPayload)).join(' ')
    assert.ok(text.includes('Hr. Öztürk') && text.includes('Dr. Weiß'), text)
    // A place that the source left out is no hindrance to a new action, and one that is reopened was done by nobody.
    const added = { description: 'Check it', assigned_to: world.people.quinn!.id, change_reason: 'Forgotten' }
    const { id } = ok(await world.as('quinn').post(`${url}/actions`, added))
    const [order] = ok(await world.as('quinn').get(url)).actions
    ok(await world.as('quinn').put(`${url}/actions/${order.id}`, { status: 'open', change_reason: 'The seal leaks' }))
    const { actions } = ok(await world.as('quinn').get(url))
    assert.deepEqual([actions.length, actions[2].id], [3, id])
    assert.deepEqual(
      ['completed_at', 'completed_by_name', 'approved_at', 'approved_by_name'].map(name => actions[0][name]),
      [null, null, null, null],
    )
  })

  it('has training without signatures, which counts where the batch says so', async () => {
    const otto = (await world.rows<{ id: string }>(`select id from users where username = 'old.otto'`))[0]!.id
    const { items } = ok(await world.as('quinn').get(`/api/training/records/${otto}`))
    assert.deepEqual(
      items.map(({ status, source, signature_id, is_valid, document_version }: Json) => [
        status,
        source,
        signature_id,
        is_valid,
        document_version,
      ]),
      [['completed', 'migration', null, false, '2.0']],
    )
    const matrix = ok(await world.as('quinn').get(`/api/training/matrix?user_ids=${otto}`))
    assert.deepEqual(
      matrix.items[0].cells.map(({ status, is_imported }: Json) => [status, is_imported]),
      [['expired', true]],
    )
    const text = (await world.as('quinn').get(`/api/training/records/${otto}?format=csv`)).body
    assert.match(text, /completed before the migration, and imported/)
  })

  it('has people without passwords, who come alive by an invitation, and those who left', async () => {
    const people = await world.rows(
      `select username, is_active, c.password_hash from users join credentials c on c.user_id = users.id where migration_batch_id is not null order by username`,
    )
    assert.deepEqual(people, [
      { username: 'gone.gerd', is_active: false, password_hash: null },
      { username: 'old.otto', is_active: true, password_hash: null },
    ])
  })

  describe('and somebody with the login attest_app', () => {
    const entry = (id: string | number, resource = 'document') =>
      app.query(
        `insert into audit_entries (username, user_role, client_addr, outcome, action, resource_type, resource_id, changes, request_id)
          values ('ada', 'Admin', '', 'success', 'document.version_migrated', $1, $2, '{}', '')`,
        [resource, id],
      )
    const begin = async () => {
      await app.query('rollback')
      const { id, tenant_id } = world.people.ada!
      await app.query(
        `begin; set local app.tenant_id = '${tenant_id}'; set local app.user_id = '${id}'; set local app.transaction_id = '${randomUUID()}'`,
      )
    }
    /** A copy of an imported version, effective without an approval. */
    const forge = (number: string, { batchId, sha256 }: { batchId: number | null; sha256?: string }) =>
      app.query(
        `insert into document_versions (document_id, major, minor, change_type, title, file_key, file_name, file_size, content_type, sha256,
           workflow_template_id, workflow_template_version, status, status_kind, effective_at, effective_date, migration_batch_id)
         select document_id, 9, 0, 'major', 'Forged', $2, file_name, file_size, content_type, coalesce($3, v.sha256), workflow_template_id,
           workflow_template_version, 'effective', 'effective', now(), current_date, $4
         from document_versions v join documents d on d.id = v.document_id where d.legacy_number = $1 and v.version = '1.0'
         returning document_id, id`,
        [number, randomUUID(), sha256 ?? null, batchId],
      )

    it('makes no version effective by naming a batch: one that accepted no such row, is not accepted, or has no such file', async () => {
      const open = await imports().rehearsed('OPEN-1')
      await begin()
      await app.query(
        `update document_versions set status = 'superseded', status_kind = 'final' where status_kind = 'effective'`,
      )
      await assert.rejects(forge('QM 8-Alt', { batchId: null }), /without an approval/)
      for (const batchId of [batch.id, open]) {
        await begin()
        await app.query(
          `update document_versions set status = 'superseded', status_kind = 'final' where status_kind = 'effective'`,
        )
        const forged = forge('QM 8-Alt', { batchId })
        if (batchId === open) {
          await assert.rejects(forged, /a file that is not of its migration batch/)
          continue
        }
        const { rows } = await forged
        for (const { document_id } of rows) await entry(document_id)
        await assert.rejects(app.query('set constraints of_accepted_batch immediate'), /of no accepted migration batch/)
      }
      await begin()
      await app.query(
        `update document_versions set status = 'superseded', status_kind = 'final' where status_kind = 'effective'`,
      )
      await assert.rejects(
        forge('QM 8-Alt', { batchId: batch.id, sha256: 'a'.repeat(64) }),
        /a file that is not of its migration batch/,
      )
    })

    it('completes no training without a signature, and moves no record into a batch', async () => {
      await begin()
      const insert = (columns: string, values: string) =>
        app.query(
          `insert into training_assignments (program_id, user_id, status, due_date, completed_at, program_title, source ${columns})
           select program_id, ${world.people.uma!.id}, 'completed', current_date, now(), program_title, ${values} from training_assignments limit 1 returning id`,
        )
      await assert.rejects(insert('', `'manual'`), /check constraint/)
      await begin()
      await assert.rejects(insert('', `'migration'`), /check constraint/)
      await begin()
      const { rows } = await insert(', migration_batch_id', `'migration', ${batch.id}`)
      await entry(rows[0].id, 'training_assignment')
      await assert.rejects(app.query('commit'), /of no accepted migration batch/)
      await begin()
      await assert.rejects(
        app
          .query(
            `update documents set migration_batch_id = ${batch.id} where migration_batch_id is null or legacy_number = 'QM 7-Alt'`,
          )
          .then(() => app.query(`update documents set migration_batch_id = null where legacy_number = 'QM 7-Alt'`)),
        /not possible/,
      )
      await begin()
      await assert.rejects(
        app.query(`update migration_rows set resource_id = 1 where sheet = 'versions' and resource_id is not null`),
        /not possible/,
      )
    })
  })
})
