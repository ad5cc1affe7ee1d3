// proves: DOC-03, SIG-02 (manifestation, 21 CFR 11.50(b))
import assert from 'node:assert/strict'
import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { most_waiting, openPdfRenderer } from '#platform/pdf/rendition.ts'
import { ok, papers } from '#test/builders/documents.ts'
import { attachmentsOf, pagesOf, pdfOf } from '#test/builders/pdf.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

const copyOf = async (by: string, id: number, query = '') => {
  const reply = await world.as(by).get(`/api/documents/${id}/download?rendition=signed${query}`)
  assert.equal(reply.statusCode, 200, reply.body)
  return { reply, pages: await pagesOf(reply.rawPayload) }
}

const spooled = () => readdirSync(join(world.folder, 'uploads', '.tmp'))

describe('a signed copy', () => {
  it('says on each page number, version, title, status, effective date, page and who printed it when', async () => {
    const { id, number } = await paper.upload({}, { bytes: await pdfOf(3), name: 'procedure.pdf' })
    await paper.release(id)
    const { reply, pages } = await copyOf('uma', id)
    assert.equal(reply.headers['content-type'], 'application/pdf')
    assert.equal(reply.headers['content-disposition'], `attachment; filename="${number} v1.0 signed.pdf"`)
    assert.equal(reply.headers['content-length'], String(reply.rawPayload.length))
    assert.equal(reply.headers.etag, undefined, 'the tag of the stored file is not that of a copy')
    assert.equal(reply.headers['x-content-type-options'], 'nosniff')
    const today = world.clock.now().toISOString().slice(0, 10)
    assert.equal(pages.length, 4, 'the original and a page of signatures')
    for (const [at, page] of pages.entries()) {
      assert.match(page, new RegExp(`${number} version 1\\.0`))
      assert.match(page, /Cleaning of line 1/)
      assert.match(page, new RegExp(`EFFECTIVE since ${today}`))
      assert.match(page, new RegExp(`Effective date: ${today}`))
      assert.match(page, new RegExp(`Page ${at + 1} of 4`))
      assert.match(
        page,
        /Printed by Uma Example \(uma\) at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC - uncontrolled when printed/,
      )
    }
    assert.match(pages[2]!, /The original, sheet 3/)
    assert.deepEqual(spooled(), [], 'nothing of it stays on the disk')
  })

  it('ends with each signature: printed name, role, meaning, intent, moment in UTC and where the company is, and how to verify it', async () => {
    ok(await world.as('ada').put('/api/settings/', { time_zone: 'Asia/Kolkata' }))
    try {
      const { id } = await paper.submitted()
      ok(await paper.approve('petra', id, { comment: 'Complete and practicable' }))
      ok(await paper.approve('quentin', id, { comment: 'For use' }))
      const { pages } = await copyOf('quinn', id)
      const last = pages.at(-1)!
      const { items } = await paper
        .get('quinn', id, '')
        .then(() => world.as('quinn').get(`/api/signatures/?document_id=${id}&sort=id:asc`))
        .then(ok)
      assert.equal(items.length, 2)
      for (const signature of items) {
        const { signer, signed_at, digest, intent, signature_type } = signature
        assert.ok(
          last.includes(
            `Printed name ${signer.full_name} (${signer.username}) Role ${signer.role} Meaning ${signature_type} Intent ${intent}`,
          ),
          last,
        )
        assert.ok(last.includes(`${signed_at.slice(0, 19).replace('T', ' ')} UTC`), 'in UTC')
        const there = new Date(Date.parse(signed_at) + 5.5 * 3_600_000).toISOString().slice(0, 19).replace('T', ' ')
        assert.ok(last.includes(`${there} Asia/Kolkata (GMT+5:30)`), `${there} in ${last}`)
        assert.ok(last.includes(`${digest.slice(0, 16).match(/.{4}/g).join('-')} (signature ${signature.id})`))
      }
      const { payload } = ok(await world.as('quinn').get(`/api/signatures/${items[1].id}`))
      assert.ok(last.includes(JSON.parse(payload).metadata_sha256), 'the digest of the metadata that was signed')
      assert.ok(last.includes(JSON.parse(payload).file.sha256))
      assert.match(last, /To verify a signature, look it up/)
    } finally {
      ok(await world.as('ada').put('/api/settings/', { time_zone: 'UTC' }))
    }
  })

  it('says which signatures were given outside of the workflow', async () => {
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id))
    ok(
      await world
        .as('quinn')
        .post('/api/signatures/', { document_id: id, signature_type: 'approval', intent: 'Seen on site' }),
    )
    const { pages } = await copyOf('alan', id)
    const last = pages.at(-1)!
    assert.equal(last.split('Occasion given outside of the workflow').length, 2)
    assert.match(last, /Meaning approval Intent Seen on site Occasion given outside of the workflow/)
  })

  it('says so where nobody has signed', async () => {
    const { id } = await paper.upload()
    const { pages } = await copyOf('alan', id)
    assert.match(pages.at(-1)!, /This version has no signatures/)
    assert.match(pages.at(-1)!, / DRAFT /)
  })

  it('marks signatures that count no more: of a round that was sent back, and of other metadata', async () => {
    const { id } = await paper.submitted()
    ok(await paper.approve('petra', id, { comment: 'Too early' }))
    ok(await paper.approve('quentin', id, { decision: 'reject', comment: 'A step is missing' }))
    const { pages } = await copyOf('alan', id)
    assert.match(pages.at(-1)!, /VOID since .* UTC: .* Printed name Petra Example/)
    const free = await paper.upload()
    ok(
      await world
        .as('alan')
        .post('/api/signatures/', { document_id: free.id, signature_type: 'authorship', intent: 'I wrote it' }),
    )
    ok(await world.as('alan').put(`/api/documents/${free.id}`, { title: 'Cleaning of line 2' }))
    assert.match((await copyOf('alan', free.id)).pages.at(-1)!, /SUPERSEDED: the metadata was changed after signing/)
  })

  it('says across the page what is superseded, obsolete or cancelled, and never of what is effective', async () => {
    const { id } = await paper.upload({}, { bytes: await pdfOf(2), name: 'procedure.pdf' })
    await paper.release(id)
    const now = await copyOf('otto', id)
    assert.doesNotMatch(now.pages.join(), /SUPERSEDED|OBSOLETE|CANCELLED/)
    ok(await paper.addVersion(id))
    await paper.release(id)
    const { pages } = await copyOf('otto', id, '&version=1.0')
    for (const page of pages.slice(0, 2)) assert.equal(page.match(/SUPERSEDED/g)?.length, 2, 'above, and across')
    assert.equal(pages[2]!.match(/SUPERSEDED/g)?.length, 3, 'and with the signatures')
    ok(await paper.move('quinn', id, 'obsolete', 'Line 1 is gone'))
    for (const page of (await copyOf('otto', id)).pages) assert.ok(page.match(/OBSOLETE/g)!.length >= 2)
    const draft = await paper.upload()
    ok(await paper.move('alan', draft.id, 'cancel', 'Not needed'))
    for (const page of (await copyOf('otto', draft.id)).pages) assert.ok(page.match(/CANCELLED/g)!.length >= 2)
  })

  it('is in the audit trail as a download of that rendition', async () => {
    const { id } = await paper.effective()
    await copyOf('uma', id)
    const { items } = ok(await world.as('otto').get(`/api/audit/?resource_id=${id}&action=document.downloaded`))
    assert.equal(items.length, 1)
    assert.equal(items[0].user.username, 'uma')
    assert.deepEqual(items[0].changes.rendition, { from: null, to: 'signed' })
    assert.deepEqual(items[0].changes.version, { from: null, to: '1.0' })
  })

  it('prints names and titles of every script that its font has, and the number of a character that it has not', async () => {
    const title = 'Zażółć gęślą · Καθαρισμός · Очистка линии · 洗'
    const { id } = await paper.upload({ title })
    await world.rows(`update users set full_name = 'Łukasz Ωμέγα Щукин' where username = 'alan'`).catch(() => {})
    const { pages } = await copyOf('alan', id)
    assert.ok(pages[0]!.includes('Zażółć gęślą · Καθαρισμός · Очистка линии · <U+6D17>'), pages[0])
    assert.match(
      pages.at(-1)!,
      /A number such as <U\+738B> stands for a character that the font of this page does not have/,
    )
  })

  it('of text shows the text', async () => {
    const text = `# Rinsing\n\n${'A line that is much too long for one page. '.repeat(5)}\n  indented\tand tabbed\n`
    for (const [name, type] of [
      ['a.md', 'text/markdown'],
      ['a.txt', 'text/plain'],
      ['a.csv', 'text/csv'],
    ]) {
      const { id, file } = await paper.upload({}, { bytes: Buffer.from(text), name: name! })
      assert.match(file.content_type, new RegExp(type!))
      const { pages } = await copyOf('alan', id)
      assert.match(pages[0]!, /# Rinsing A line that is much too long/)
      assert.match(pages[0]!, /indented and tabbed/)
    }
  })

  it('of a picture shows the picture', async () => {
    const { id } = await paper.upload({}, { bytes: onePixel, name: 'a.png' })
    const { pages } = await copyOf('alan', id)
    assert.equal(pages.length, 2)
    assert.match(pages[1]!, /Signatures of version 1\.0/)
  })

  it('of a PDF that cannot be read is a cover with the original in it, byte for byte', async () => {
    const bytes = Buffer.from('%PDF-1.7\nnothing of this is a PDF\n%%EOF\n')
    const { id, number } = await paper.upload({}, { bytes, name: 'broken.pdf' })
    const { reply, pages } = await copyOf('alan', id)
    assert.match(
      pages[0]!,
      new RegExp(
        `${number} version 1.0 .*The file is not shown here: it could not be read.*It is attached to this PDF`,
      ),
    )
    assert.match(pages[0]!, /Page 1 of 2/)
    const attached = await attachmentsOf(reply.rawPayload)
    assert.deepEqual([...attached.keys()], ['broken.pdf'])
    assert.ok(bytes.equals(attached.get('broken.pdf')!))
  })

  it('tells nobody more than the file would: drafts of others are not there, and a permission is asked for', async () => {
    const { id } = await paper.upload()
    const url = `/api/documents/${id}/download?rendition=signed`
    assert.equal((await world.as('uma').get(url)).statusCode, 404)
    assert.equal((await world.as('rita').get(url)).statusCode, 404)
    assert.equal((await world.as('alan').get(`${url}&version=2.0`)).statusCode, 404)
    assert.equal((await world.as('alan').get(`/api/documents/${id}/download?rendition=framed`)).statusCode, 422)
  })

  it('is refused where the stored file is not what was stored, and no download is in the audit trail', async () => {
    const { id, file_path } = await paper.upload()
    writeFileSync(join(world.folder, 'uploads', file_path), pdf('attest'))
    assert.equal((await world.as('alan').get(`/api/documents/${id}/download?rendition=signed`)).statusCode, 500)
    const { total } = ok(await world.as('otto').get(`/api/audit/?resource_id=${id}&action=document.downloaded`))
    assert.equal(total, 0)
    assert.deepEqual(spooled(), [])
  })

  it('is made a few at a time: who comes when too many wait is told to come again', async () => {
    const { id } = await paper.upload()
    const { pdf } = world.services
    world.services.pdf = openPdfRenderer({ waiting: 1 })
    const replies = await Promise.all(
      Array.from({ length: 8 }, () => world.as('alan').get(`/api/documents/${id}/download?rendition=signed`)),
    )
    const codes = new Set(replies.map(({ statusCode }) => statusCode))
    assert.deepEqual(codes, new Set([200, 503]))
    const refused = replies.find(({ statusCode }) => statusCode === 503)!
    assert.equal(refused.json().code, 'too_many_at_once')
    assert.deepEqual(spooled(), [])
    world.services.pdf = pdf
    assert.equal(most_waiting, 8, 'in the service')
  })
})

const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
