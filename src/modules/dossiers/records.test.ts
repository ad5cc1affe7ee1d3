// Deviations, CAPAs with their effectiveness reviews, and training, on paper and as dossiers (21 CFR 11.10(b)).
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { makePdf } from '#platform/pdf/make.ts'
import { openPdfRenderer } from '#platform/pdf/rendition.ts'
import { assignments } from '#test/builders/assignments.ts'
import { capas } from '#test/builders/capas.ts'
import { deviations, rootCause } from '#test/builders/deviations.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { readDossier } from '#test/builders/dossiers.ts'
import { pagesOf } from '#test/builders/pdf.ts'
import { questions, trainings } from '#test/builders/training.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'

let world: World
let deviation: ReturnType<typeof deviations>
let capa: ReturnType<typeof capas>
let training: ReturnType<typeof assignments>
let quiz: ReturnType<typeof trainings>
before(async () => {
  world = await openWorld()
  deviation = deviations(world)
  capa = capas(world)
  training = assignments(world)
  quiz = trainings(world)
})
after(() => world.close())

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const spooled = () => readdirSync(join(world.folder, 'uploads', '.tmp'))
const photo = pdf('photo of the valve')
const sections = [
  {
    key: 'event',
    title: 'Event',
    fields: [
      { key: 'line', label: 'Line', type: 'text' },
      { key: 'affected', label: 'Product affected', type: 'select', options: [{ value: 'n', label: 'No product' }] },
      { key: 'sop', label: 'Procedure', type: 'document_picker' },
      { key: 'notes', label: 'Notes', type: 'textarea' },
    ],
  },
]

async function printed(url: string, by = 'otto') {
  const reply = await world.as(by).get(`${url}/record.pdf`)
  assert.equal(reply.statusCode, 200, reply.body)
  assert.equal(reply.headers['content-type'], 'application/pdf')
  const pages = await pagesOf(reply.rawPayload)
  return { reply, pages, text: pages.join(' ') }
}
const requireAll = (text: string, parts: readonly (string | RegExp)[]) => {
  for (const part of parts) assert.ok(typeof part === 'string' ? text.includes(part) : part.test(text), String(part))
}
const exportsOf = (action: string, id: number) =>
  world.rows<Json>(
    `select username, resource_number as number, outcome, changes from audit_entries
     where action = $1 and resource_id = $2 order by id`,
    [action, id],
  )

/** Closed and signed, with everything that a deviation can have. */
async function closedDeviation() {
  const { id: document } = await papers(world).effective()
  const form = ok(
    await world.as('quinn').post('/api/deviations/form-templates/', { name: `Leak ${Date.now()}`, sections }),
  )
  const { id, number } = await deviation.report({
    description: 'Water was found under valve V-12.\n\nIt had run for two hours.',
    severity: 'major',
    affected_items: [{ kind: 'batch', identifier: 'B-2026-117' }],
    immediate_action: 'The line was stopped',
    form_template_id: form.id,
    form_data: { line: 'Line 1', affected: 'n', sop: document, notes: 'First note\nSecond note' },
    document_ids: [document],
  })
  const url = `/api/deviations/${id}`
  const attachment = ok(
    await world
      .as('uma')
      .upload(`${url}/attachments`, { description: 'As found' }, { bytes: photo, name: 'valve.pdf' }),
  )
  ok(await world.as('uma').post(`${url}/comments`, { text: 'Seen on the morning round' }))
  const taken = { status: 'under_investigation', assigned_to: world.people.petra!.id }
  ok(await deviation.put('petra', id, taken))
  assert.equal((await deviation.put('uma', id, { title: 'Mine', change_reason: 'Clearer' })).statusCode, 403)
  for (const [by, body] of [
    [
      'petra',
      {
        ...{ status: 'pending_approval', root_cause: rootCause, impact_assessment: 'None: the line was empty' },
        ...{ no_capa_reason: 'Seals are changed every year', change_reason: 'Investigated' },
      },
    ],
    ['quentin', { status: 'closed', change_reason: 'Complete and plausible', password }],
  ] as const)
    ok(await deviation.put(by, id, body))
  return { id, number, url, attachment, document }
}

describe('the record of a deviation on paper', () => {
  // proves: DEV-01, SIG-02
  it('has its content, form, files, history and signatures, with number and page on each page, and who printed it', async () => {
    const { id, number, url } = await closedDeviation()
    const { reply, pages, text } = await printed(url, 'petra')
    assert.equal(reply.headers['content-disposition'], `attachment; filename="${number} record.pdf"`)
    for (const [at, page] of pages.entries())
      requireAll(page, [
        number,
        'Valve V-12 leaked',
        `Page ${at + 1} of ${pages.length}`,
        /Generated by Petra Example \(petra\) at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC/,
        'Uncontrolled when printed',
      ])
    requireAll(text, [
      `Record of ${number}`,
      /Company \S+/,
      'Status closed',
      /Reported .* by Uma Example \(uma\)/,
      'It had run for two hours.',
      'B-2026-117',
      'Product affected No product',
      /Procedure [A-Z]+-/,
      'First note Second note',
      'Why did the valve leak? Its seal was worn',
      'Not filled in',
      'valve.pdf',
      'Seen on the morning round',
      'pending approval to closed',
      'Printed name Quentin Example (quentin) Role QA Meaning closure',
      /Verification code [0-9a-f]{4}(-[0-9a-f]{4}){3}/,
      'Signatures and attached files were not verified for it',
    ])
    assert.ok(text.replaceAll(' ', '').includes(sha256(photo)))
    assert.doesNotMatch(text, /verified: valid|Audit trail/)
    assert.deepEqual(await exportsOf('deviation.record_exported', id), [
      { username: 'petra', number, outcome: 'success', changes: { pages: { from: null, to: pages.length } } },
    ])
    assert.deepEqual(spooled(), [])
  })

  // proves: DEV-01
  it('of a new report names what is not filled in, and breaks a word that is longer than a line', async () => {
    const long = 'W'.repeat(500)
    const { id } = await deviation.report({ title: long, description: `${long} end` })
    const { pages, text } = await printed(`/api/deviations/${id}`)
    requireAll(text, ['This record has no signatures', /Not filled in .*Investigation/])
    assert.equal(text.replaceAll(' ', '').split('W'.repeat(500)).length >= 3, true, 'title and description are whole')
    assert.ok(pages.length <= 3, `${pages.length} pages`)
  })

  // proves: DEV-04, SVC-01, AUTH-05
  it('shows its readers no more than they may read: no other tenant, no number of a record that is closed to them', async () => {
    const { id: other, number: hidden } = await capa.open()
    const { id } = await deviation.report({ by: 'petra', capa_ids: [other] })
    const url = `/api/deviations/${id}`
    assert.equal((await world.as('rita').get(`${url}/record.pdf`)).statusCode, 404)
    const change = (denied: string[]) =>
      world.as('ada').put(`/api/users/${world.people.uma!.id}/permissions`, { granted: [], denied })
    assert.ok((await printed(url, 'petra')).text.includes(hidden))
    ok(await change(['capa.read']))
    const { text } = await printed(url, 'uma')
    assert.ok(!text.includes(hidden))
    requireAll(text, ['a capa that you may not read'])
    const dossierOf = async (by: string) => {
      const { files, json } = await readDossier(world, `${url}/dossier`, by)
      const pages = (await pagesOf(files.get('dossier.pdf')!)).join(' ')
      return { number: json('parts/links.json')[0].number, linked: pages.slice(pages.indexOf('Linked records')) }
    }
    ok(
      await world
        .as('ada')
        .put(`/api/users/${world.people.uma!.id}/permissions`, { granted: ['audit.read'], denied: ['capa.read'] }),
    )
    const closed = await dossierOf('uma')
    assert.equal(closed.number, null)
    requireAll(closed.linked, ['a capa that you may not read'])
    assert.equal((await dossierOf('otto')).number, hidden)
    ok(await change(['deviations.read']))
    assert.equal((await world.as('uma').get(`${url}/record.pdf`)).statusCode, 403)
    ok(await change([]))
  })

  // proves: SVC-09
  it('is made in turn with signed copies, and is refused where its pages cannot be made', async () => {
    const { id } = await deviation.report()
    const renderer = world.services.pdf
    try {
      world.services.pdf = openPdfRenderer({ waiting: 1, make: makePdf })
      const url = `/api/deviations/${id}/record.pdf`
      const replies = await Promise.all(Array.from({ length: 6 }, () => world.as('otto').get(url)))
      assert.deepEqual(new Set(replies.map(({ statusCode }) => statusCode)), new Set([200, 503]))
    } finally {
      world.services.pdf = renderer
    }
    assert.deepEqual(spooled(), [])
  })

  // proves: DOC-04
  it('is not given out if the record was changed meanwhile', async () => {
    const { id } = await deviation.report()
    const renderer = world.services.pdf
    try {
      world.services.pdf = openPdfRenderer({
        make: async job => {
          ok(await deviation.put('petra', id, { title: 'Valve V-13 leaked', change_reason: 'Typing error' }))
          return makePdf(job)
        },
      })
      const reply = await world.as('otto').get(`/api/deviations/${id}/record.pdf`)
      assert.deepEqual([reply.statusCode, reply.json().code], [409, 'dossier_outdated'])
    } finally {
      world.services.pdf = renderer
    }
    assert.deepEqual(await exportsOf('deviation.record_exported', id), [])
    assert.deepEqual(spooled(), [])
  })
})

describe('the dossier of a deviation', () => {
  // proves: DEV-01, AUD-01, SIG-02
  it('has all of it: files, signatures with their verification, the trail, and a hash of each part', async () => {
    const { id, number, url, attachment, document } = await closedDeviation()
    const { reply, files, json, entries, manifest } = await readDossier(world, `${url}/dossier`)
    assert.equal(reply.headers['content-disposition'], `attachment; filename="${number} dossier.zip"`)
    assert.deepEqual(
      [...files.keys()],
      [
        ...['manifest.json', 'SHA256SUMS', 'dossier.pdf', 'audit.jsonl'],
        ...['attachments', 'comments', 'extensions', 'history', 'links'].map(name => `parts/${name}.json`),
        ...['record.json', 'signatures.json', 'verification.json', `files/${attachment.id}/valve.pdf`],
      ],
    )
    for (const { name, size, sha256: said } of manifest.entries)
      assert.deepEqual([files.get(name)!.length, sha256(files.get(name)!)], [size, said], name)
    assert.ok(files.get(`files/${attachment.id}/valve.pdf`)!.equals(photo))
    const { type, id: said, number: itsNumber } = manifest.record
    assert.deepEqual([type, said, itsNumber, manifest.failed_checks], ['deviation', id, number, []])
    assert.deepEqual(manifest.signatures, { total: 1, valid: 1 })
    const record = json('record.json')
    assert.equal(record.deviation.root_cause.summary, rootCause.summary)
    assert.equal(record.form_template.sections[0].fields.length, 4)
    assert.deepEqual(
      json('parts/links.json').map((each: Json) => [each.resource_type, each.resource_id]),
      [['document', document]],
    )
    const [signature] = json('signatures.json')
    const details = ok(await world.as('otto').get(`/api/signatures/${signature.id}`))
    assert.deepEqual(
      [signature.payload, signature.seal, signature.digest],
      [details.payload, details.seal, details.digest],
    )
    assert.deepEqual(json('verification.json')[0].checks, details.verification.checks)
    const expected = await world.rows<{ id: string }>(
      `select id from audit_entries where (resource_type = 'deviation' and resource_id = $1)
         or (resource_type = 'attachment' and resource_id = $2) or (resource_type = 'signature' and resource_id = $3)
         or (resource_type = 'access' and starts_with(reason, $4)) order by id`,
      [id, attachment.id, signature.id, `${number} (${id}): `],
    )
    assert.deepEqual(
      entries.map(entry => entry.id),
      expected.map(entry => Number(entry.id)).slice(0, -1),
      'all but the entry of the export itself',
    )
    const [exported] = await exportsOf('deviation.dossier_exported', id)
    assert.equal(exported!.changes.content_sha256.to, manifest.content_sha256)
    requireAll((await pagesOf(files.get('dossier.pdf')!)).join(' '), [
      `Dossier of ${number}`,
      'verified: valid',
      'deviation.state_changed',
      'as stored',
    ])
    assert.deepEqual(spooled(), [])
  })

  // proves: AUD-01
  it('has the same content SHA-256 until somebody changes the record, and has the refused attempts', async () => {
    const { url, attachment } = await closedDeviation()
    const first = await readDossier(world, `${url}/dossier`)
    assert.equal((await world.as('uma').get(`${url}/attachments/${attachment.id}/download`)).statusCode, 200)
    await printed(url)
    const second = await readDossier(world, `${url}/dossier`, 'quinn')
    assert.equal(second.manifest.content_sha256, first.manifest.content_sha256)
    assert.ok(second.entries.length > first.entries.length)
    ok(await world.as('uma').post(`${url}/comments`, { text: 'One thing more' }))
    const third = await readDossier(world, `${url}/dossier`)
    assert.notEqual(third.manifest.content_sha256, first.manifest.content_sha256)
    const denied = third.entries.filter(({ action }) => action === 'access.denied')
    assert.deepEqual(
      denied.map(({ user, outcome }) => [user.username, outcome]),
      [['uma', 'denied']],
    )
  })

  // proves: SIG-02
  it('says which stored file was altered, and that the signature over it does not hold', async () => {
    const { url, attachment } = await closedDeviation()
    const [stored] = await world.rows<{ file_key: string }>('select file_key from attachments where id = $1', [
      attachment.id,
    ])
    writeFileSync(join(world.folder, 'uploads', stored!.file_key), pdf('forged'))
    const { files, manifest } = await readDossier(world, `${url}/dossier`)
    assert.match(
      manifest.failed_checks[0],
      /The stored file of attachment \d+ \(valve\.pdf\) differs from the recorded/,
    )
    assert.match(manifest.failed_checks[1], /Signature \d+ is not valid: .*valve\.pdf differs/)
    assert.deepEqual([manifest.files[0].is_intact, manifest.signatures.valid], [false, 0])
    requireAll((await pagesOf(files.get('dossier.pdf')!))[0]!, ['differs from the recorded one'])
  })

  // proves: AUTH-05, SVC-01
  it('is for readers of the record and of the audit trail', async () => {
    const { id } = await deviation.report()
    const { id: plan } = await capa.open()
    for (const url of [`/api/deviations/${id}/dossier`, `/api/capa/${plan}/dossier`]) {
      assert.equal((await world.as('alan').get(url)).statusCode, 403)
      assert.equal((await world.as('rex').get(url)).statusCode, 404)
      assert.equal((await world.as('otto').get(url.replace(/\d+/, '999999'))).statusCode, 404)
    }
    const change = (denied: string[]) =>
      world.as('ada').put(`/api/users/${world.people.otto!.id}/permissions`, { granted: [], denied })
    ok(await change(['deviations.read', 'capa.read']))
    assert.equal((await world.as('otto').get(`/api/deviations/${id}/dossier`)).statusCode, 403)
    assert.equal((await world.as('otto').get(`/api/capa/${plan}/dossier`)).statusCode, 403)
    ok(await change([]))
    assert.deepEqual(spooled(), [])
  })
})

describe('a CAPA', () => {
  // proves: CAPA-01, CAPA-04, SIG-02
  it('is exported with its actions, its effectiveness reviews, and the signatures of both', async () => {
    const { id, number } = await capa.inState('closed')
    const { text } = await printed(`/api/capa/${id}`)
    requireAll(text, [
      `Record of ${number}`,
      'Action 1 Status done',
      /Evidence Qualification report 12/,
      'Effectiveness review 1',
      'Result effective',
      'Criteria No deviation of this cause in three months',
      'Conclusion None in 40 batches',
      `Signatures of ${number}, effectiveness review 1`,
      'Meaning effectiveness',
      'Meaning closure',
    ])
    const { json, manifest, entries } = await readDossier(world, `/api/capa/${id}/dossier`)
    assert.deepEqual(manifest.signatures, { total: 2, valid: 2 })
    assert.equal(json('record.json').actions[0].evidence, 'Qualification report 12')
    assert.equal(json('parts/effectiveness_reviews.json')[0].result, 'effective')
    const actions = entries.map(({ action }) => action)
    for (const action of ['capa.created', 'effectiveness_review.completed', 'signature.created', 'capa.state_changed'])
      assert.ok(actions.includes(action), action)
    assert.equal((await exportsOf('capa.record_exported', id)).length, 1)
    assert.equal((await exportsOf('capa.dossier_exported', id)).length, 1)
  })

  // proves: CAPA-01
  it('with many long actions has all of them, to their last word', async () => {
    const actions = Array.from({ length: 12 }, (_, at) => ({
      description: `Action of place ${at + 1}: ${'replace the seal and record it. '.repeat(100)}END${at + 1}.`,
      assigned_to: capa.idOf('anna'),
    }))
    const { id } = await capa.open({ actions })
    const { pages, text } = await printed(`/api/capa/${id}`)
    for (let at = 1; at <= 12; at++) assert.ok(text.includes(`END${at}.`), `action ${at}`)
    assert.ok(pages.length > 7)
  })
})

describe('a training', () => {
  async function trained() {
    const program = await quiz.create({ title: 'Gowning in grade B', type: 'quiz', passing_score: 50, questions })
    const { assigned } = await training.assign({ training_id: program.id, user_ids: training.ids(['uma']) })
    const shown = await quiz.get('uma', program.id)
    await training.complete('uma', program.id, { password, answers: quiz.answersTo(shown) })
    return { program, id: assigned[0].assignment_id as number }
  }

  // proves: TRN-03, SIG-02
  it('is exported for its person and for readers of all training, with its quiz and signature', async () => {
    const { program, id } = await trained()
    const url = `/api/training/assignments/${id}`
    const { reply, text } = await printed(url, 'uma')
    assert.match(
      String(reply.headers['content-disposition']),
      new RegExp(`${program.number}, training ${id} record.pdf`),
    )
    requireAll(text, ['Uma Example (uma)', 'Gowning in grade B', 'attempt 1: 100 %, passed', 'Meaning training'])
    for (const [who, code] of [
      ['anna', 404],
      ['rita', 404],
      ['otto', 200],
    ] as const)
      assert.equal((await world.as(who).get(`${url}/record.pdf`)).statusCode, code, who)
    const { json, manifest, entries } = await readDossier(world, `${url}/dossier`)
    assert.deepEqual(manifest.signatures, { total: 1, valid: 1 })
    const [attempt] = json('parts/attempts.json')
    assert.deepEqual([attempt.score, attempt.answers.length], [100, questions.length])
    assert.match(attempt.questions_sha256, /^[0-9a-f]{64}$/)
    assert.doesNotMatch(JSON.stringify([json('record.json'), attempt]), /is_correct/)
    assert.ok(entries.some(({ action }) => action === 'training_assignment.completed'))
    assert.equal((await world.as('uma').get(`${url}/dossier`)).statusCode, 403, 'without audit.read')
    assert.equal((await exportsOf('training_assignment.record_exported', id)).length, 2)
    assert.equal((await exportsOf('training_assignment.dossier_exported', id)).length, 1)
  })

  // proves: TRN-03, AUD-01
  it('record of a person is exported with all trainings, and others of the person are not mixed in', async () => {
    const { id } = await trained()
    const other = await training.program()
    await training.assign({ training_id: other.id, user_ids: training.ids(['anna']) })
    const user = world.people.uma!.id
    const { json, entries, files, manifest } = await readDossier(world, `/api/training/records/${user}/dossier`)
    const { assignments } = json('record.json')
    assert.ok(assignments.some((each: Json) => each.assignment_id === id))
    assert.ok(assignments.every((each: Json) => each.user.username === 'uma'))
    assert.ok(manifest.signatures.total >= 1 && manifest.signatures.total === manifest.signatures.valid)
    assert.ok(!entries.some(({ changes }) => changes?.title?.to === other.title))
    requireAll((await pagesOf(files.get('dossier.pdf')!)).join(' '), ['Gowning in grade B', 'verified: valid'])
    const [exported] = await exportsOf('training_record.exported', user)
    assert.equal(exported!.changes.format.to, 'dossier')
    assert.equal((await world.as('rex').get(`/api/training/records/${user}/dossier`)).statusCode, 404)
  })
})

// proves: DEV-01, CAPA-01, TRN-03
it('a dossier covers every table that says something of its record', async () => {
  const columns = ['deviation_id', 'capa_id', 'effectiveness_review_id', 'training_assignment_id', 'assignment_id']
  const tables = await world.rows<{ name: string }>(
    `select distinct c.relname || '.' || a.attname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
     where a.attname = any($1) and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`,
    [columns],
  )
  const covered = [
    ...['attachments', 'due_date_extensions', 'record_comments', 'record_history', 'signatures'].flatMap(name => [
      `${name}.capa_id`,
      `${name}.deviation_id`,
    ]),
    ...['capa_actions.capa_id', 'capa_documents.capa_id', 'deviation_capas.capa_id', 'deviation_capas.deviation_id'],
    ...['deviation_deviations.deviation_id', 'deviation_documents.deviation_id', 'effectiveness_reviews.capa_id'],
    ...['signatures.effectiveness_review_id', 'signatures.training_assignment_id', 'training_attempts.assignment_id'],
  ]
  assert.deepEqual(
    // A disposal stands with each file that it destroyed.
    tables
      .map(({ name }) => name)
      .filter(name => !/^(deviation_(index|vectors)|legal_holds|disposal_records)\./.test(name)),
    covered.sort(),
    'a new table needs a part in the dossier',
  )
})
