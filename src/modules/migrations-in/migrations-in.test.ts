// Imports of what a company has: staged, checked, rehearsed, accepted, loaded, reconciled and released.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { sql } from 'kysely'
import { proveActs, withPasskey } from '#test/builders/authenticator.ts'
import { type Json, ok } from '#test/builders/documents.ts'
import { csv, documents, filesFor, migrationsOf, versions } from '#test/builders/migrations.ts'
import { bomb, zipOf } from '#test/faults/hostile-files.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'
import { importFolder } from './folder.ts'

let world: World
let imports: ReturnType<typeof migrationsOf>
before(async () => {
  world = await openWorld({ PUBLIC_URL: 'https://qms.example' })
  imports = migrationsOf(world)
})
after(() => world.close())

const count = async (table: string, where = 'true') =>
  Number((await world.rows<{ n: string }>(`select count(*) as n from ${table} where ${where}`))[0]!.n)

// proves: MIG-01
describe('an import', () => {
  it('is a record only once another person accepted it, and is compared and released then', async () => {
    const before = await count('documents')
    const id = await imports.rehearsed('FS-001', 'FS-002', 'FS-003')
    const batch = await imports.read(id)
    assert.equal(batch.status, 'rehearsed', JSON.stringify(await imports.rows(id, '&status=error')))
    assert.equal(await count('documents'), before)
    assert.deepEqual(batch.you.may, ['update', 'stage', 'check', 'rehearse', 'discard'])
    const [row] = await imports.rows(id, '&sheet=documents')
    assert.equal(row!.planned.number, 'FS-001')
    assert.equal(row!.record, null)
    const { sheets: plan } = ok(await world.as('quinn').get(imports.url(id, '/sample-plan')))
    const proposed = plan.flatMap(({ row_ids }: { row_ids: number[] }) => row_ids)
    const idsOf = async (query: string) => (await imports.rows(id, query)).map(each => each.id).sort((a, b) => a - b)
    assert.deepEqual(
      await idsOf('&is_proposed=true'),
      proposed.sort((a: number, b: number) => a - b),
    )
    assert.equal((await idsOf('&is_proposed=false')).length, batch.rows - proposed.length)

    assert.equal(
      (await world.as('ada').post(imports.url(id, '/accept'), { report_sha256: batch.report_sha256, password }))
        .statusCode,
      403,
    )
    const accepted = ok(await imports.accept(id))
    assert.equal(accepted.status, 'loading')
    await world.work()
    const loaded = await imports.read(id)
    assert.equal(loaded.status, 'loaded', JSON.stringify(await imports.rows(id, '&status=error')))
    assert.deepEqual(
      { ...loaded.reconciliation, sha256: '', at: '' },
      { records: 9, differences: 0, files: 6, damaged_files: 0, sha256: '', at: '' },
    )
    assert.equal(await count('documents'), before + 3)
    const jobs: Json[] = ok(await world.as('ada').get('/api/jobs/?page_size=100')).items
    for (const name of ['check', 'rehearse', 'load', 'reconcile']) {
      const job = jobs.find(({ kind }) => kind === `migration.${name}`)!
      assert.deepEqual([job.done, job.total], [9, 9], name)
    }
    const found = ok(await world.as('uma').get('/api/documents/?q=FS-002'))
    assert.equal(found.items[0].number, 'FS-002')
    for (const sheet of ['documents', 'versions']) {
      const [{ record }] = (await imports.rows(id, `&sheet=${sheet}&q=FS-002`)) as [Json]
      assert.equal(record.link, `/api/documents/${found.items[0].id}`, sheet)
    }

    const released = ok(await world.as('quinn').post(imports.url(id, '/release'), { password }))
    assert.equal(released.status, 'released')
    assert.deepEqual(released.you.may, [])
    for (const { signature_id } of [released.accepted, released.released]) {
      const signature = ok(await world.as('quinn').get(`/api/signatures/${signature_id}`))
      assert.equal(signature.verification.valid, true, JSON.stringify(signature.verification.checks))
      assert.equal(signature.resource_number, batch.number)
    }
  })
})

/** The only scanner of this suite: a file is infected if it says so. */
const infected = 'THIS-FILE-IS-INFECTED'
const scanning = async (work: () => Promise<void>) => {
  const { antivirus } = world.services
  world.services.antivirus = {
    scan: async path => ((await readFile(path, 'latin1')).includes(infected) ? 'Test.Virus' : undefined),
    check: async () => {},
  }
  try {
    await work()
  } finally {
    world.services.antivirus = antivirus
  }
}

const refusalOf = (reply: { statusCode: number; json(): Json }) => {
  const { code, detail } = reply.json()
  return [reply.statusCode, Array.isArray(detail) ? detail[0].type : code]
}

// proves: MIG-01, SVC-01
describe('a batch', () => {
  it('is discarded before its acceptance without a trace among the records, and gives its space back', async () => {
    const used = () => world.rows('select sum(bytes) as bytes, sum(files) as files from storage_use')
    const [before, documents] = [await used(), await count('documents')]
    const id = await imports.rehearsed('GONE-01')
    assert.notDeepEqual(await used(), before)
    const discarded = ok(await world.as('ada').post(imports.url(id, '/discard'), { reason: 'Wrong share' }))
    assert.equal(discarded.status, 'discarded')
    assert.equal(await count('migration_files', `batch_id = ${id}`), 0)
    assert.ok((await count('migration_rows', `batch_id = ${id}`)) > 0)
    assert.equal(await count('documents'), documents)
    assert.deepEqual(
      await used(),
      before,
      JSON.stringify(await world.rows('select kind, path from migration_files where batch_id = $1', [id])),
    )
    assert.equal((await imports.accept(id)).statusCode, 409)
  })

  it('is accepted by one of two who accept it at the same moment', async () => {
    const id = await imports.rehearsed('RACE-01')
    const { report_sha256 } = await imports.read(id)
    const both = await Promise.all(
      [1, 2].map(() => world.as('quinn').post(imports.url(id, '/accept'), { report_sha256, password })),
    )
    assert.deepEqual(
      both.map(({ statusCode }) => statusCode).toSorted((a, b) => a - b),
      [200, 409],
    )
    await world.work()
    assert.equal(await count('documents', `number = 'RACE-01'`), 1)
    assert.equal(await count('signatures', `migration_batch_id = ${id}`), 1)
  })

  it('that was changed after its report was read is not accepted, nor by a passkey that confirmed the earlier report', async () => {
    const id = await imports.rehearsed('LATE-01')
    const { authenticator } = await withPasskey(world, 'quinn')
    const path = imports.url(id, '/accept')
    const confirm = async (report_sha256: string) =>
      proveActs((url, sent) => world.as('quinn').post(url, sent), authenticator, [
        { method: 'POST', path, body: { report_sha256 } },
      ])
    const early = await confirm((await imports.read(id)).report_sha256)
    const { report_sha256 } = await imports.read(id)
    const accept = () => world.as('quinn').post(imports.url(id, '/accept'), { report_sha256, password })
    ok(await imports.manifest(id, 'documents.csv', documents('LATE-01', 'LATE-02')))
    assert.deepEqual(refusalOf(await accept()), [409, 'migration_not_rehearsed'])
    ok(await imports.manifest(id, 'versions.csv', versions('LATE-01', 'LATE-02')))
    ok(await imports.files(id, filesFor('LATE-02')))
    await imports.step(id, 'check')
    await imports.step(id, 'rehearse')
    assert.deepEqual(refusalOf(await accept()), [409, 'migration_changed'])
    const { report_sha256: now } = await imports.read(id)
    const sign = (sent: string, signing_challenge: number) =>
      world.as('quinn').post(path, { report_sha256: sent, signing_challenge })
    for (const sent of [now, report_sha256]) assert.ok((await sign(sent, early)).statusCode >= 401, sent)
    assert.equal(await count('signatures', `migration_batch_id = ${id}`), 0)
    // Past the service, by the login that it has.
    await world.superuser.query(
      `update migration_rows set cells = jsonb_set(cells, '{1}', '"Another title"') where batch_id = $1 and sheet = 'documents' and line = 2`,
      [id],
    )
    assert.deepEqual(refusalOf(await imports.accept(id)), [409, 'migration_changed'])
    const act = { method: 'POST', path, body: { report_sha256: now } }
    const begun = await world.as('quinn').post('/api/signing-challenges/', { kind: 'passkey', acts: [act] })
    assert.deepEqual(refusalOf(begun), [409, 'migration_changed'])

    await imports.step(id, 'check')
    await imports.step(id, 'rehearse')
    const { report_sha256: last } = await imports.read(id)
    ok(await sign(last, await confirm(last)))
    const [{ method }] = (await world.rows(`select method from signatures where migration_batch_id = ${id}`)) as [Json]
    assert.equal(method, 'passkey')
    await world.work()
  })

  it('is of one company, and judged by another person than the one who began it', async () => {
    const id = await imports.rehearsed('OWN-01')
    const [row] = await imports.rows(id)
    for (const path of ['', '/rows', `/rows/${row!.id}`, '/files', '/sample-plan', '/report'])
      assert.equal((await world.as('rex').get(imports.url(id, path))).statusCode, 404, path)
    for (const [act, body] of Object.entries({ check: undefined, discard: { reason: 'Ours' } }))
      assert.equal((await world.as('rex').post(imports.url(id, `/${act}`), body)).statusCode, 404, act)
    assert.equal((await world.as('petra').get(imports.url(id))).statusCode, 403)
    const sample = imports.url(id, `/rows/${row!.id}/sample`)
    assert.deepEqual(refusalOf(await world.as('ada').post(sample, { finding: 'ok' })), [403, 'migration_own'])
    assert.equal((await world.as('quinn').post(sample, { finding: 'differs' })).statusCode, 422)
    const found = ok(await world.as('quinn').post(sample, { finding: 'differs', comment: 'The title is another one' }))
    assert.equal(found.sample.finding, 'differs')
    assert.deepEqual(refusalOf(await imports.accept(id)), [409, 'migration_samples_differ'])
    const plan = ok(await world.as('quinn').get(imports.url(id, '/sample-plan')))
    assert.deepEqual(
      plan.sheets.map(({ sheet, code, size, done }: Json) => [sheet, code, size, done]),
      [
        ['documents', 'A', 1, 1],
        ['versions', 'A', 2, 0],
      ],
    )
  })

  it('brings nothing into a record of the same number that was made meanwhile', async () => {
    const id = await imports.rehearsed('TAKEN-01', 'TAKEN-02')
    const other = await imports.begin()
    ok(await imports.manifest(other, 'documents.csv', documents('TAKEN-01')))
    const list = csv('number;version;state;file;effective_date', 'TAKEN-01;5.0;effective;TAKEN-01/2.0.pdf;2024-01-01')
    ok(await imports.manifest(other, 'versions.csv', list))
    ok(await imports.files(other, filesFor('TAKEN-01')))
    await imports.step(other, 'check')
    await imports.step(other, 'rehearse')
    ok(await imports.accept(other))
    await world.work()
    const [made] = await imports.rows(other, '&sheet=documents')

    ok(await imports.accept(id))
    await world.work()
    assert.equal((await imports.read(id)).status, 'failed')
    const rows = [...(await imports.rows(id, '&sheet=documents')), ...(await imports.rows(id, '&sheet=versions'))]
    assert.deepEqual(
      rows.map(({ sheet, line, status, messages }: Json) => [sheet, line, status, messages.at(-1)?.code ?? null]),
      [
        ['documents', 2, 'error', 'row_refused_by_database'],
        ['documents', 3, 'loaded', null],
        ['versions', 2, 'error', 'row_refused'],
        ['versions', 3, 'error', 'row_refused'],
        ['versions', 4, 'loaded', null],
        ['versions', 5, 'loaded', null],
      ],
    )
    assert.match(rows[2]!.messages.at(-1).message, /TAKEN-01/)
    // A load that goes on finds the same.
    ok(await world.as('ada').post(imports.url(id, '/continue')))
    await world.work()
    assert.equal((await imports.read(id)).status, 'failed')
    assert.equal(await count('document_versions', `document_id = ${made!.record.id}`), 1)
  })

  it('stays as it was signed, also for the login of the service', async () => {
    const id = await imports.rehearsed('KEPT-01')
    ok(await imports.accept(id))
    await world.work()
    const tries = [
      `update migration_rows set cells = '[]' where batch_id = ${id}`,
      `delete from migration_files where batch_id = ${id}`,
      `update migration_batches set settings = '{}' where id = ${id}`,
      `update migration_batches set status = 'staging' where id = ${id}`,
      `insert into migration_rows (batch_id, sheet, line, cells) values (${id}, 'documents', 99, '[]')`,
    ]
    for (const text of tries)
      await assert.rejects(
        world.database.transaction(
          { tenantId: world.people.ada!.tenant_id, userId: world.people.ada!.id },
          'read write',
          tx => sql.raw(text).execute(tx),
        ),
        /stays as it was signed|stays, |permission denied/,
        text,
      )
  })
})

// proves: MIG-01, DOC-07
describe('what is brought in', () => {
  it('is refused as an archive that leads out of its folder, has links, or is none', async () => {
    const id = await imports.begin()
    const entry = (name: string, more: object = {}) => ({ name, content: pdf(name).toString('latin1'), ...more })
    const bad = {
      'a path out of the folder': zipOf([entry('../SOP.pdf')]),
      'an absolute path': zipOf([entry('/etc/SOP.pdf')]),
      'a link': zipOf([entry('SOP.pdf', { mode: 0o120777 })]),
      'a bomb': zipOf([{ name: 'a.txt', packed: bomb(300 * 1024 * 1024), claimed: 300 * 1024 * 1024, crc: 0 }]),
      'no archive': pdf(),
      'nothing in it': zipOf([]),
    }
    for (const [what, bytes] of Object.entries(bad))
      assert.equal((await imports.files(id, bytes)).statusCode, 422, what)
    assert.equal(await count('migration_files', `batch_id = ${id}`), 0)
  })

  it('has the names of its files whether the archive writes UTF-8 or the old code page', async () => {
    const id = await imports.begin()
    const old = zipOf([{ name: 'PrXfung.pdf', content: pdf('old').toString('latin1'), flags: 0 }])
    for (let at = old.indexOf('PrXfung'); at >= 0; at = old.indexOf('PrXfung', at)) old[at + 2] = 0x81
    ok(await imports.files(id, old))
    ok(await imports.files(id, zipOf([{ name: 'Übersicht/Größe.pdf', content: pdf('new').toString('latin1') }])))
    const { items } = ok(await world.as('ada').get(imports.url(id, '/files?kind=content')))
    assert.deepEqual(
      items.map(({ path }: Json) => path),
      ['Prüfung.pdf', 'Übersicht/Größe.pdf'],
    )
  })

  it('is inspected and scanned file by file, and old types are kept as attachments', async () => {
    const id = await imports.begin()
    const ole = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1 an old letter'
    const bytes = zipOf([
      { name: 'good.pdf', content: pdf('good').toString('latin1') },
      { name: 'letter.doc', content: Buffer.from(ole, 'latin1') as never },
      { name: 'false.doc', content: 'no old file' },
      { name: 'program.exe', content: 'MZ' },
      { name: 'false.pdf', content: 'no PDF' },
      { name: 'sick.txt', content: infected },
      { name: '__MACOSX/._good.pdf', content: 'x' },
    ])
    await scanning(async () => {
      const reply = ok(await imports.files(id, bytes))
      assert.equal(reply.taken, 2)
      assert.deepEqual(
        reply.refused.map(({ path, code }: Json) => [path, code]),
        [
          ['false.doc', 'batch_file_not_legacy'],
          ['program.exe', 'batch_file_type_unknown'],
          ['false.pdf', 'file_type_mismatch'],
          ['sick.txt', 'batch_file_infected'],
        ],
      )
    })
    const { items } = ok(await world.as('ada').get(imports.url(id, '/files')))
    assert.deepEqual(
      items.map(({ path, is_legacy }: Json) => [path, is_legacy]),
      [
        ['good.pdf', false],
        ['letter.doc', true],
      ],
    )
    assert.equal(await count('audit_entries', `action = 'upload.refused' and changes::text like '%sick.txt%'`), 1)
  })

  it('is refused as a manifest in another encoding, without a known sheet, or with too many rows', async () => {
    const id = await imports.begin()
    const refused = async (name: string, bytes: Buffer, fields = {}) =>
      refusalOf(await imports.manifest(id, name, bytes, fields))
    const text = 'number;title;type;owner\nSOP-1;Prüfung;SOP;alan\n'
    assert.deepEqual(await refused('documents.csv', Buffer.from(text, 'latin1')), [422, 'manifest_not_utf8'])
    assert.deepEqual(await refused('documents.csv', Buffer.from(`\uFEFF${text}`, 'utf16le')), [
      422,
      'manifest_in_utf16',
    ])
    assert.deepEqual(await refused('list.csv', Buffer.from(text)), [422, 'manifest_sheet_unnamed'])
    assert.deepEqual(await refused('documents.csv', Buffer.from('number;number\n1;2\n')), [
      422,
      'manifest_heading_twice',
    ])
    assert.deepEqual(await refused('documents.csv', Buffer.from('number;title\n"1;2\n')), [
      422,
      'csv_quotes_do_not_match',
    ])
    assert.deepEqual(await refused('documents.xlsx', Buffer.from('no workbook')), [422, 'archive_damaged'])
    const million = Buffer.from(`number\n${'1\n'.repeat(1_000_000)}`)
    assert.deepEqual(await refused('documents.csv', million), [422, 'manifest_too_many_rows'])
    assert.equal(await count('migration_rows', `batch_id = ${id}`), 0)
  })

  it('is read by headings that a person chose, and by one declared date format', async () => {
    const id = await imports.begin()
    const list = csv('SOP-Nr.,Betreff,type,owner,review_date', 'M-01,Cleaning,SOP,alan,03/04/2027')
    ok(await imports.manifest(id, 'documents.csv', list))
    const [sheet] = (await imports.read(id)).sheets
    assert.deepEqual(sheet.missing, ['number', 'title'])
    assert.deepEqual(sheet.unread_headings, ['SOP-Nr.', 'Betreff'])
    await imports.step(id, 'check')
    const [unread] = await imports.rows(id)
    const codes = unread!.messages.map(({ code }: Json) => code)
    assert.ok(codes.includes('row_column_missing') && codes.includes('row_date_ambiguous'), String(codes))
    assert.ok(unread!.messages.every(({ message, todo }: Json) => message !== '' && todo !== ''))

    const settings = {
      date_format: 'DD/MM/YYYY',
      columns: { documents: { number: 'SOP-Nr.', title: 'Betreff' } },
    }
    ok(await world.as('ada').put(imports.url(id), { settings }))
    await imports.step(id, 'check')
    const [row] = await imports.rows(id)
    assert.deepEqual(
      [row!.values.number, row!.values.title, row!.values.review_date],
      ['M-01', 'Cleaning', '2027-04-03'],
    )
    const wrong = { settings: { columns: { documents: { nothing: 'X' } } } }
    assert.equal((await world.as('ada').put(imports.url(id), wrong)).statusCode, 422)
  })

  it('fills in a template that is read as it is, and is reported as JSON, CSV and PDF', async () => {
    const id = await imports.begin()
    const template = await world.as('ada').get('/api/migrations/template.xlsx')
    assert.equal(template.statusCode, 200)
    const staged = ok(await imports.manifest(id, 'template.xlsx', template.rawPayload))
    assert.deepEqual(staged.ignored_sheets, [])
    assert.ok(staged.sheets.length >= 11 && staged.sheets.every(({ missing }: Json) => missing.length === 0))
    ok(await imports.manifest(id, 'groups.csv', csv('name,type', '"=HYPERLINK(1)",department')))
    await imports.step(id, 'check')
    const read = (format: string) => world.as('otto').get(imports.url(id, `/report?format=${format}`))
    const json = (await read('json')).json()
    assert.equal(json.rows[0].key, json.rows[0].values.name.toLowerCase())
    assert.match((await read('csv')).body, /'=hyperlink/i)
    assert.match((await read('pdf')).body, /^%PDF/)
    assert.equal((await world.as('ada').get('/api/migrations/template.zip')).statusCode, 200)
  })
})

// proves: MIG-01
describe('a folder of the server', () => {
  it('is brought in with its paths, without following links, and again after an interruption', async () => {
    const id = await imports.begin()
    const folder = mkdtempSync(join(world.folder, 'share-'))
    mkdirSync(join(folder, 'Prüfung'))
    writeFileSync(join(folder, 'Prüfung', 'a.pdf'), pdf('a'))
    writeFileSync(join(folder, 'program.exe'), 'MZ')
    symlinkSync('/etc/passwd', join(folder, 'passwd.txt'))
    const bringIn = () =>
      importFolder(world.services, {
        ...{ tenantId: world.people.ada!.tenant_id, batchId: id, folder, origin: { requestId: '', clientAddr: '' } },
        progress() {},
      })
    for (const _ of [1, 2]) {
      const { taken, refused } = await bringIn()
      assert.equal(taken, 1)
      assert.deepEqual(
        refused.map(({ path }) => path),
        ['program.exe'],
      )
    }
    const { items } = ok(await world.as('ada').get(imports.url(id, '/files')))
    assert.deepEqual(
      items.map(({ path, uploaded_by }: Json) => [path, uploaded_by.username]),
      [['Prüfung/a.pdf', 'ada']],
    )
    ok(await world.as('ada').post(imports.url(id, '/discard'), { reason: 'Tried' }))
    await assert.rejects(bringIn(), /discarded/)
  })
})
