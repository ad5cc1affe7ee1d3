// Exports of the trail in three formats, as it was at the request.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import yauzl from 'yauzl'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { pagesOf } from '#test/builders/pdf.ts'
import { redactAs } from '#test/builders/redaction-samples.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { Frontier, leafHash, verifyInclusion } from '../log/merkle.ts'
import { verifyNote } from '../log/note.ts'

let world: World
let paper: ReturnType<typeof papers>
let document: Json
before(async () => {
  world = await openWorld()
  paper = papers(world)
  document = await paper.submitted({ title: '=HYPERLINK("http://evil.example","Gowning")' })
})
after(() => world.close())

/** Parses CSV (RFC 4180). */
function tableIn(text: string): Record<string, string>[] {
  const cells = [...text.slice(1).matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)]
  const rows: string[][] = [[]]
  for (const [, quoted, plain, end] of cells) {
    rows.at(-1)!.push(quoted?.replaceAll('""', '"') ?? plain!)
    if (end !== ',') rows.push([])
  }
  const [head, ...lines] = rows.slice(0, -1)
  return lines.map(line => Object.fromEntries(head!.map((title, at) => [title, line[at]!])))
}

const exported = (query: string, by = 'quinn') => world.as(by).get(`/api/audit/export?${query}`)
async function csv(query = '') {
  const reply = await exported(query)
  assert.equal(reply.statusCode, 200, reply.body)
  const rows = tableIn(reply.body)
  return { reply, rows }
}

describe('an export as CSV (proves: AUD-03)', () => {
  it('is the default, and has a line for each entry in the order of the log, without gaps, up to what was there', async () => {
    const { reply, rows } = await csv()
    assert.match(String(reply.headers['content-type']), /^text\/csv/)
    assert.deepEqual(
      rows.map(row => Number(row.Sequence)),
      rows.map((_, at) => at + 1),
    )
    assert.equal(reply.headers['x-audit-entries'], String(rows.length))
    assert.equal(reply.headers['x-audit-sequence'], `1-${rows.length}`)
    const [, size, root] = String(reply.headers['x-audit-checkpoint']).split(' ')
    assert.equal(size, String(rows.length))
    const [checkpoint] = await world.rows<{ root: Buffer }>(
      'select root from audit_checkpoints where tenant_id = $1 and size = $2',
      [world.people.quinn!.tenant_id, size],
    )
    assert.equal(checkpoint!.root.toString('base64'), root)
  })

  it('says of each entry what the list says of it', async () => {
    const mine = `resource_type=document&resource_id=${document.id}&action=document.created`
    const { rows } = await csv(mine)
    const [entry] = ok(await world.as('otto').get(`/api/audit/?${mine}`)).items
    assert.equal(rows.length, 1)
    const { Changes, ...row } = rows[0]!
    assert.deepEqual(JSON.parse(Changes!), entry.changes)
    assert.deepEqual(row, {
      Sequence: String(entry.seq),
      Entry: String(entry.id),
      'Time (UTC)': entry.occurred_at,
      'User ID': String(entry.user.id),
      Username: entry.user.username,
      Role: entry.user.role,
      Outcome: 'success',
      Action: 'document.created',
      'Record type': 'document',
      'Record ID': String(document.id),
      'Record number': document.number,
      Revision: '1',
      Reason: '',
      Request: entry.request_id,
      Address: '127.0.0.1',
      Redacted: '',
    })
  })

  it('shows the time of the tenant beside UTC', async () => {
    const settings = ok(await world.as('rex').get('/api/settings/'))
    ok(await world.as('rex').put('/api/settings/', { time_zone: 'Asia/Tokyo', revision: settings.revision }))
    const reply = await exported('action=settings.updated', 'rex')
    const [row] = tableIn(reply.body)
    assert.match(row!['Time (Asia/Tokyo)']!, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d Asia\/Tokyo \(GMT\+9\)$/)
  })

  it('holds nothing that a spreadsheet would carry out', async () => {
    await world.as('petra').put(`/api/documents/${document.id}`, { title: 'Gowning', change_reason: '=1+1' })
    const { rows } = await csv('action=document.updated')
    assert.equal(rows.at(-1)!.Reason, "'=1+1")
  })

  it('takes the filters of the list, and counts what it gives', async () => {
    const all = (await csv()).rows
    for (const [query, keeps] of [
      ['outcome=denied', row => row.Outcome === 'denied'],
      ['action=document.created', row => row.Action === 'document.created'],
      [`user_id=${world.people.anna!.id}`, row => row['User ID'] === String(world.people.anna!.id)],
      ['seq_from=3&seq_to=5', row => Number(row.Sequence) >= 3 && Number(row.Sequence) <= 5],
      ['seq_from=3&action=document.created', row => Number(row.Sequence) >= 3 && row.Action === 'document.created'],
      ['date_from=2199-01-01', () => false],
    ] as [string, (row: Record<string, string>) => boolean][]) {
      const { reply, rows } = await csv(query)
      const last = all.length
      assert.deepEqual(
        rows.filter(row => Number(row.Sequence) <= last).map(row => row.Entry),
        all.filter(keeps).map(row => row.Entry),
        query,
      )
      assert.equal(reply.headers['x-audit-entries'], String(rows.length), query)
    }
    for (const query of ['format=xml', 'sort=id', 'action=document.exploded', 'seq_from=0'])
      assert.equal((await exported(query)).statusCode, 422, query)
  })
})

async function bundle(query = '') {
  const reply = await exported(`format=bundle&${query}`)
  assert.equal(reply.statusCode, 200, reply.body)
  const zip = await yauzl.fromBufferPromise(reply.rawPayload)
  const files = new Map<string, string>()
  for await (const entry of zip.eachEntry()) {
    const chunks: Buffer[] = []
    for await (const chunk of await zip.openReadStreamPromise(entry)) chunks.push(chunk as Buffer)
    files.set(entry.fileName, Buffer.concat(chunks).toString())
  }
  const lines = (name: string): Json[] =>
    (files.get(name) ?? '')
      .split('\n')
      .filter(Boolean)
      .map(line => JSON.parse(line))
  return { files, lines, manifest: JSON.parse(files.get('manifest.json')!) }
}

describe('a bundle (proves: AUD-03)', () => {
  it('of the whole log has every leaf, and its checkpoint is signed over the root of them', async () => {
    const { files, lines, manifest } = await bundle()
    const frontier = new Frontier()
    for (const { leaf } of lines('entries.jsonl')) frontier.add(leafHash(Buffer.from(leaf)))
    const [vkey] = files.get('keys.txt')!.split('\n')
    const signed = verifyNote(files.get('checkpoint-e1.txt')!, [vkey!])
    assert.equal(signed!.size, frontier.size)
    assert.deepEqual(signed!.root, frontier.root)
    assert.equal(manifest.whole, true)
    assert.equal(manifest.count, frontier.size)
    assert.equal(files.has('proofs.jsonl'), false)
    assert.equal(lines('details.jsonl').length, frontier.size)
    assert.match(lines('details.jsonl').at(-1)!.person.opening, /"username":"quinn"/)
  })

  it('of a part has the proof that each entry is in the tree', async () => {
    const { files, lines, manifest } = await bundle('action=document.created')
    const [vkey] = files.get('keys.txt')!.split('\n')
    const { size, root } = verifyNote(files.get('checkpoint-e1.txt')!, [vkey!])!
    const entries = lines('entries.jsonl')
    assert.ok(entries.length > 0)
    assert.deepEqual(manifest.filter, { action: 'document.created' })
    for (const [at, { index, leaf }] of entries.entries()) {
      const proof = lines('proofs.jsonl')[at]!.proof.map((hash: string) => Buffer.from(hash, 'base64'))
      assert.ok(verifyInclusion({ leaf: leafHash(Buffer.from(leaf)), index, size, root }, proof))
    }
  })
})

it('what was redacted is said to be, in each format, and is nowhere', async () => {
  const only = `resource_type=document&resource_id=${document.id}&action=document.created`
  const [{ id }] = ok(await world.as('otto').get(`/api/audit/?${only}`)).items
  await redactAs(world, world.people.quinn!.tenant_id, [id], ['person'])
  const { files, lines } = await bundle(only)
  const [{ seq, person, detail }] = lines('details.jsonl')
  assert.equal(person, null)
  assert.match(detail.opening, /Gowning/)
  assert.deepEqual(
    lines('redactions.jsonl').map(({ redacted_at: _, ...rest }) => rest),
    [{ seq, part: 'person', reason: 'Erasure was asked for' }],
  )
  assert.ok(![...files.values()].some(text => text.includes('127.0.0.1')))
  const [row] = (await csv(only)).rows
  assert.deepEqual([row!.Username, row!.Address, row!.Redacted], ['', '', 'person'])
  assert.match((await pagesOf((await exported(`format=pdf&${only}`)).rawPayload)).join(' '), /redacted/)
})

describe('that the trail was exported', () => {
  it('is an entry: who, which filter, which format, how many', async () => {
    const { reply } = await csv('action=document.created')
    const [{ user, changes }] = ok(await world.as('otto').get('/api/audit/?action=audit.exported&sort=id:desc')).items
    assert.equal(user.username, 'quinn')
    assert.equal(changes.format.to, 'csv')
    assert.deepEqual(changes.filter.to, { action: 'document.created' })
    assert.equal(String(changes.entries.to), reply.headers['x-audit-entries'])
  })

  it('needs the permission, and shows one tenant alone', async () => {
    assert.equal((await exported('', 'uma')).statusCode, 403)
    const theirs = tableIn((await exported('', 'rex')).body)
    const ours = new Set((await csv()).rows.map(row => row.Entry))
    assert.ok(theirs.length > 0)
    assert.deepEqual(
      theirs.filter(row => ours.has(row.Entry)),
      [],
    )
  })
})

it('an export that cannot go on is cut, never a file that ends too early (proves: AUD-03)', async () => {
  const address = await world.server.listen({ port: 0, host: '127.0.0.1' })
  const headers = { authorization: `Bearer ${await world.tokenOf('quinn')}` }
  const read = async () => (await fetch(`${address}/api/audit/export`, { headers })).text()
  await read()
  // Statements of the pages, after the first bytes were sent.
  await world.rows(`do $$ begin
    execute 'revoke select on audit_entries from attest_app';
    execute (select format('grant select (%s) on audit_entries to attest_app', string_agg(quote_ident(attname), ', '))
      from pg_attribute where attrelid = 'audit_entries'::regclass and attnum > 0 and not attisdropped and attname <> 'request_id');
  end $$`)
  try {
    await assert.rejects(read())
  } finally {
    await world.rows('grant select on audit_entries to attest_app')
  }
})
