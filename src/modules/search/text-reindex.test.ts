import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ok, papers } from '#test/builders/documents.ts'
import { commandsOf } from '#test/processes/commands.ts'
import { openWorld, type World } from '#test/world/world.ts'

const fileOf = (said: string) => ({ bytes: Buffer.from(said), name: 'procedure.txt' })

describe('files that are read again', () => {
  let world: World
  before(async () => {
    world = await openWorld()
  })
  after(async () => {
    await commands.close()
    await world.close()
  })

  const commands = commandsOf(() => world)
  async function qms(...words: string[]) {
    const { code, out, err } = await commands.run(words)
    return { code, out: out.trim(), err: err.trim() }
  }
  const chunks = (id: number) =>
    world.rows<{ body: string }>(
      'select body from document_chunks c join document_versions v on v.id = c.version_id where document_id = $1',
      [id],
    )
  const status = async (id: number) => ok(await world.as('alan').get(`/api/documents/${id}`)).content.status

  // proves: SRCH-01
  it('are those that an older program read, those that could not be read, or all; until then the old text is searched', async () => {
    const { upload } = papers(world)
    const { id: older } = await upload({ title: 'Older' }, fileOf('It says alpha.'))
    const { id: newer } = await upload({ title: 'Newer' }, fileOf('It says beta.'))
    const { id: broken } = await upload({ title: 'Broken' }, fileOf('It says gamma.'))
    const [{ file_key: key } = { file_key: '' }] = await world.rows<{ file_key: string }>(
      'select file_key from document_versions where document_id = $1',
      [broken],
    )
    await world.services.storage.move(key, `elsewhere/${key}`)
    await world.work()
    assert.equal(await status(broken), 'failed')
    assert.match((await qms('reindex')).err, /There is no file to read again/)

    await world.rows('update document_texts set extractor = 0 where document_id = $1', [older])
    await world.rows(`update document_chunks set body = 'as it was read'`)
    assert.match(
      (await qms('doctor')).out,
      /texts of documents: 1 were read by an older program .*\n- {5}texts of documents: 1 cannot be read/,
    )
    const asked = await qms('reindex', '--tenant', 'acme')
    assert.equal(asked.code, 0, asked.err)
    const [, total, job] = /: (\d+) files are queued for the service \(job (\d+)\)/.exec(asked.out)!
    assert.equal(total, '1')
    assert.deepEqual(await chunks(older), [{ body: 'as it was read' }])
    await world.work()
    assert.deepEqual(await chunks(older), [{ body: 'It says alpha.' }])
    assert.deepEqual(await chunks(newer), [{ body: 'as it was read' }])
    const { status: ended, done } = ok(await world.as('ada').get(`/api/jobs/${job}`))
    assert.deepEqual([ended, done], ['completed', 1])

    await world.services.storage.move(`elsewhere/${key}`, key)
    assert.equal((await qms('reindex', '--failed')).code, 0)
    await world.work()
    assert.deepEqual([await status(broken), await chunks(newer)], ['extracted', [{ body: 'as it was read' }]])
    assert.match((await qms('reindex', '--all')).out, /: 3 files/)
    await world.work()
    assert.deepEqual(await chunks(newer), [{ body: 'It says beta.' }])
  })
})
