// Inclusion and consistency proofs, checked by the signed root alone.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { leafHash, verifyConsistency, verifyInclusion } from '../log/merkle.ts'
import { openNote, verifyNote } from '../log/note.ts'

let world: World
let paper: ReturnType<typeof papers>
before(async () => {
  world = await openWorld()
  paper = papers(world)
})
after(() => world.close())

const get = async (url: string, by = 'otto') => ok(await world.as(by).get(url))
const bytes = (base64: string) => Buffer.from(base64, 'base64')
const newest = async () => (await get('/api/audit/?page_size=1')).items[0].id

describe('a proof of an entry (proves: AUD-04)', () => {
  it('leads from its leaf to a root that the service has signed, also for an entry of this moment', async () => {
    await paper.upload()
    const id = await newest()
    const proven = await get(`/api/audit/${id}/proof`)
    const { checkpoint } = proven
    const body = verifyNote(checkpoint.note, checkpoint.vkeys)
    assert.deepEqual(body, { origin: checkpoint.origin, size: checkpoint.size, root: bytes(checkpoint.root) })
    const leaf = leafHash(Buffer.from(proven.leaf))
    assert.deepEqual(leaf, bytes(proven.leaf_hash))
    assert.ok(
      verifyInclusion({ leaf, index: proven.index, size: body!.size, root: body!.root }, proven.proof.map(bytes)),
    )
    assert.equal(JSON.parse(proven.leaf).id, String(id))
    assert.equal(JSON.parse(proven.person.opening).username, 'alan')
    assert.ok(JSON.parse(proven.detail.opening).changes)
    assert.equal(proven.seq, (await get(`/api/audit/${id}`)).seq)
  })

  it('is made for any checkpoint that counts the entry, and refused for others', async () => {
    const id = await newest()
    const { index, checkpoint: first } = await get(`/api/audit/${id}/proof`)
    await paper.upload()
    await world.seal()
    const again = await get(`/api/audit/${id}/proof?size=${first.size}`)
    assert.deepEqual(again.checkpoint, first)
    const now = await get(`/api/audit/${id}/proof`)
    assert.ok(now.checkpoint.size > first.size)
    const later = await newest()
    await get(`/api/audit/${later}/proof`)
    const refused = await world.as('otto').get(`/api/audit/${later}/proof?size=${first.size}`)
    assert.equal(refused.statusCode, 409)
    assert.equal(refused.json().code, 'audit_checkpoint_before_entry')
    assert.equal((await world.as('otto').get(`/api/audit/${id}/proof?size=${index + 1_000_000}`)).statusCode, 404)
  })

  it('is for those who read the trail, of their own tenant', async () => {
    const id = await newest()
    assert.equal((await world.as('uma').get(`/api/audit/${id}/proof`)).statusCode, 403)
    assert.equal((await world.as('rex').get(`/api/audit/${id}/proof`)).statusCode, 404)
    assert.equal((await world.as('uma').get('/api/audit/checkpoint')).statusCode, 403)
  })
})

describe('a checkpoint (proves: AUD-04)', () => {
  it('goes on from each older one, as its proof shows', async () => {
    await world.seal()
    const older: Json[] = []
    for (let n = 0; n < 4; n++) {
      older.push(await get('/api/audit/checkpoint'))
      await paper.upload()
      await world.seal()
    }
    const tree = openNote((await get('/api/audit/checkpoint')).note)!.body
    for (const { size, root, note, seq } of older) {
      const { consistency } = await get(`/api/audit/checkpoint?size=${tree.size}&epoch=1&old=${size}`)
      assert.equal(consistency.old, size)
      assert.ok(verifyConsistency({ size, root: bytes(root) }, tree, consistency.proof.map(bytes)))
      assert.equal((await get(`/api/audit/checkpoint?size=${size}`)).note, note)
      assert.equal(seq, size)
    }
    const { size } = older.at(-1)!
    const refused = await world.as('otto').get(`/api/audit/checkpoint?size=${older[0]!.size}&old=${size}`)
    assert.deepEqual([refused.statusCode, refused.json().code], [409, 'audit_checkpoint_not_older'])
    assert.equal((await world.as('otto').get('/api/audit/checkpoint?epoch=2')).statusCode, 404)
  })

  it("says nothing of another tenant's log", async () => {
    await world.seal()
    const [ours, theirs] = [await get('/api/audit/checkpoint'), await get('/api/audit/checkpoint', 'rex')]
    assert.notEqual(ours.origin, theirs.origin)
    assert.equal(verifyNote(theirs.note, ours.vkeys), undefined)
  })
})
