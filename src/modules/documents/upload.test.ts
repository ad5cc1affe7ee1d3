// Uploads from the socket to the store. A refused upload leaves nothing behind.
import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { numberIn } from '#kernel/number-pattern.ts'
import { digestOfTables } from '#test/builders/samples.ts'
import { bomb, office, openDocument, png } from '#test/faults/hostile-files.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'

let world: World
let type: number
before(async () => {
  world = await openWorld({ MAX_UPLOAD_MB: '1' })
  type = await world.typeId('SOP')
})
after(() => world.close())

/** A digest of every table of every tenant, and of every file of the store and its spool. Audit entries of refused attempts are left out. */
const everything = async () => ({
  tables: await digestOfTables(world, { without: ['audit_entries'] }),
  files: globSync(`${world.services.config.upload_dir}/**/*`, { withFileTypes: true })
    .filter(each => each.isFile())
    .map(({ name }) => name)
    .concat(globSync(`${world.services.config.upload_dir}/.tmp/*`)),
})
async function leavesNothing<T>(work: () => Promise<T>) {
  const before = await everything()
  const result = await work()
  assert.deepEqual(await everything(), before)
  return result
}
const upload = (file: { bytes: Buffer; name: string }, fields: Record<string, string | number> = {}) =>
  world.as('alan').upload('/api/documents/upload', { title: 'Cleaning', document_type: type, ...fields }, file)

describe('an upload that is refused leaves nothing behind (proves: DOC-07)', () => {
  const MiB = 1024 * 1024
  const refusals: [string, { name: string; bytes: Buffer }, number, string | undefined, RegExp][] = [
    ['empty', { name: 'a.pdf', bytes: Buffer.alloc(0) }, 422, 'file_empty', /is empty/],
    ['larger than allowed', { name: 'a.pdf', bytes: pdf('x'.repeat(MiB)) }, 413, undefined, /larger than (the )?1 M/],
    ['a name without an ending', { name: 'procedure', bytes: pdf() }, 415, undefined, /without an ending/],
    ['a name of dots', { name: '....', bytes: pdf() }, 415, undefined, /without an ending/],
    ['a name that ends in a dot', { name: 'a.pdf.', bytes: pdf() }, 415, undefined, /without an ending/],
    ['a second ending', { name: 'a.pdf.exe', bytes: pdf() }, 415, undefined, /end in \.exe/],
    ['an ending in the other direction', { name: 'a\u202efdp.exe', bytes: pdf() }, 415, undefined, /end in \.exe/],
    ['a stream of Windows', { name: 'a.pdf:evil.exe', bytes: pdf() }, 415, undefined, /end in \.pdf:evil|end in \.exe/],
    [
      'a kind that nobody may upload',
      { name: 'a.svg', bytes: Buffer.from('<svg/>') },
      415,
      undefined,
      /these types: pdf, docx/,
    ],
    [
      'a kind that this tenant does not take',
      { name: 'a.odt', bytes: openDocument('text') },
      415,
      undefined,
      /end in \.odt/,
    ],
    ['another kind than its name says', { name: 'a.pdf', bytes: png() }, 422, 'file_type_mismatch', /that of a \.png/],
    ['cut off', { name: 'a.pdf', bytes: pdf().subarray(0, -9) }, 422, 'pdf_incomplete', /%%EOF/],
    [
      'with macros',
      { name: 'a.docx', bytes: office('docx', { name: 'word/vbaProject.bin' }) },
      422,
      'file_has_macros',
      /macros/,
    ],
    [
      'a bomb',
      { name: 'a.docx', bytes: office('docx', { name: 'b', packed: bomb(150 * MiB), claimed: 150 * MiB }) },
      422,
      'archive_inflates_too_much',
      /inflates/,
    ],
    [
      'a bomb in what was inserted',
      {
        name: 'a.docx',
        bytes: office('docx', {
          name: 'word/embeddings/a.xlsx',
          content: office('xlsx', { name: 'b', packed: bomb(150 * MiB), claimed: 150 * MiB }),
        }),
      },
      422,
      'archive_inflates_too_much',
      /inflates/,
    ],
  ]
  for (const [what, file, status, kind, sentence] of refusals) {
    it(`${what}: ${status}`, async () => {
      const reply = await leavesNothing(() => upload(file))
      assert.equal(reply.statusCode, status, reply.body)
      assert.match(reply.body, sentence)
      if (kind === undefined) assert.equal(typeof reply.json().detail, 'string')
      else assert.deepEqual([reply.json().detail[0].loc, reply.json().detail[0].type], [['body', 'file'], kind])
    })
  }

  const fields: [string, Record<string, string | number>, string][] = [
    ['no title', { title: '' }, 'title'],
    ['a field that nobody knows', { colour: 'red' }, 'colour'],
    ['a type that is none', { document_type: 'SOP' }, 'document_type'],
  ]
  for (const [what, more, field] of fields) {
    it(`${what}: 422`, async () => {
      const reply = await leavesNothing(() => upload({ name: 'a.pdf', bytes: pdf() }, more))
      assert.equal(reply.statusCode, 422, reply.body)
      assert.deepEqual(reply.json().detail[0].loc, ['body', field])
    })
  }

  const send = async (body: string, headers: Record<string, string> = {}) =>
    world.server.inject({
      method: 'POST',
      url: '/api/documents/upload',
      payload: Buffer.from(body, 'latin1'),
      headers: {
        authorization: `Bearer ${await world.tokenOf('alan')}`,
        'content-type': 'multipart/form-data; boundary=edge',
        ...headers,
      },
    })
  const field = (name: string, value: string) =>
    `--edge\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`
  const file = (name = 'file', bytes = pdf().toString('latin1')) =>
    `--edge\r\ncontent-disposition: form-data; name="${name}"; filename="a.pdf"\r\n\r\n${bytes}\r\n`
  const whole = () => field('title', 'Cleaning') + field('document_type', String(type))
  const forms: [string, () => string, number, Record<string, string>?][] = [
    ['without a file', () => `${whole()}--edge--\r\n`, 422],
    ['with two files', () => `${whole()}${file()}${file()}--edge--\r\n`, 422],
    ['whose file has another name', () => `${whole()}${file('document')}--edge--\r\n`, 422],
    ['with a field twice', () => `${whole()}${field('title', 'Twice')}${file()}--edge--\r\n`, 422],
    ['that ends too early', () => `${whole()}${file().slice(0, -20)}`, 400],
    ['of nothing but its end', () => '--edge--\r\n', 422],
    ['with a field that poisons objects', () => `${whole()}${field('__proto__', 'x')}${file()}--edge--\r\n`, 422],
    ['without a boundary', () => `${whole()}${file()}--edge--\r\n`, 400, { 'content-type': 'multipart/form-data' }],
    ['that is no form', () => '{}', 415, { 'content-type': 'text/plain' }],
  ]
  for (const [what, make, status, headers] of forms) {
    it(`a form ${what}: ${status}`, async () => {
      const reply = await leavesNothing(() => send(make(), headers))
      assert.equal(reply.statusCode, status, reply.body)
    })
  }

  it('and one that says that it is too large is refused before it is sent: 413', async () => {
    await leavesNothing(async () => {
      const reply = await answerTo('content-length: 9000000000\r\n', '')
      assert.match(reply, /^HTTP\/1\.1 413 /)
    })
  })

  it('and one of a kind that is not taken is refused before its bytes are sent: 415', async () => {
    await leavesNothing(async () => {
      const begun = `${whole()}${file().replace('a.pdf', 'a.exe')}`
      const reply = await answerTo('content-length: 900000\r\n', begun)
      assert.match(reply, /^HTTP\/1\.1 415 /)
    })
  })

  it('and one that its sender breaks off in the middle', async () => {
    await leavesNothing(async () => {
      const spooled = () => globSync(`${world.services.config.upload_dir}/.tmp/*`).length
      const socket = await openSocket()
      socket.write(
        `${await head('content-length: 500000\r\n')}${whole()}${file('file', pdf().toString('latin1').repeat(1_000)).slice(0, 200_000)}`,
      )
      while (spooled() === 0) await new Promise(setImmediate)
      socket.destroy()
      while (spooled() > 0) await new Promise(setImmediate)
    })
  })

  const head = async (more: string) =>
    `POST /api/documents/upload HTTP/1.1\r\nhost: here\r\nauthorization: Bearer ${await world.tokenOf('alan')}\r\ncontent-type: multipart/form-data; boundary=edge\r\n${more}\r\n`
  async function openSocket() {
    if (!world.server.server.listening) await world.server.listen({ port: 0, host: '127.0.0.1' })
    return connect((world.server.server.address() as AddressInfo).port, '127.0.0.1')
  }
  async function answerTo(more: string, body: string) {
    const socket = await openSocket()
    socket.write((await head(more)) + body)
    let text = ''
    for await (const piece of socket) {
      text += String(piece)
      if (text.includes('\r\n\r\n')) break
    }
    return text
  }
})

// proves: DOC-01
describe('the number of an upload', () => {
  const next = async () => {
    const answer = await upload({ bytes: pdf(), name: 'a.pdf' })
    assert.equal(answer.statusCode, 201)
    return answer.json().number
  }
  const countTo = (last: number) => world.rows(`update counters set last = $1 where name = 'SOP-'`, [last])

  it('is written as every other number, also where it outgrows its digits', async () => {
    await next()
    const wanted = [41, 9_999, 123_456].map(last => numberIn({ name: 'SOP-', digits: 4 }, last + 1))
    for (const [n, last] of [41, 9_999, 123_456].entries()) {
      await countTo(last)
      assert.equal(await next(), wanted[n])
    }
  })

  it('is given back where the same transaction fails behind it', async () => {
    await countTo(500)
    await world.rows(`alter table document_texts add constraint broken check (version_id < 0) not valid`)
    try {
      assert.equal((await upload({ bytes: pdf(), name: 'a.pdf' })).statusCode, 500)
    } finally {
      await world.rows(`alter table document_texts drop constraint broken`)
    }
    assert.equal(await next(), 'SOP-0501')
  })
})

describe('a name that is hostile or odd (proves: DOC-07, DOC-03)', () => {
  const names: [string, string][] = [
    ['../../../etc/cron.d/a.pdf', 'a.pdf'],
    ['C:\\Windows\\system32\\a.pdf', 'a.pdf'],
    ['\u202Efdp.a.pdf', 'fdp.a.pdf'],
    ['NUL.pdf', '_NUL.pdf'],
    ['e\u0301.pdf', 'é.pdf'],
    ['検'.repeat(200) + '.pdf', '検'.repeat(83) + '.pdf'],
    ["Größe; filename*=utf-8''x.exe;.pdf", "Größe; filename*=utf-8''x.exe;.pdf"],
  ]
  for (const [sent, kept] of names) {
    it(`${sent.slice(0, 40)} is stored as a name`, async () => {
      const reply = await upload({ name: sent, bytes: pdf() })
      assert.equal(reply.statusCode, 201, reply.body)
      assert.equal(reply.json().file.name, kept)
      assert.match(reply.json().file_path, /^\d+\/[0-9a-f]{2}\/[0-9a-f-]{36}$/)
    })
  }
})

describe('the list of what a tenant takes (proves: DOC-07)', () => {
  it('bites with the next upload, for this tenant alone, and keeps what is stored', async () => {
    const odt = { name: 'a.odt', bytes: openDocument('text') }
    const stored = (await upload({ name: 'a.pdf', bytes: pdf() })).json()
    const change = (upload_types: string[]) => world.as('ada').put('/api/settings/', { upload_types })
    assert.equal((await upload(odt)).statusCode, 415)
    assert.equal((await change(['odt', 'zip'])).statusCode, 200)
    const taken = await upload(odt)
    assert.deepEqual(
      [taken.statusCode, taken.json().file.content_type],
      [201, 'application/vnd.oasis.opendocument.text'],
    )
    const refused = await upload({ name: 'b.pdf', bytes: pdf() })
    assert.deepEqual(
      [refused.statusCode, refused.json().detail],
      [415, 'Files that end in .pdf are not accepted. Choose one of these types: odt, zip.'],
    )
    assert.equal((await world.as('alan').get(`/api/documents/${stored.id}/download`)).statusCode, 200)
    const [foreign] = await world.rows<{ id: string }>(
      `select t.id from document_types t join tenants n on n.id = t.tenant_id where n.slug = 'rival' and t.name = 'SOP'`,
    )
    const rivals = await world.as('rob').upload('/api/documents/upload', { title: 'Ours', document_type: foreign!.id })
    assert.equal(rivals.statusCode, 201, rivals.body)
    assert.equal((await change(['pdf', 'docx'])).statusCode, 200)
    assert.equal((await upload(odt)).statusCode, 415)
  })

  it('may hold pages of HTML, which run nothing and are never shown by a browser', async () => {
    const page = (body: string) => ({
      name: 'page.html',
      bytes: Buffer.from(`<!doctype html><html><body>${body}</body>`),
    })
    assert.equal((await upload(page('Gowning'))).statusCode, 415)
    assert.equal((await world.as('ada').put('/api/settings/', { upload_types: ['pdf', 'html'] })).statusCode, 200)
    assert.equal((await upload(page('<script>alert(1)</script>'))).statusCode, 422)
    const taken = await upload(page('Gowning'))
    assert.equal(taken.statusCode, 201, taken.body)
    const { headers } = await world.as('alan').get(`/api/documents/${taken.json().id}/download`)
    assert.match(headers['content-disposition'] as string, /^attachment; /)
    assert.deepEqual(
      [headers['x-content-type-options'], headers['content-security-policy']],
      ['nosniff', "sandbox; default-src 'none'"],
    )
  })
})

// proves: DOC-01, DOC-07
describe('an upload that nobody could approve', () => {
  const approverIs = (who: number) => ({
    states: [
      { name: 'draft', label: 'Draft', kind: 'initial' },
      { name: 'in_review', label: 'In review', kind: 'review' },
      { name: 'effective', label: 'Effective', kind: 'effective' },
      { name: 'superseded', label: 'Superseded', kind: 'final' },
    ],
    transitions: [
      { name: 'submit', from: 'draft', to: 'in_review', permission: 'documents.submit' },
      {
        ...{ name: 'approve', from: 'in_review', to: 'effective' },
        approval: {
          ...{ mode: 'parallel', signature_required: false, author_may_approve: false },
          rules: [{ kind: 'user', who, count: 1 }],
        },
      },
      { name: 'reject', from: 'in_review', to: 'draft', comment_required: true },
      { name: 'supersede', from: 'effective', to: 'superseded', automatic: 'on_supersede' },
    ],
  })

  it('is refused with what is missing, before its file is stored, and so is a new version', async () => {
    const as = world.as
    const quentin = world.people.quentin!.id
    const template = (
      await as('quinn').post('/api/workflow-templates/', { name: 'By Quentin', definition: approverIs(quentin) })
    ).json()
    const { id: own } = (
      await as('quinn').post('/api/document-types/', {
        ...{ name: 'Method', prefix: 'MET', workflow_template_id: template.id },
      })
    ).json()
    const file = { bytes: pdf(), name: 'method.pdf' }
    const document = await upload(file, { document_type: own })
    assert.equal(document.statusCode, 201, document.body)
    const addVersion = () =>
      as('alan').upload(
        `/api/documents/${document.json().id}/versions`,
        { change_type: 'minor', change_reason: 'A step was missing' },
        file,
      )
    const refusals = async () =>
      leavesNothing(async () => {
        const replies = [await upload(file, { document_type: own }), await addVersion()]
        return replies.map(reply => [reply.statusCode, reply.json().code, reply.json().params])
      })
    // Quentin may not approve what he writes, so nobody could.
    const his = await as('quentin').upload('/api/documents/upload', { title: 'Mine', document_type: own }, file)
    assert.deepEqual([his.statusCode, his.json().code], [409, 'document_type_not_approvable'])
    assert.equal((await as('ada').post(`/api/users/${quentin}/deactivate`)).statusCode, 200)
    const missing = {
      document_type: 'Method',
      reason: 'There are not enough people for the approval step: it needs Quentin Example (deactivated).',
      reason_code: 'workflow_step_short_of_people',
    }
    assert.deepEqual(await refusals(), [
      [409, 'document_type_not_approvable', missing],
      [409, 'document_type_not_approvable', missing],
    ])
    assert.equal((await as('ada').post(`/api/users/${quentin}/reactivate`)).statusCode, 200)
    const off = await as('quinn').put(`/api/workflow-templates/${template.id}`, { is_active: false })
    assert.equal(off.statusCode, 200, off.body)
    const inactive = { document_type: 'Method', template: 'By Quentin' }
    assert.deepEqual(await refusals(), [
      [409, 'document_type_workflow_inactive', inactive],
      [409, 'document_type_workflow_inactive', inactive],
    ])
  })
})
