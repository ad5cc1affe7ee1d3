// proves: DOC-03, AUD-01, SIG-02 (21 CFR 11.10(b): a record, complete and legible, on paper and for programs)
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { recordParts } from '#modules/documents'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { readDossier } from '#test/builders/dossiers.ts'
import { pagesOf } from '#test/builders/pdf.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'
import { entryName } from './names.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

const dossierOf = (id: number, by = 'otto') => readDossier(world, `/api/documents/${id}/dossier`, by)

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const spooled = () => readdirSync(join(world.folder, 'uploads', '.tmp'))

/** Two versions, one effective and one obsolete in the end, with a round that was sent back. */
async function long() {
  const { id, number } = await paper.submitted()
  ok(await paper.approve('petra', id, { comment: 'Too early' }))
  ok(await paper.approve('quentin', id, { decision: 'reject', comment: 'A step is missing' }))
  await paper.release(id)
  ok(await paper.addVersion(id))
  await paper.release(id)
  ok(
    await world
      .as('uma')
      .get(`/api/documents/${id}/download`)
      .then(reply => ({ ...reply, statusCode: reply.statusCode, json: () => ({}) }) as never),
  )
  return { id, number }
}

describe('a dossier', () => {
  it('has all that there is of a document, each part with its SHA-256, in one order', async () => {
    const { id, number } = await long()
    const { reply, files, json, manifest } = await dossierOf(id)
    assert.equal(reply.headers['content-type'], 'application/zip')
    assert.equal(reply.headers['content-disposition'], `attachment; filename="${number} dossier.zip"`)
    assert.deepEqual(
      [...files.keys()],
      [
        'manifest.json',
        'SHA256SUMS',
        'dossier.pdf',
        'audit.jsonl',
        ...[...Object.keys(recordParts), 'controlled_copies'].map(name => `parts/${name}.json`).sort(),
        'record.json',
        'signatures.json',
        'verification.json',
        'files/1.0/procedure.pdf',
        'files/1.1/procedure-2.pdf',
      ],
    )
    for (const { name, size, sha256: said } of manifest.entries) {
      assert.equal(files.get(name)!.length, size, name)
      assert.equal(sha256(files.get(name)!), said, name)
    }
    assert.ok(files.get('files/1.0/procedure.pdf')!.equals(pdf()))
    assert.ok(files.get('files/1.1/procedure-2.pdf')!.equals(pdf('second')))
    assert.deepEqual(manifest.failed_checks, [])
    assert.deepEqual(manifest.generated_by, { id: world.people.otto!.id, username: 'otto', full_name: 'Otto Example' })
    assert.equal(manifest.service.version, '1.0.0')
    const { versions, document } = json('record.json')
    assert.equal(document.number, number)
    assert.deepEqual(
      versions.map(({ version, status }: Json) => [version, status]),
      [
        ['1.0', 'superseded'],
        ['1.1', 'effective'],
      ],
    )
    assert.deepEqual(spooled(), [], 'nothing of it stays on the disk')
  })

  it('says what the API says: history, signatures with their verification, and every audit entry', async () => {
    const { id } = await long()
    const { files, json } = await dossierOf(id)
    const history: Json[] = await paper.get('otto', id, '/history')
    const told: Json[] = json('parts/history.json')
    assert.deepEqual(
      told.map(({ version_id, at, tie, ...entry }) => entry),
      history.map(({ version_id, at, tie, ...entry }) => entry),
    )
    const { items } = ok(await world.as('otto').get(`/api/signatures/?document_id=${id}&sort=id:asc&page_size=100`))
    assert.deepEqual(
      json('signatures.json').map((each: Json) => each.id),
      items.map((each: Json) => each.id),
    )
    for (const [at, { id: signature }] of items.entries()) {
      const details = ok(await world.as('otto').get(`/api/signatures/${signature}`))
      const { payload, seal, public_key, digest } = json('signatures.json')[at]
      assert.deepEqual(
        { payload, seal, public_key, digest },
        { payload: details.payload, seal: details.seal, public_key: details.public_key, digest: details.digest },
      )
      const { id: _id, verified_at: _now, ...verification } = json('verification.json')[at]
      const { verified_at: _then, ...expected } = details.verification
      assert.deepEqual(verification, expected)
    }
    const entries = files
      .get('audit.jsonl')!
      .toString()
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line))
    const signatures = items.map((each: Json) => each.id)
    const expected = await world.rows<{ id: string }>(
      `select id from audit_entries where (resource_type = 'document' and resource_id = $1) or (resource_type = 'signature' and resource_id = any($2))
       order by id`,
      [id, signatures],
    )
    // The export itself is remembered once it is made.
    assert.deepEqual(
      entries.map(({ id }) => id),
      expected.map(({ id }) => Number(id)).slice(0, -1),
    )
    assert.ok(entries.some(({ action }) => action === 'document.downloaded'))
    assert.ok(entries.some(({ action }) => action === 'signature.created'))
  })

  it('has the attempts that were refused', async () => {
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id))
    assert.equal((await paper.approve('petra', id)).statusCode, 403)
    const { files } = await dossierOf(id, 'quinn')
    assert.match(files.get('audit.jsonl')!.toString(), /"denied","action":"access\.denied"/)
  })

  it('has the same content SHA-256 as long as nobody changes the record, whoever readingActions at it', async () => {
    const { id } = await long()
    const first = await dossierOf(id)
    ok(await world.as('otto').get(`/api/documents/${id}`))
    const second = await dossierOf(id, 'quinn')
    assert.equal(second.manifest.content_sha256, first.manifest.content_sha256)
    assert.ok(second.manifest.audit_entries > first.manifest.audit_entries, 'the first export is in the second')
    ok(await paper.addVersion(id))
    const third = await dossierOf(id, 'quinn')
    assert.notEqual(third.manifest.content_sha256, first.manifest.content_sha256)
  })

  it('has a content SHA-256 that its reader can make again', async () => {
    const { id } = await long()
    const { files, manifest } = await dossierOf(id)
    const readingActions = ['document.downloaded', 'document.viewed', 'document.dossier_exported', 'access.denied']
    const lines = files.get('audit.jsonl')!.toString().split('\n').filter(Boolean)
    const changes = lines
      .filter(line => !readingActions.includes(JSON.parse(line).action))
      .map(line => `${line}\n`)
      .join('')
    const entries = manifest.content_sha256_is.entries.map(({ name }: Json) => ({
      name,
      sha256: sha256(files.get(name)!),
    }))
    const canonical = JSON.stringify({ audit_sha256: sha256(Buffer.from(changes)), entries })
    assert.equal(sha256(Buffer.from(canonical)), manifest.content_sha256)
  })

  it('is checked by sha256sum, once it is unpacked', async t => {
    const { id } = await long()
    const { files } = await dossierOf(id)
    const folder = mkdtempSync(join(tmpdir(), 'attest-dossier-'))
    t.after(() => rmSync(folder, { recursive: true }))
    for (const [name, bytes] of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true })
      writeFileSync(join(folder, name), bytes)
    }
    const lines = files.get('SHA256SUMS')!.toString().trimEnd().split('\n')
    assert.equal(lines.length, files.size - 1, 'all but itself')
    const said = execFileSync('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: folder, encoding: 'utf8' })
    assert.equal(said.match(/: OK$/gm)?.length, lines.length)
  })

  it('can be read on paper: versions, history, signatures with what they mean, the audit trail, the hashes', async () => {
    const { id, number } = await long()
    const { files, manifest } = await dossierOf(id)
    const pages = await pagesOf(files.get('dossier.pdf')!)
    const text = pages.join(' ')
    assert.match(pages[0]!, new RegExp(`Dossier of ${number}`))
    assert.ok(pages[0]!.includes(manifest.content_sha256))
    for (const [at, page] of pages.entries()) assert.match(page, new RegExp(`Page ${at + 1} of ${pages.length}`))
    for (const expected of [
      /Version 1\.0 Status superseded/,
      /Version 1\.1 Status effective/,
      /submit: draft to in_review/,
      /reject \(.*?\)/,
      /VOID since/,
      /Printed name Petra Example \(petra\) Role QA Meaning review/,
      /Verification code [0-9a-f]{4}(-[0-9a-f]{4}){3}/,
      /verified: valid/,
      /document\.created/,
      /signature\.created/,
      /document\.downloaded/,
    ])
      assert.match(text, expected)
    assert.ok(text.replaceAll(' ', '').includes(sha256(pdf('second'))))
  })

  it('says what of it is not as it was: a file that was altered, one that is missing, the signatures on them', async () => {
    const { id } = await long()
    const [one, two] = await world.rows<{ file_key: string }>(
      'select file_key from document_versions where document_id = $1 order by id',
      [id],
    )
    writeFileSync(join(world.folder, 'uploads', one!.file_key), pdf('forged'))
    unlinkSync(join(world.folder, 'uploads', two!.file_key))
    const { files, manifest } = await dossierOf(id)
    assert.match(manifest.failed_checks[0], /The stored file of version 1\.0 \(procedure\.pdf\) differs/)
    assert.match(manifest.failed_checks[1], /The stored file of version 1\.1 \(procedure-2\.pdf\) is missing/)
    assert.match(manifest.failed_checks.join(), /Signature \d+ is not valid: .*The stored file (is missing|differs)/)
    assert.ok(files.get('files/1.0/procedure.pdf')!.equals(pdf('forged')), 'what is there is in it')
    assert.equal(files.has('files/1.1/procedure-2.pdf'), false)
    assert.deepEqual(
      manifest.files.map(({ is_intact }: Json) => is_intact),
      [false, false],
    )
    assert.match((await pagesOf(files.get('dossier.pdf')!))[0]!, /differs from the recorded one/)
    const { items } = ok(await world.as('otto').get(`/api/audit/?resource_id=${id}&action=document.dossier_exported`))
    assert.ok(items[0].changes.failed_checks.to.length >= 2, 'the audit trail knows')
  })

  it('is for who may read all of it: the audit trail, the files, every version', async () => {
    const { id } = await long()
    const url = `/api/documents/${id}/dossier`
    assert.equal((await world.as('alan').get(url)).statusCode, 403, 'the author reads no audit trail')
    assert.equal((await world.as('rita').get(url)).statusCode, 404, "another tenant's")
    ok(
      await world
        .as('ada')
        .put(`/api/users/${world.people.uma!.id}/permissions`, { granted: ['audit.read'], denied: [] }),
    )
    const partly = await world.as('uma').get(url)
    assert.equal(partly.statusCode, 403)
    assert.match(partly.json().detail, /you may not read 1\.0 \(superseded\)/)
    const { items } = ok(await world.as('otto').get('/api/audit/?action=access.denied&sort=id:desc'))
    assert.match(items[0].reason, /A dossier contains every version/)
    ok(
      await world.as('ada').put(`/api/users/${world.people.uma!.id}/permissions`, {
        granted: ['audit.read'],
        denied: ['documents.download'],
      }),
    )
    assert.match((await world.as('uma').get(url)).json().detail, /documents\.download/)
    ok(await world.as('ada').put(`/api/users/${world.people.uma!.id}/permissions`, { granted: [], denied: [] }))
    assert.deepEqual(spooled(), [])
  })

  it('covers every table that says something of a document', async () => {
    const tables = await world.rows<{ name: string }>(
      `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid
       where a.attname = 'document_id' and c.relkind = 'r' and c.relnamespace = 'public'::regnamespace order by 1`,
    )
    const covered: Record<string, string> = {
      controlled_copies: 'parts/controlled_copies.json',
      document_comment_mentions: 'parts/comments.json',
      document_comments: 'parts/comments.json',
      document_decisions: 'parts/decisions.json',
      document_delegations: 'parts/delegations.json',
      document_history: 'parts/history.json',
      document_reviews: 'parts/reviews.json',
      document_versions: 'record.json',
      historical_approvals: 'parts/historical_approvals.json',
      signatures: 'signatures.json',
    }
    /** Deviations, CAPAs, legal holds and training are records of their own, which readers of the dossier may not be allowed to read. */
    const ofOthers = [
      'capa_documents',
      'deviation_documents',
      'legal_holds',
      'training_assignments',
      'training_programs',
    ]
    /** The search index of the file. */
    const madeFromTheFile = ['document_index', 'document_texts']
    assert.deepEqual(
      tables.map(({ name }) => name).filter(name => ![...ofOthers, ...madeFromTheFile].includes(name)),
      Object.keys(covered),
      'a new table needs a part in recordParts',
    )
  })

  it('names its files so that no program puts them anywhere else', () => {
    const names = ['a.pdf', '../../etc/passwd', 'C:\\x\\CON', 'nul.txt', '.bashrc', 'a:b*c?.pdf', 'x. ', '日本.pdf']
    assert.deepEqual(
      names.map(name => entryName('1.0', name)),
      ['a.pdf', 'passwd', '_CON', '_nul.txt', '_.bashrc', 'a_b_c_.pdf', 'x', '日本.pdf'].map(
        name => `files/1.0/${name}`,
      ),
    )
  })
})
