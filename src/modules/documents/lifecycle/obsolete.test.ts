// Taking a document out of use, and what is left of it for whom.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { behindTheApi, type Json, ok, papers } from '#test/builders/documents.ts'
import { races } from '#test/world/rounds.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

const retire = (id: number, body: object = {}, options: { logged_in?: number } = {}) =>
  world.as('quinn', options).post(`/api/documents/${id}/transition`, {
    transition: 'obsolete',
    comment: 'Line 1 was taken down',
    ...body,
  })
const hour = 3600
const signaturesOf = async (id: number) =>
  ok(await world.as('otto').get(`/api/signatures/?document_id=${id}&signature_type=obsolescence`)).items

describe('an effective document is taken out of use by a signature (proves: SIG-01)', () => {
  it('that says who, when, why and what it means, is in the history, and is verified', async () => {
    const { id } = await paper.effective()
    const obsolete = ok(await retire(id, { password }, { logged_in: hour }))
    assert.deepEqual([obsolete.status, obsolete.effective_version, obsolete.review_due_date], ['obsolete', null, null])
    const [signature, ...others] = await signaturesOf(id)
    assert.deepEqual(
      [others.length, signature.signer.username, signature.intent, signature.method],
      [0, 'quinn', 'Line 1 was taken down', 'password'],
    )
    const { verification, payload } = ok(await world.as('otto').get(`/api/signatures/${signature.id}`))
    assert.equal(verification.valid, true)
    assert.equal(JSON.parse(payload).version.status, 'effective')
    const [last] = (await paper.get('otto', id, '/history')).slice(-1)
    assert.deepEqual(
      [last.transition, last.trigger, last.user.username, last.comment, last.signature_id],
      ['obsolete', 'user', 'quinn', 'Line 1 was taken down', signature.id],
    )
    const trail = ok(
      await world.as('otto').get(`/api/audit/?resource_type=document&resource_id=${id}&sort=id:desc&page_size=1`),
    )
    const [{ action, reason, changes }] = trail.items
    assert.deepEqual(
      [action, reason, changes.status, changes.signature_id.to],
      ['document.state_changed', 'Line 1 was taken down', { from: 'effective', to: 'obsolete' }, signature.id],
    )
  })

  it('for which an old log-in does not do, nor a wrong password, and which is not given without a reason', async () => {
    const { id } = await paper.effective()
    const stale = await retire(id, {}, { logged_in: hour })
    assert.equal(stale.statusCode, 401)
    assert.match(String(stale.headers['www-authenticate']), /insufficient_user_authentication/)
    assert.equal((await retire(id, { password: 'not the password' })).statusCode, 401)
    const unreasoned = await world
      .as('quinn')
      .post(`/api/documents/${id}/transition`, { transition: 'obsolete', password })
    assert.deepEqual([unreasoned.statusCode, unreasoned.json().detail[0].loc], [422, ['body', 'comment']])
    assert.equal((await paper.get('uma', id)).status, 'effective')
    assert.deepEqual(await signaturesOf(id), [])
    const denied = ok(await world.as('otto').get('/api/audit/?action=signature.denied&sort=id:desc&page_size=2')).items
    assert.deepEqual(
      denied.map(({ user }: Json) => user.username),
      ['quinn', 'quinn'],
    )
  })

  it('and by nobody whom the permission does not name', async () => {
    const { id } = await paper.effective()
    const refused = await world
      .as('petra')
      .post(`/api/documents/${id}/transition`, { transition: 'obsolete', comment: 'Old', password })
    assert.equal(refused.statusCode, 403)
    assert.deepEqual(await signaturesOf(id), [])
  })

  it('in a workflow of the tenant’s own, too, whatever its state is called and whether or not it asks for a comment', async () => {
    const templates = ok(await world.as('quinn').get('/api/workflow-templates/')).items
    const { definition } = templates.find(({ name }: Json) => name === 'Standard approval')
    const own = JSON.parse(JSON.stringify(definition).replaceAll('"obsolete"', '"retired"'))
    const retired = own.transitions.find(({ name }: Json) => name === 'retired')
    Object.assign(retired, { name: 'retire', to: 'retired' })
    delete retired.comment_required
    const template = ok(await world.as('quinn').post('/api/workflow-templates/', { name: 'Own', definition: own }))
    const type = ok(
      await world
        .as('quinn')
        .post('/api/document-types/', { name: 'Own', prefix: 'OWN', workflow_template_id: template.id }),
    )
    const { id } = ok(await world.as('alan').upload('/api/documents/upload', { title: 'Own', document_type: type.id }))
    ok(await paper.move('alan', id, 'submit'))
    ok(await paper.approve('quentin', id))
    assert.equal((await retire(id, { transition: 'retire', comment: undefined })).statusCode, 422)
    assert.equal(ok(await retire(id, { transition: 'retire' })).status, 'retired')
    assert.equal((await signaturesOf(id)).length, 1)
  })

  it('which nobody gives for a file that is not what was stored', async () => {
    const { id } = await paper.effective()
    await behindTheApi(
      world,
      'document_versions',
      `update document_versions set sha256 = repeat('0', 64) where document_id = $1`,
      [id],
    )
    assert.equal((await retire(id)).statusCode, 500)
    assert.equal((await paper.get('uma', id)).status, 'effective')
  })

  it('twice at the same moment: once, and the other is told the state', async () => {
    for (let repetition = 0; repetition < races(10); repetition++) {
      const { id } = await paper.effective()
      const replies = await Promise.all([retire(id), retire(id), retire(id)])
      assert.deepEqual(
        replies.map(({ statusCode }) => statusCode).sort((a, b) => a - b),
        [200, 409, 409],
      )
      assert.equal((await signaturesOf(id)).length, 1)
    }
  })

  it('while its replacement is under way, which goes on', async () => {
    const { id } = await paper.effective()
    ok(await paper.addVersion(id))
    ok(await paper.move('alan', id, 'submit'))
    const obsolete = ok(await retire(id))
    assert.deepEqual([obsolete.version, obsolete.status, obsolete.effective_version], ['1.1', 'in_review', null])
    assert.equal((await world.as('uma').get(`/api/documents/${id}`)).statusCode, 404)
    ok(await paper.approve('petra', id))
    assert.equal(ok(await paper.approve('quentin', id)).effective_version, '1.1')
    const versions = await paper.get('otto', id, '/versions')
    assert.deepEqual(
      versions.map(({ version, status }: Json) => [version, status]),
      [
        ['1.1', 'effective'],
        ['1.0', 'obsolete'],
      ],
    )
  })
})

describe('the document', () => {
  it('is what people worked by last, when what was to replace it is given up, before or after it was taken out of use', async () => {
    for (const order of [
      ['cancel', 'obsolete'],
      ['obsolete', 'cancel'],
    ]) {
      const { id } = await paper.effective()
      ok(await paper.addVersion(id))
      for (const transition of order) ok(await paper.move('quinn', id, transition, 'No such line'))
      const document = await paper.get('otto', id)
      assert.deepEqual([document.version, document.status, document.pending_version], ['1.0', 'obsolete', null])
      assert.equal((await paper.addVersion(id)).statusCode, 409)
    }
  })

  it('that was taken back is a draft again, for its author and those who read drafts', async () => {
    const { id } = await paper.submitted()
    ok(await paper.move('alan', id, 'withdraw'))
    for (const name of ['alan', 'petra', 'otto']) assert.equal((await paper.get(name, id)).status, 'draft', name)
    for (const name of ['uma', 'anna'])
      for (const path of ['', '/download', '/history', '/versions', '/comments'])
        assert.equal((await world.as(name).get(`/api/documents/${id}${path}`)).statusCode, 404, `${name} ${path}`)
  })
})

describe('what is used no more (21 CFR 11.10(c))', () => {
  /** A document for each status, with its version in that state. */
  const gone: Record<string, { id: number; version: string }> = {}
  before(async () => {
    const { id: obsolete } = await paper.effective({ title: 'Gone: obsolete' })
    ok(await retire(obsolete))
    const { id: superseded } = await paper.effective({ title: 'Gone: superseded' })
    ok(await paper.addVersion(superseded))
    await paper.release(superseded)
    const { id: cancelled } = await paper.upload({ title: 'Gone: cancelled' })
    ok(await paper.move('alan', cancelled, 'cancel'))
    const { id: replaced } = await paper.upload({ title: 'Gone: replaced' })
    ok(await paper.addVersion(replaced))
    Object.assign(gone, {
      obsolete: { id: obsolete, version: '1.0' },
      superseded: { id: superseded, version: '1.0' },
      cancelled: { id: cancelled, version: '1.0' },
      replaced: { id: replaced, version: '1.0' },
    })
  })
  const readers: Record<string, boolean> = {
    quinn: true,
    petra: true,
    otto: true,
    alan: true, // the author of all of them
    anna: false,
    uma: false,
  }

  for (const [name, reads] of Object.entries(readers))
    it(`${reads ? 'is read and downloaded byte for byte' : 'is not there'} for ${name}`, async () => {
      for (const [status, { id, version }] of Object.entries(gone))
        for (const path of ['', '/download']) {
          const reply = await world.as(name).get(`/api/documents/${id}${path}?version=${version}`)
          assert.equal(reply.statusCode, reads ? 200 : 404, `${status}${path}: ${reply.statusCode}`)
        }
      const { items } = ok(await world.as(name).get('/api/documents/?q=Gone:&page_size=50'))
      assert.deepEqual(items.map(({ title, status }: Json) => [title, status]).sort(), [
        ...(reads ? [['Gone: cancelled', 'cancelled']] : []),
        ...(reads ? [['Gone: obsolete', 'obsolete']] : []),
        ...(reads ? [['Gone: replaced', 'draft']] : []),
        ['Gone: superseded', 'effective'],
      ])
      const obsolete = ok(await world.as(name).get('/api/documents/?q=Gone:&status=obsolete'))
      assert.equal(obsolete.total, reads ? 1 : 0)
      const versions = await paper.get(name, gone.superseded!.id, '/versions')
      assert.deepEqual(
        versions.map((each: Json) => each.version),
        reads ? ['1.1', '1.0'] : ['1.1'],
      )
      const history = await paper.get(name, gone.superseded!.id, '/history')
      assert.equal(
        history.some((each: Json) => each.version === '1.0'),
        reads,
      )
    })

  it('is deleted by no request', async () => {
    assert.deepEqual(
      world.app.routes.filter(({ method, url }) => method === 'DELETE' && url.startsWith('/api/documents')),
      [],
    )
  })

  it('takes no further step, and no further change', async () => {
    for (const { id } of [gone.obsolete!, gone.cancelled!]) {
      for (const transition of ['submit', 'obsolete', 'cancel', 'withdraw', 'reject'])
        assert.equal((await paper.move('quinn', id, transition, 'Once more')).statusCode, 409, transition)
      assert.equal((await paper.approve('quinn', id)).statusCode, 409)
      const changes = { title: 'Other', change_reason: 'x' }
      assert.equal((await world.as('quinn').put(`/api/documents/${id}`, changes)).statusCode, 409)
      assert.equal((await paper.addVersion(id)).statusCode, 409)
    }
  })
})
