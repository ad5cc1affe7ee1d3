// The main job, and what a document is to each who reads it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import PDFDocument from 'pdfkit'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld({ MAX_UPLOAD_MB: '1' })
  paper = papers(world)
})
after(() => world.close())

async function printedProcedure() {
  const document = new PDFDocument({ info: { Title: 'Cleaning of line 1' } })
  const chunks: Buffer[] = []
  document.on('data', chunk => chunks.push(chunk))
  document.fontSize(20).text('Cleaning of line 1').moveDown().fontSize(11).text('Rinse for five minutes at 60 °C.')
  document.addPage().text('Record the temperature.')
  document.end()
  await once(document, 'end')
  return Buffer.concat(chunks)
}

const storedFiles = () =>
  globSync(`${world.services.config.upload_dir}/**/*`, { withFileTypes: true }).filter(each => each.isFile())

describe('the main job', () => {
  it('a PDF becomes an effective SOP by two signatures, comes back byte for byte, and the trail says who, what, when and why (proves: DOC-01, DOC-03, DOC-05, SIG-01, AUD-01, FLOW-02)', async () => {
    const bytes = await printedProcedure()
    const reply = await world.as('alan').upload(
      '/api/documents/upload',
      {
        title: 'Cleaning of line 1',
        document_type: await world.typeId('SOP'),
        category: 'Cleaning',
        description: 'Before each change of product',
        keywords: 'line 1, cleaning,, cleaning ',
      },
      { bytes, name: 'Reinigung Linie 1 – Ä.pdf' },
    )
    const draft = ok(reply)
    assert.equal(reply.statusCode, 201)
    assert.equal(reply.headers.location, `/api/documents/${draft.id}`)
    assert.equal(reply.headers.etag, '"1"')
    assert.deepEqual(
      [draft.number, draft.version, draft.status, draft.keywords, draft.file.content_type, draft.file.size],
      ['SOP-0001', '1.0', 'draft', ['line 1', 'cleaning'], 'application/pdf', bytes.length],
    )
    assert.match(draft.file_path, /^\d+\/[0-9a-f]{2}\/[0-9a-f-]{36}$/)
    const { id } = draft

    assert.equal(ok(await paper.move('alan', id, 'submit')).status, 'in_review')
    const [rule] = (await paper.get('petra', id)).workflow.pending[0].rules
    assert.deepEqual([rule.needed, rule.given_by], [1, []])
    assert.equal(
      ok(await paper.approve('petra', id, { password, comment: 'Complete and clear' })).status,
      'in_approval',
    )
    const effective = ok(await paper.approve('quentin', id, { password, comment: 'Fit for use' }))
    assert.deepEqual(
      [effective.status, effective.effective_version, effective.workflow.pending],
      ['effective', '1.0', []],
    )
    const today = new Date().toISOString().slice(0, 10)
    assert.equal(effective.effective_date, today)
    assert.equal(Number(effective.review_due_date.slice(0, 4)), Number(today.slice(0, 4)) + 2)

    const download = await world.as('uma').get(`/api/documents/${id}/download`)
    assert.ok(download.rawPayload.equals(bytes), 'every byte')
    assert.equal(download.headers['content-type'], 'application/pdf')
    assert.match(
      String(download.headers['content-disposition']),
      /^attachment; .*filename\*=UTF-8''Reinigung%20Linie%201%20%E2%80%93%20%C3%84\.pdf/,
    )
    assert.equal(download.headers.etag, `"${draft.file.sha256}"`)

    const { items } = ok(
      await world.as('otto').get(`/api/audit/?resource_type=document&resource_id=${id}&sort=id&page_size=50`),
    )
    assert.deepEqual(
      items.map(({ action, user, reason, changes }: Json) => [
        action,
        user.username,
        changes.status?.to ?? null,
        reason,
      ]),
      [
        ['document.created', 'alan', 'draft', null],
        ['document.state_changed', 'alan', 'in_review', null],
        ['document.approved', 'petra', null, 'Complete and clear'],
        ['document.state_changed', 'petra', 'in_approval', 'Complete and clear'],
        ['document.approved', 'quentin', null, 'Fit for use'],
        ['document.state_changed', 'quentin', 'approved', 'Fit for use'],
        ['document.state_changed', 'quentin', 'effective', null],
        ['document.downloaded', 'uma', null, null],
      ],
    )
    for (const { occurred_at, resource_number, request_id } of items) {
      assert.ok(Math.abs(Date.parse(occurred_at) - Date.now()) < 60_000)
      assert.equal(resource_number, 'SOP-0001')
      assert.match(request_id, /^[0-9a-f]{32}$/)
    }
    const signed = items.find(({ action }: Json) => action === 'document.approved').changes
    assert.equal(signed.version.to, '1.0')
    assert.equal(signed.transition.to, 'review')
    const signature = ok(await world.as('otto').get(`/api/signatures/${signed.signature_id.to}`))
    assert.deepEqual(
      [
        signature.signer.username,
        signature.signature_type,
        signature.intent,
        signature.method,
        signature.verification.status,
      ],
      ['petra', 'review', 'Complete and clear', 'password', 'valid'],
    )

    const history = await paper.get('uma', id, '/history')
    assert.deepEqual(
      history.map(({ kind, transition, from, to, trigger, user }: Json) => [
        kind,
        transition,
        from,
        to,
        trigger,
        user.username,
      ]),
      [
        ['transition', 'created', null, 'draft', 'user', 'alan'],
        ['transition', 'submit', 'draft', 'in_review', 'user', 'alan'],
        ['decision', 'review', null, null, null, 'petra'],
        ['transition', 'review', 'in_review', 'in_approval', 'automatic', 'petra'],
        ['decision', 'approve', null, null, null, 'quentin'],
        ['transition', 'approve', 'in_approval', 'approved', 'automatic', 'quentin'],
        ['transition', 'make_effective', 'approved', 'effective', 'automatic', 'quentin'],
      ],
    )
  })

  it('each command counts the revision once, whatever it does', async () => {
    const { id, revision } = await paper.upload()
    assert.equal(revision, 1)
    assert.equal(ok(await paper.move('alan', id, 'submit')).revision, 2)
    assert.equal(ok(await paper.approve('petra', id)).revision, 3)
    assert.equal(ok(await paper.approve('quentin', id)).revision, 4)
    const entries = await world.rows<{ resource_revision: number | null }>(
      `select resource_revision from audit_entries where resource_type = 'document' and resource_id = $1 order by id`,
      [id],
    )
    assert.deepEqual(
      entries.map(each => each.resource_revision),
      [1, 2, 3, 3, 4, 4, 4],
    )
  })
})

describe('uploads that are refused leave nothing behind (proves: DOC-07)', () => {
  const sop = () => world.typeId('SOP')
  const refusals: [
    string,
    () => Promise<{ fields: Record<string, string | number>; file?: { bytes: Buffer; name: string } }>,
    number,
    string,
  ][] = [
    [
      'a file over the limit',
      async () => ({
        fields: { title: 'Big', document_type: await sop() },
        file: { bytes: Buffer.concat([pdf(), Buffer.alloc(1024 * 1024)]), name: 'big.pdf' },
      }),
      413,
      '1 MiB',
    ],
    [
      'a file that is not what its name says',
      async () => ({
        fields: { title: 'Fake', document_type: await sop() },
        file: { bytes: Buffer.from('MZ\x90\0 not a pdf'), name: 'fake.pdf' },
      }),
      422,
      'is that of a .exe file',
    ],
    [
      'an empty file',
      async () => ({
        fields: { title: 'Empty', document_type: await sop() },
        file: { bytes: Buffer.alloc(0), name: 'empty.pdf' },
      }),
      422,
      'is empty',
    ],
    [
      'no title',
      async () => ({ fields: { document_type: await sop() }, file: { bytes: pdf(), name: 'a.pdf' } }),
      422,
      'title',
    ],
    [
      'no type',
      async () => ({ fields: { title: 'Untyped' }, file: { bytes: pdf(), name: 'a.pdf' } }),
      422,
      'document_type',
    ],
    [
      'a field that is not known',
      async () => ({
        fields: { title: 'Odd', document_type: await sop(), owner: 'me' },
        file: { bytes: pdf(), name: 'a.pdf' },
      }),
      422,
      'owner',
    ],
    [
      'a type that does not exist',
      async () => ({ fields: { title: 'Odd', document_type: 999_999 }, file: { bytes: pdf(), name: 'a.pdf' } }),
      404,
      'Document type',
    ],
  ]
  for (const [what, make, status, words] of refusals) {
    it(`${what}: ${status}`, async () => {
      const [files, [{ count }]] = [
        storedFiles().length,
        (await world.rows<{ count: string }>('select count(*) from documents')) as [{ count: string }],
      ]
      const { fields, file } = await make()
      const reply = await world.as('alan').upload('/api/documents/upload', fields, file)
      assert.equal(reply.statusCode, status, reply.body)
      assert.ok(reply.body.includes(words), reply.body)
      assert.equal(storedFiles().length, files)
      assert.deepEqual(await world.rows('select count(*) from documents'), [{ count }])
    })
  }
  it('no file at all: 422', async () => {
    const form = new FormData()
    form.append('title', 'Nothing')
    form.append('document_type', String(await sop()))
    const encoded = new Response(form)
    const reply = await world.server.inject({
      method: 'POST',
      url: '/api/documents/upload',
      payload: Buffer.from(await encoded.arrayBuffer()),
      headers: {
        authorization: `Bearer ${await world.tokenOf('alan')}`,
        'content-type': encoded.headers.get('content-type')!,
      },
    })
    assert.equal(reply.statusCode, 422)
    assert.deepEqual(reply.json().detail[0].loc, ['body', 'file'])
  })

  it('a new version that is refused leaves no file either', async () => {
    const { id } = await paper.upload()
    ok(await paper.move('alan', id, 'cancel'))
    const files = storedFiles().length
    const reply = await paper.addVersion(id)
    assert.equal(reply.statusCode, 409)
    assert.equal(reply.json().code, 'document_final')
    assert.equal(storedFiles().length, files)
  })

  it('a type that is not active: 409', async () => {
    const type = ok(
      await world.as('quinn').post('/api/document-types/', { name: 'Retired', prefix: 'RET', workflow_template_id: 1 }),
    )
    ok(await world.as('quinn').put(`/api/document-types/${type.id}`, { is_active: false }))
    const reply = await world.as('alan').upload('/api/documents/upload', { title: 'Late', document_type: type.id })
    assert.equal(reply.statusCode, 409)
  })
})

it('numbers count up without a gap by prefix, also over uploads that were refused', async () => {
  const first = await paper.upload({ type: 'Policy' })
  const refused = await world
    .as('alan')
    .upload('/api/documents/upload', { title: ' ', document_type: await world.typeId('Policy') })
  assert.equal(refused.statusCode, 422)
  const second = await paper.upload({ type: 'Policy' })
  assert.deepEqual([first.number, second.number], ['POL-0001', 'POL-0002'])
})

describe('a stored file that was altered (21 CFR 11.10(c))', () => {
  it('is never downloaded: 500 with a reference, whole or shortened (proves: DOC-03)', async () => {
    const { id, file_path } = await paper.effective()
    const path = join(world.services.config.upload_dir, file_path)
    const bytes = pdf()
    for (const wrong of [
      Buffer.from(bytes).fill('X', 20, 21),
      bytes.subarray(1),
      Buffer.concat([bytes, Buffer.from('!')]),
    ]) {
      writeFileSync(path, wrong)
      const reply = await world.as('uma').get(`/api/documents/${id}/download`)
      assert.equal(reply.statusCode, 500)
      assert.ok(reply.json().request_id)
    }
    writeFileSync(path, bytes)
    assert.equal((await world.as('uma').get(`/api/documents/${id}/download`)).statusCode, 200)
  })

  it('is not signed: approval is a 500, and the document stays where it was', async () => {
    const { id, file_path } = await paper.submitted()
    writeFileSync(join(world.services.config.upload_dir, file_path), pdf('altered'))
    assert.equal((await paper.approve('petra', id)).statusCode, 500)
    assert.equal((await paper.get('petra', id)).status, 'in_review')
  })
})

describe('who sees what', () => {
  const list = async (by: string, query = '') =>
    ok(await world.as(by).get(`/api/documents/?page_size=100&category=Sight${query}`))
  const ids = { draft: 0, annas: 0, effective: 0, obsolete: 0, both: 0 }
  before(async () => {
    const add = (fields: Record<string, string> = {}) => paper.upload({ category: 'Sight', ...fields })
    ids.draft = (await add({ title: 'Draft' })).id
    ids.annas = (await add({ by: 'anna', title: 'Draft of Anna' })).id
    ids.effective = (await paper.effective({ category: 'Sight', title: 'In force' })).id
    ids.obsolete = (await paper.effective({ category: 'Sight', title: 'Out of force' })).id
    ok(await paper.move('quinn', ids.obsolete, 'obsolete', 'Line 1 is gone'))
    ids.both = (await paper.effective({ category: 'Sight', title: 'Renewed' })).id
    ok(await paper.addVersion(ids.both, { title: 'Renewed, next' }))
  })
  const expected: Record<string, (keyof typeof ids)[]> = {
    uma: ['effective', 'both'],
    alan: ['draft', 'effective', 'obsolete', 'both'],
    anna: ['annas', 'effective', 'both'],
    petra: ['draft', 'annas', 'effective', 'obsolete', 'both'],
    otto: ['draft', 'annas', 'effective', 'obsolete', 'both'],
    rex: [],
  }
  for (const [name, visible] of Object.entries(expected)) {
    it(`${name} sees ${visible.join(', ') || 'nothing'}; list, total and details agree (proves: DOC-02)`, async () => {
      const { items, total } = await list(name)
      assert.deepEqual(new Set(items.map(({ id }: Json) => id)), new Set(visible.map(each => ids[each])))
      assert.equal(total, visible.length)
      for (const [what, id] of Object.entries(ids)) {
        const status = visible.includes(what as keyof typeof ids) ? 200 : 404
        for (const path of ['', '/versions', '/history', '/download']) {
          const reply = await world.as(name).get(`/api/documents/${id}${path}`)
          assert.equal(reply.statusCode, status, `${what}${path}: ${reply.body.slice(0, 200)}`)
        }
      }
    })
  }

  it('of a draft beside an effective version, a reader of the effective one learns nothing', async () => {
    const seen = await paper.get('uma', ids.both)
    assert.deepEqual(
      [seen.version, seen.title, seen.pending_version, seen.workflow.version],
      ['1.0', 'Renewed', null, '1.0'],
    )
    assert.deepEqual(
      (await paper.get('uma', ids.both, '/versions')).map((each: Json) => each.version),
      ['1.0'],
    )
    assert.ok((await paper.get('uma', ids.both, '/history')).every((each: Json) => each.version === '1.0'))
    assert.equal((await list('uma', '&status=draft')).total, 0)
    for (const path of ['', '/download'])
      assert.equal((await world.as('uma').get(`/api/documents/${ids.both}${path}?version=1.1`)).statusCode, 404)
  })

  it('its author and those who read drafts see both', async () => {
    for (const name of ['alan', 'petra']) {
      const seen = await paper.get(name, ids.both)
      assert.deepEqual(
        [seen.version, seen.pending_version, seen.workflow.version],
        ['1.0', { version: '1.1', status: 'draft', effective_date: null }, '1.1'],
      )
      assert.deepEqual(
        (await paper.get(name, ids.both, '/versions')).map((each: Json) => each.version),
        ['1.1', '1.0'],
      )
      assert.ok((await list(name, '&status=draft')).items.some(({ id }: Json) => id === ids.both))
    }
  })

  it('another author neither changes, replaces nor moves a draft that they cannot read', async () => {
    const put = await world.as('anna').put(`/api/documents/${ids.both}`, { title: 'Mine', change_reason: 'Because' })
    assert.equal(put.statusCode, 409)
    assert.equal(put.json().code, 'document_metadata_fixed')
    const version = await paper.addVersion(ids.both, {}, 'anna')
    assert.equal(version.statusCode, 409)
    assert.equal(version.json().code, 'document_version_under_way')
    assert.equal((await paper.move('anna', ids.both, 'submit')).statusCode, 409)
    assert.equal((await paper.get('alan', ids.both)).pending_version.status, 'draft')
  })

  it('who is named as an approver reads what they decide about, and no longer once they have decided', async () => {
    const { id } = await paper.upload({ type: 'General document' })
    const umaId = world.people.uma!.id
    ok(await world.as('quinn').put(`/api/documents/${id}`, { owner_id: world.people.quinn!.id }))
    ok(await world.as('ada').put(`/api/users/${umaId}/permissions`, { granted: ['documents.approve'], denied: [] }))
    ok(
      await world.as('quinn').post(`/api/documents/${id}/configure-approval`, {
        approvers: [{ kind: 'user', who: umaId }],
        change_reason: 'A colleague is absent',
      }),
    )
    assert.equal((await world.as('uma').get(`/api/documents/${id}`)).statusCode, 404)
    ok(await paper.move('alan', id, 'submit'))
    assert.equal((await paper.get('uma', id)).status, 'in_review')
    assert.equal((await paper.get('uma', id, '/versions')).length, 1)
    assert.equal(ok(await paper.approve('uma', id)).status, 'effective')
  })
})

describe('lists (proves: DOC-02, SVC-04, SVC-05)', () => {
  before(async () => {
    for (const [title, type, by] of [
      ['Calibration of balances', 'Work instruction', 'anna'],
      ['Calibration of pumps', 'Work instruction', 'alan'],
      ['100% of 5_000 units', 'Form', 'anna'],
      ['Sampling', 'Form', 'anna'],
    ] as const)
      await paper.upload({ title, type, by, category: 'Lists', description: `About ${title.toLowerCase()}` })
  })
  const titles = async (query: string) =>
    ok(await world.as('otto').get(`/api/documents/?category=Lists${query}`)).items.map(({ title }: Json) => title)
  it('are filtered by type, owner, status, words and days', async () => {
    assert.deepEqual(await titles(`&document_type=${await world.typeId('Form')}&sort=title`), [
      '100% of 5_000 units',
      'Sampling',
    ])
    assert.deepEqual(await titles(`&owner_id=${world.people.alan!.id}`), ['Calibration of pumps'])
    assert.deepEqual(await titles('&status=effective'), [])
    assert.deepEqual(await titles('&q=CALIBRATION&sort=title:desc'), [
      'Calibration of pumps',
      'Calibration of balances',
    ])
    assert.deepEqual(await titles('&q=100%25'), ['100% of 5_000 units'])
    assert.deepEqual(await titles('&q=5_0'), ['100% of 5_000 units'])
    assert.deepEqual(await titles('&q=WI-0001'), ['Calibration of balances'])
    assert.deepEqual(await titles('&q=libration+of+b'), ['Calibration of balances'])
    assert.deepEqual(await titles('&q=about+samp'), ['Sampling'])
    assert.deepEqual(await titles('&q=samp+about'), [])
    for (const q of ['%25', '%5C', "'", '%3A*', '(', '%20']) assert.ok((await titles(`&q=${q}`)).length <= 4, q)
    const today = new Date().toISOString().slice(0, 10)
    assert.equal((await titles(`&date_from=${today}&date_to=${today}`)).length, 4)
    assert.deepEqual(await titles('&date_to=2020-01-01'), [])
    assert.deepEqual(await titles('&date_from=2199-01-01T00:00:00Z'), [])
  })
  it('refuse what they do not know', async () => {
    for (const query of ['sort=file_path', 'date_from=2026-02-30', 'page=0', 'colour=red']) {
      const reply = await world.as('otto').get(`/api/documents/?${query}`)
      assert.equal(reply.statusCode, 422, query)
      assert.equal(reply.json().detail[0].loc[0], 'query')
    }
  })
  for (const sort of ['title', 'status:desc', 'review_due_date', 'updated_at:desc']) {
    it(`by ${sort}, pages neither overlap nor leave one out`, async () => {
      const seen: number[] = []
      for (let page = 1; ; page++) {
        const { items, pages, total } = ok(
          await world.as('otto').get(`/api/documents/?sort=${sort}&page_size=3&page=${page}`),
        )
        seen.push(...items.map(({ id }: Json) => id))
        if (page < pages) continue
        assert.equal(seen.length, total)
        break
      }
      assert.equal(new Set(seen).size, seen.length)
    })
  }
})

describe('metadata (proves: DOC-04)', () => {
  it('of a draft changes without a reason; the trail has each field, and who', async () => {
    const { id } = await paper.upload({ keywords: 'a' })
    const reply = await world
      .as('alan')
      .put(`/api/documents/${id}`, { title: 'New title', category: 'Cleaning', keywords: ['a', ' b ', 'b'] })
    const { title, keywords, revision } = ok(reply)
    assert.deepEqual([title, keywords, revision, reply.headers.etag], ['New title', ['a', 'b'], 2, '"2"'])
    const [entry] = ok(await world.as('otto').get(`/api/audit/?action=document.updated&resource_id=${id}`)).items
    assert.deepEqual(entry.changes.title, { from: 'Cleaning of line 1', to: 'New title' })
    assert.deepEqual(entry.changes.category, { from: null, to: 'Cleaning' })
    assert.deepEqual(entry.changes.keywords, { from: ['a'], to: ['a', 'b'] })
    assert.deepEqual(Object.keys(entry.changes).sort(), ['category', 'keywords', 'revision', 'title', 'version'])
  })

  it('is cleared by null or by nothing but blanks, and an unknown field is refused', async () => {
    const { id } = await paper.upload({ category: 'A', description: 'B' })
    const { category, description } = ok(
      await world.as('alan').put(`/api/documents/${id}`, { category: null, description: '' }),
    )
    assert.deepEqual([category, description], [null, null])
    const reply = await world.as('alan').put(`/api/documents/${id}`, { tilte: 'Typo' })
    assert.equal(reply.statusCode, 422)
    assert.deepEqual(reply.json().detail[0], {
      loc: ['body', 'tilte'],
      msg: 'This request has no such field. Correct its name or leave it out.',
      type: 'extra_forbidden',
      params: {},
    })
  })

  it('under approval needs a reason, goes back to draft, and voids what was given; the next round counts afresh', async () => {
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id))
    const without = await world.as('alan').put(`/api/documents/${id}`, { title: 'Changed' })
    assert.equal(without.statusCode, 422)
    const [issue] = without.json().detail
    assert.deepEqual([issue.loc, issue.type], [['body', 'change_reason'], 'document_change_reason_required'])
    const changed = ok(
      await world.as('alan').put(`/api/documents/${id}`, { title: 'Changed', change_reason: 'Wrong line' }),
    )
    assert.deepEqual([changed.status, changed.workflow.pending], ['draft', []])
    ok(await paper.move('alan', id, 'submit'))
    const again = await paper.get('petra', id)
    assert.deepEqual([again.status, again.workflow.pending[0].rules[0].given_by], ['in_review', []])
    const decisions = (await paper.get('petra', id, '/history')).filter(({ kind }: Json) => kind === 'decision')
    assert.deepEqual(
      decisions.map(({ is_void, round }: Json) => [is_void, round]),
      [[true, 1]],
    )
    ok(await paper.approve('petra', id))
    assert.equal(ok(await paper.approve('quentin', id)).status, 'effective')
  })

  it('that is sent again unchanged voids nothing', async () => {
    const { id, title, keywords } = await paper.submitted()
    ok(await paper.approve('petra', id))
    const same = ok(await world.as('alan').put(`/api/documents/${id}`, { title, keywords, change_reason: 'None' }))
    assert.equal(same.status, 'in_approval')
  })

  it('of an effective version is signed with it: 409, and what to do; its owner can change', async () => {
    const { id } = await paper.effective()
    const reply = await world.as('alan').put(`/api/documents/${id}`, { title: 'Other', change_reason: 'Typo' })
    assert.equal(reply.statusCode, 409)
    assert.equal(reply.json().code, 'document_metadata_fixed')
    const owned = ok(
      await world
        .as('alan')
        .put(`/api/documents/${id}`, { owner_id: world.people.anna!.id, change_reason: 'Alan moves on' }),
    )
    assert.equal(owned.owner.username, 'anna')
    const [entry] = ok(await world.as('otto').get(`/api/audit/?action=document.updated&resource_id=${id}`)).items
    assert.deepEqual([entry.changes.owner, entry.reason], [{ from: 'alan', to: 'anna' }, 'Alan moves on'])
  })

  it('has no owner of another tenant, and none who is not active', async () => {
    const { id } = await paper.upload()
    const foreign = await world.as('alan').put(`/api/documents/${id}`, { owner_id: world.people.rob!.id })
    const missing = await world.as('alan').put(`/api/documents/${id}`, { owner_id: 999_999 })
    assert.deepEqual([foreign.statusCode, foreign.body], [404, missing.body])
  })

  it('on an older revision is a 409 that says what changed since and by whom, by the body or by If-Match', async () => {
    const { id } = await paper.upload()
    ok(await world.as('petra').put(`/api/documents/${id}`, { category: 'Cleaning' }))
    const byBody = await world.as('alan').put(`/api/documents/${id}`, { title: 'Mine', revision: 1 })
    const byHeader = await world.as('alan').put(`/api/documents/${id}`, { title: 'Mine' }, { 'if-match': '"1"' })
    for (const { statusCode, body } of [byBody, byHeader]) {
      assert.equal(statusCode, 409)
      assert.match(
        body,
        /based on revision 1, .* is at revision 2\. Changed since: petra at .*document\.updated \(.*category/,
      )
    }
    ok(await world.as('alan').put(`/api/documents/${id}`, { title: 'Mine' }, { 'if-match': '"2"' }))
    ok(await paper.move('alan', id, 'submit'))
    const stale = await paper.approve('petra', id, { revision: 3 })
    assert.equal(stale.statusCode, 409)
    assert.match(stale.json().detail, /Changed since: alan at .*document\.state_changed \(status/)
  })
})

describe('versions', () => {
  it('1.1 and 2.0 are drafts beside the effective version, and replace it when they are effective', async () => {
    const { id } = await paper.effective()
    const first = ok(await paper.addVersion(id))
    assert.deepEqual([first.version, first.status, first.workflow.version], ['1.1', 'draft', '1.1'])
    const beside = await paper.get('alan', id)
    assert.deepEqual(
      [beside.version, beside.status, beside.pending_version],
      ['1.0', 'effective', { version: '1.1', status: 'draft', effective_date: null }],
    )
    const released = await paper.release(id)
    assert.deepEqual([released.version, released.effective_version, released.pending_version], ['1.1', '1.1', null])
    ok(await paper.addVersion(id, { change_type: 'major', title: 'Cleaning of all lines', keywords: 'all' }))
    const second = await paper.release(id)
    assert.deepEqual([second.version, second.title, second.keywords], ['2.0', 'Cleaning of all lines', ['all']])
    const versions = await paper.get('otto', id, '/versions')
    assert.deepEqual(
      versions.map(({ version, status, change_type }: Json) => [version, status, change_type]),
      [
        ['2.0', 'effective', 'major'],
        ['1.1', 'superseded', 'minor'],
        ['1.0', 'superseded', 'major'],
      ],
    )
    const superseded = (await paper.get('otto', id, '/history')).filter(
      ({ transition }: Json) => transition === 'supersede',
    )
    assert.deepEqual(
      superseded.map(({ version }: Json) => version),
      ['1.0', '1.1'],
    )
  })

  it('are read and downloaded each by its label, as they were (proves: DOC-03)', async () => {
    const { id } = await paper.effective()
    ok(await paper.addVersion(id, { title: 'Second' }))
    await paper.release(id)
    const old = await paper.get('otto', id, '?version=1.0')
    assert.deepEqual(
      [old.version, old.status, old.title, old.effective_version],
      ['1.0', 'superseded', 'Cleaning of line 1', null],
    )
    const bytes = async (version: string) =>
      (await world.as('otto').get(`/api/documents/${id}/download${version}`)).rawPayload
    assert.ok((await bytes('?version=1.0')).equals(pdf()))
    assert.ok((await bytes('?version=1.1')).equals(pdf('second')))
    assert.ok((await bytes('')).equals(pdf('second')))
    assert.equal((await world.as('otto').get(`/api/documents/${id}?version=7.0`)).statusCode, 404)
    assert.equal((await world.as('otto').get(`/api/documents/${id}?version=latest`)).statusCode, 422)
  })

  it('a new file while a draft is under way supersedes that draft, which is kept with its voided approvals', async () => {
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id))
    const next = ok(await paper.addVersion(id))
    assert.deepEqual([next.version, next.status], ['1.1', 'draft'])
    const history = await paper.get('otto', id, '/history')
    assert.ok(
      history.some(
        ({ transition, version, to, comment }: Json) =>
          transition === 'replaced' && version === '1.0' && to === 'superseded' && comment === 'A step was missing',
      ),
    )
    assert.ok(history.filter(({ kind }: Json) => kind === 'decision').every(({ is_void }: Json) => is_void))
    assert.equal((await paper.release(id)).version, '1.1')
  })

  it('one that is cancelled leaves the effective one as it was, also when that becomes obsolete', async () => {
    const { id } = await paper.effective()
    ok(await paper.addVersion(id))
    const cancelled = ok(await paper.move('alan', id, 'cancel'))
    assert.deepEqual([cancelled.version, cancelled.status, cancelled.pending_version], ['1.0', 'effective', null])
    assert.equal(ok(await paper.addVersion(id)).version, '1.2', 'a label is never used twice')
    ok(await paper.move('alan', id, 'cancel'))
    const obsolete = ok(await paper.move('quinn', id, 'obsolete', 'No such line'))
    assert.deepEqual([obsolete.version, obsolete.status, obsolete.effective_version], ['1.0', 'obsolete', null])
  })

  it('an effective version can become obsolete while a draft is beside it', async () => {
    const { id } = await paper.effective()
    ok(await paper.addVersion(id))
    const obsolete = ok(await paper.move('quinn', id, 'obsolete', 'Dangerous'))
    assert.deepEqual([obsolete.version, obsolete.status, obsolete.effective_version], ['1.1', 'draft', null])
    assert.equal((await world.as('uma').get(`/api/documents/${id}`)).statusCode, 404)
    assert.equal((await paper.release(id)).effective_version, '1.1')
  })
})
