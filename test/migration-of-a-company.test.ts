// A whole company comes over: checked, corrected, rehearsed, accepted, loaded by a service that is killed in the middle, and compared record by
// record with where it came from.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { type Json, ok } from '#test/builders/documents.ts'
import { csvOf, type Mistake, oldCompany, type Row, withMistakes, zipWith } from '#test/builders/old-company.ts'
import { findDrift } from '#test/builders/projections.ts'
import { commandsOf } from '#test/processes/commands.ts'
import { programWith, type ServiceProcess, startService } from '#test/processes/service-process.ts'
import { until } from '#test/world/background.ts'
import { urlsOf } from '#test/world/postgres.ts'
import { roundsOf } from '#test/world/rounds.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

/** In three versions each. The whole company has 300. */
const size = roundsOf('MIGRATED_DOCUMENTS', 8)

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
/** The day of a moment in Berlin. */
const dayIn = (moment: string | null) =>
  moment && new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(new Date(moment))
const label = (text: unknown) => {
  const plain = String(text).replace(/^Rev\. |^0/g, '')
  return /^[A-C]$/.test(plain) ? `${plain.charCodeAt(0) - 64}.0` : `${plain}.0`
}

// proves: MIG-01, MIG-02
describe('the migration of a company', { timeout: 900_000 }, () => {
  let world: World
  const processes = new Set<ServiceProcess>()
  before(async () => {
    world = await openWorld({ DUE_WORK: 'off' })
  })
  after(async () => {
    for (const { child, ended } of processes) {
      child.kill('SIGKILL')
      await ended
    }
    await commands.close()
    await world.close()
  })
  const commands = commandsOf(() => world)

  const start = async () => {
    const process = await startService(
      { ...urlsOf(world.postgres), DATA_DIR: world.folder, LOG_LEVEL: 'info' },
      { program: programWith({ supervise_s: 1, queue_poll_s: 1 }) },
    )
    processes.add(process)
    return process
  }
  const kill = async (process: ServiceProcess) => {
    processes.delete(process)
    process.child.kill('SIGKILL')
    await process.ended
  }
  const goOn = () =>
    world.superuser.query(`update pgboss.job set start_after = now(), retry_count = 0 where state = 'retry'`)
  const batchAt = (id: number, path = '') => world.as('ada').get(`/api/migrations/${id}${path}`)
  const read = async (id: number): Promise<Json> => ok(await batchAt(id))
  const everyRow = async (id: number, query = ''): Promise<Json[]> => {
    const found: Json[] = []
    for (let page = 1; ; page++) {
      const { items, pages } = ok(await batchAt(id, `/rows?page=${page}&page_size=100${query}`))
      found.push(...items)
      if (page >= pages) return found
    }
  }
  const settled = async (id: number, ...states: string[]) => {
    try {
      await until(
        async () => {
          await goOn()
          return states.includes((await read(id)).status)
        },
        size * 2_000 + 60_000,
        { every_ms: 250 },
      )
    } catch (error) {
      const said = [...processes].flatMap(({ lines }) => lines.filter(({ level }) => level !== 'info').slice(-3))
      throw new Error(`it is ${(await read(id)).status}: ${JSON.stringify(said)}`, { cause: error })
    }
  }

  async function stage(id: number, { sheets, files }: Pick<ReturnType<typeof oldCompany>, 'sheets' | 'files'>) {
    for (const [name, rows] of Object.entries(sheets))
      ok(
        await world
          .as('ada')
          .upload(
            `/api/migrations/${id}/manifest`,
            {},
            { bytes: csvOf(name as Mistake['sheet'], rows), name: `${name}.csv` },
          ),
      )
    if (files.size > 0)
      ok(
        await world
          .as('ada')
          .upload(`/api/migrations/${id}/files`, {}, { bytes: await zipWith(files), name: 'Ablage.zip' }),
      )
  }

  it(`brings ${size} documents in ${3 * size} versions and all else over as they were, whatever happens meanwhile`, async t => {
    const company = oldCompany(size)
    const messy = withMistakes(company)
    ok(await world.as('ada').put('/api/settings/', { time_zone: 'Europe/Berlin', change_reason: 'It is there' }))
    const signaturesBefore = await world.rows('select id from signatures')
    const { id } = ok(
      await world.as('ada').post('/api/migrations/', {
        ...{ title: 'Von der Ablage', source_system: 'Dateiablage W:' },
        settings: { keep_numbers: true, training_counts: true, date_format: 'DD.MM.YYYY' },
      }),
    )
    const first = await start()

    await stage(id, messy)
    ok(await world.as('ada').post(`/api/migrations/${id}/check`))
    await settled(id, 'checked')
    const wrong = await everyRow(id, '&status=error')
    for (const { sheet, line, column } of messy.mistakes) {
      const found = wrong.find(each => each.sheet === sheet && each.line === line)
      assert.ok(found, `${sheet} ${line} is no error`)
      assert.ok(
        found.messages.some((each: Json) => each.column === column && each.message && each.todo),
        JSON.stringify({ column, found }),
      )
    }
    // Each other row that is wrong names a row that is wrong.
    assert.deepEqual(
      wrong
        .filter(({ sheet }) => sheet === 'documents')
        .map(({ line }) => line)
        .toSorted((a, b) => a - b),
      messy.mistakes.filter(({ sheet }) => sheet === 'documents').map(({ line }) => line),
    )
    const refused = await world.as('ada').post(`/api/migrations/${id}/rehearse`)
    assert.equal(refused.statusCode, 409, refused.body)

    const missing = [...company.files].filter(([path]) => !messy.files.has(path))
    await stage(id, { sheets: company.sheets, files: new Map(missing) })
    ok(await world.as('ada').post(`/api/migrations/${id}/check`))
    await settled(id, 'checked')
    assert.deepEqual(
      (await everyRow(id, '&status=error')).map(({ sheet, line, messages }) => [sheet, line, messages]),
      [],
    )
    ok(await world.as('ada').post(`/api/migrations/${id}/rehearse`))
    await settled(id, 'rehearsed', 'checked')
    assert.deepEqual(
      (await everyRow(id, '&status=error')).map(({ sheet, line, messages }) => [sheet, line, messages]),
      [],
    )
    assert.deepEqual(await world.rows('select from documents'), [], 'a rehearsal leaves nothing')

    const { report_sha256 } = await read(id)
    ok(await world.as('quinn').post(`/api/migrations/${id}/accept`, { report_sha256, password }))
    const total = Object.values(company.sheets).reduce((sum, rows) => sum + rows.length, 0)
    const loaded = async () =>
      Number(
        (await world.rows<{ n: string }>(`select count(*) as n from migration_rows where resource_id is not null`))[0]!
          .n,
      )
    await until(async () => (await loaded()) > total / 4, 600_000, { every_ms: 50 })
    await kill(first)
    const half = await loaded()
    assert.ok(half < total, `it was over before the kill: ${half} of ${total}`)
    t.diagnostic(`killed at ${half} of ${total}`)
    await world.superuser.query('update pgboss.queue set heartbeat_seconds = 2')
    const second = await start()
    await settled(id, 'loaded', 'failed')
    const batch = await read(id)
    assert.equal(batch.status, 'loaded', JSON.stringify((await everyRow(id, '&status=error')).slice(0, 3)))
    assert.deepEqual(
      (await everyRow(id, '&status=differs')).map(({ sheet, line, differences }) => [sheet, line, differences]),
      [],
    )
    assert.equal(batch.counts.error, 0)
    ok(await world.as('quinn').post(`/api/migrations/${id}/release`, { password }))

    await compareDocuments(company, batch)
    await compareTraining(company)
    await compareCases(company)

    // Two signatures of the batch, and none of a record.
    const signatures = await world.rows<{ record_type: string }>('select record_type from signatures order by id')
    assert.deepEqual(
      signatures.slice(signaturesBefore.length).map(({ record_type }) => record_type),
      ['migration_batch', 'migration_batch'],
    )
    await kill(second)
    assert.deepEqual(await findDrift(world, world.people.ada!.tenant_id), [])
    const { code, out, err } = await commands.run(['doctor', '--deep', '--files', 'all'])
    assert.deepEqual([code, err, out.split('\n').filter(line => line.startsWith('FAIL'))], [0, '', []], out)
  })

  const page = async (url: string): Promise<Json[]> => {
    const found: Json[] = []
    for (let n = 1; ; n++) {
      const { items, pages } = ok(await world.as('quinn').get(`${url}page=${n}&page_size=100`))
      found.push(...items)
      if (n >= pages) return found
    }
  }
  const by = (rows: readonly Row[], column: string) => Map.groupBy(rows, row => row[column])

  async function compareDocuments({ sheets, files }: ReturnType<typeof oldCompany>, batch: Json) {
    const documents = await page('/api/documents/?')
    const numbersIn = (rows: readonly Row[]) => rows.map(({ number }) => String(number)).sort()
    assert.deepEqual(numbersIn(documents), numbersIn(sheets.documents))
    const versionsOf = by(sheets.versions, 'number')
    const approvalsOf = by(sheets.approvals, 'number')
    for (const source of sheets.documents) {
      const { id } = documents.find(({ number }) => number === source.number)!
      const [document, versions, approvals, history] = (
        await Promise.all(
          ['', '/versions', '/historical-approvals', '/history'].map(path =>
            world.as('quinn').get(`/api/documents/${id}${path}`),
          ),
        )
      ).map(reply => ok(reply))
      const sources = versionsOf.get(source.number!)!
      const effective = sources.find(({ state }) => state === 'effective')
      assert.deepEqual(
        [
          document.title,
          document.owner.username,
          document.category,
          document.review_due_date,
          document.effective_version,
          document.imported,
        ],
        [
          ...[source.title, source.owner, source.category || null, effective ? source.review_date : null],
          ...[effective ? label(effective.version) : null, { batch: batch.number, source: 'Dateiablage W:' }],
        ],
      )
      assert.deepEqual(
        versions.map((each: Json) => [
          each.version,
          each.status,
          each.effective_date,
          each.imported.ended_on,
          each.file.sha256,
          each.file.name,
        ]),
        sources
          .toReversed()
          .map(each => [
            ...[label(each.version), each.state, each.effective_date, each.ended_on],
            ...[sha256(files.get(String(each.file))!), String(each.file).split('/').at(-1)],
          ]),
      )
      assert.deepEqual(
        approvals.map((each: Json) => [
          each.version,
          each.person_name,
          each.person_role,
          each.meaning,
          each.approved_on,
          each.evidence,
        ]),
        approvalsOf
          .get(source.number!)!
          .map(each => [
            label(each.version),
            each.person,
            each.role,
            each.meaning,
            each.approved_on,
            each.evidence || null,
          ]),
      )
      assert.ok(
        approvals.every(
          (each: Json) => each.batch.number === batch.number && each.batch.accepted_by.username === 'quinn',
        ),
      )
      assert.deepEqual(
        [...new Set(history.map((each: Json) => `${each.trigger} ${each.signature_id}`))],
        ['migration null'],
      )
    }
    // The series goes on behind the last imported number.
    const last = Math.max(
      ...sheets.documents.filter(({ type }) => type === 'SOP').map(({ number }) => Number(String(number).slice(4))),
    )
    const next = ok(
      await world
        .as('alan')
        .upload('/api/documents/upload', { title: 'The next', document_type: await world.typeId('SOP') }),
    )
    assert.equal(next.number, `SOP-${String(last + 1).padStart(4, '0')}`)
  }

  async function compareTraining({ sheets }: ReturnType<typeof oldCompany>) {
    const assignments = (await page('/api/training/assignments/?source=migration&')).map(each =>
      [
        each.user.username,
        each.document?.number ?? each.title,
        each.document_version,
        each.status,
        each.completed_at.slice(0, 10),
        each.valid_until,
        each.score,
        each.signature_id,
      ].join('|'),
    )
    // Berlin's midnight is the evening before in UTC.
    const before = (day: unknown) =>
      new Date(Date.parse(`${String(day)}T00:00:00Z`) - 86_400_000).toISOString().slice(0, 10)
    const expected = sheets.training.map(each =>
      [
        each.username,
        each.document ?? each.title,
        each.version === null ? null : label(each.version),
        'completed',
        before(each.completed_on),
        each.valid_until,
        each.score,
        null,
      ].join('|'),
    )
    assert.deepEqual(assignments.sort(), expected.sort())
  }

  async function compareCases({ sheets, files }: ReturnType<typeof oldCompany>) {
    const actionsOf = by(sheets.capa_actions, 'capa')
    const compareActions = async (capa: Json, sources: readonly Row[]) => {
      const { items } = ok(await world.as('quinn').get(`/api/capa/${capa.id}/attachments?page_size=100`))
      const attached = new Map<number, string>(items.map(({ id, file }: Json) => [id, `${file.name} ${file.sha256}`]))
      assert.deepEqual(
        capa.actions.map((each: Json) => [
          ...[each.description, each.assigned_to.username, each.status, each.due_date, dayIn(each.completed_at)],
          ...[each.completed_by, each.completed_by_name, dayIn(each.approved_at), each.approved_by_name, each.evidence],
          each.attachment_ids.map((id: number) => attached.get(id)),
        ]),
        sources.map(each => [
          ...[each.description, each.assigned_to, each.state, each.due_date ?? each.completed_on, each.completed_on],
          ...[null, each.completed_by, each.verified_on, each.verified_by, each.evidence],
          each.attachment_1
            ? [`${String(each.attachment_1).split('/').at(-1)} ${sha256(files.get(String(each.attachment_1))!)}`]
            : [],
        ]),
      )
    }
    for (const [url, rows] of [
      ['/api/deviations/', sheets.deviations],
      ['/api/capa/', sheets.capas],
    ] as const) {
      const records = await page(`${url}?`)
      assert.equal(records.length, rows.length)
      for (const source of rows) {
        const found = records.find(({ number }) => number === source.number)!
        const record = ok(await world.as('quinn').get(`${url}${found.id}`))
        assert.deepEqual(
          [record.title, record.status, record.assigned_to.username, record.due_date, record.closed_by],
          [source.title, source.state, source.assigned_to, source.due_date ?? source.closed_on, null],
        )
        const [line] = ok(await world.as('quinn').get(`${url}${found.id}/history`))
        assert.deepEqual(
          [line.transition, line.from, line.to, line.signature_id],
          ['migrated', null, source.state, null],
        )
        if (url === '/api/capa/') await compareActions(record, actionsOf.get(source.number!)!)
        if (source.state !== 'closed') continue
        assert.match(line.reason, /^Closed before migration, on 2025-/)
        // Its retention period counts from then, and not from the import.
        const { ended_on } = ok(await world.as('quinn').get(`${url}${found.id}/retention`))
        assert.equal(ended_on, source.closed_on)
      }
    }
  }
})
