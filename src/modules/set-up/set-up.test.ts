import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { ok, papers } from '#test/builders/documents.ts'
import type { Smtp } from '#test/fakes/smtp.ts'
import { openMailWorld, takeLetters } from '#test/world/mail-world.ts'
import { openWorld, type World } from '#test/world/world.ts'

describe('the set-up of a company', () => {
  let world: World
  let smtp: Smtp
  before(async () => {
    ;({ world, smtp } = await openMailWorld())
  })
  after(async () => {
    await world.close()
    await smtp.close()
  })
  const read = async (by = 'ada') => ok(await world.as(by).get('/api/set-up/'))

  it('says of each step what is done and what is left, from the records', async () => {
    const first = await read()
    assert.deepEqual(first.company, { name: 'acme', time_zone: 'UTC', language: 'en', is_done: false })
    assert.deepEqual([first.people.is_done, first.roles.is_done], [true, true])
    assert.deepEqual([first.document_types.is_done, first.documents.is_done], [false, false])
    assert.ok(first.document_types.items.every(({ issue }: { issue: unknown }) => issue === null))
    await ok(await world.as('ada').put('/api/settings/', { time_zone: 'UTC', language: 'de' }))
    await papers(world).effective({ title: 'Gowning' })
    const now = await read()
    assert.deepEqual([now.company.is_done, now.company.language, now.document_types.is_done], [true, 'de', true])
    assert.deepEqual(now.documents, { uploaded: 1, effective: 1, is_done: true })
    assert.equal((await world.as('uma').get('/api/set-up/')).statusCode, 403)
  })

  it('says which documents nobody could approve', async () => {
    const { items: roles } = ok(await world.as('ada').get('/api/roles/'))
    const { id: role_id } = roles.find(({ name }: { name: string }) => name === 'User')
    const { items: people } = ok(await world.as('ada').get('/api/users/?role=QA&role=QA%20Manager&page_size=100'))
    assert.ok(people.length > 1)
    for (const { id } of people) ok(await world.as('ada').put(`/api/users/${id}/role`, { role_id }))
    const { roles: step, document_types } = await read()
    const issueOf = (wanted: string) =>
      document_types.items.find(({ prefix }: { prefix: string }) => prefix === wanted).issue?.code ?? null
    assert.deepEqual([step.is_done, issueOf('SOP'), issueOf('DOC')], [false, 'workflow_step_short_of_people', null])
    assert.equal((await read('rex')).roles.is_done, true)
  })

  it('sends a test e-mail in the language of who asks, and says what the mail server says', async () => {
    smtp.behaviour.recipient = () => [550, 'no such mailbox here']
    const refused = ok(await world.as('ada').post('/api/set-up/test-mail'))
    assert.equal(refused.is_sent, false)
    assert.match(refused.problem, /no such mailbox here/)
    const { mail } = await read()
    assert.deepEqual([mail.is_set_up, mail.is_done, mail.last_test.outcome], [true, false, 'failed'])
    smtp.behaviour.recipient = undefined
    await ok(await world.as('ada').put('/api/auth/preferences', { language: 'de' }))
    const sent = ok(await world.as('ada').post('/api/set-up/test-mail'))
    assert.deepEqual([sent.is_sent, sent.problem, sent.to], [true, null, 'ada@example.com'])
    const letter = (await takeLetters({ world, smtp })).find(({ subject }) => /^Test/.test(subject))
    assert.equal(letter!.subject, 'Test-E-Mail von Attest bei acme')
    assert.match(letter!.text, /hat diese E-Mail angefordert/)
    assert.equal((await read()).mail.is_done, true)
    const entries = await world.rows(
      `select outcome, username from audit_entries where action = 'mail.tested' order by id`,
    )
    assert.deepEqual(entries, [
      { outcome: 'failed', username: 'ada' },
      { outcome: 'success', username: 'ada' },
    ])
  })

  it('says that no e-mail is sent where the installation sends none', async () => {
    const without = await openWorld()
    try {
      const reply = await without.as('ada').post('/api/set-up/test-mail')
      assert.deepEqual([reply.statusCode, reply.json().code], [409, 'test_mail_not_set_up'])
      assert.equal(ok(await without.as('ada').get('/api/set-up/')).mail.is_set_up, false)
    } finally {
      await without.close()
    }
  })
})
