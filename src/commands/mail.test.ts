import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { mailPosting } from '#modules/mail'
import { messageIdOf, openSmtp, type Smtp, subjectOf } from '#test/fakes/smtp.ts'
import { commandsOf } from '#test/processes/commands.ts'
import { openWorld, type World } from '#test/world/world.ts'

describe('messages at the command line', () => {
  let world: World
  let smtp: Smtp
  let mail: Record<string, string>
  before(async () => {
    smtp = await openSmtp()
    mail = { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'attest@qms.example' }
    world = await openWorld(mail)
  })
  after(async () => {
    await commands.close()
    await world.close()
    await smtp.close()
  })

  const commands = commandsOf(() => world)
  async function run(words: string[], environment: Record<string, string> = mail) {
    const { code, out, err } = await commands.run(words, environment)
    return { code, out: out.trim().split('\n').filter(Boolean), err: err.trim() }
  }
  async function post(name: string) {
    const { id: user_id, tenant_id } = world.people[name]!
    const [notification] = await world.rows<{ id: string }>(
      `insert into notifications (tenant_id, user_id, type, priority, title, message, resource_type, resource_id, dedupe_key)
       values ($1, $2, 'document_approved', 'high', 'A title', 'A text', 'document', 7, gen_random_uuid()) returning id`,
      [tenant_id, user_id],
    )
    await world.database.transaction({ tenantId: tenant_id, userId: null }, 'read write', tx =>
      mailPosting(world.services.config)!(tx, [
        { user_id, kind: 'notification', notification_ids: [Number(notification!.id)] },
      ]),
    )
    const [made] = await world.rows<{ id: string; message_id: string }>('select * from mails order by id desc limit 1')
    return made!
  }

  it('are listed with what became of them, without an address, and those that were given up queued again', async () => {
    smtp.behaviour.recipient = address => (address.startsWith('quinn') ? [550, `<${address}> unknown`] : undefined)
    const [quinns, rexs] = [await post('quinn'), await post('rex')]
    await world.work()
    const waiting = await post('ada')
    const whole = await run(['mail', 'list'])
    assert.deepEqual([whole.code, whole.err], [0, ''])
    const line = (id: string) => whole.out.find(each => each.startsWith(`${id}  `))!
    assert.match(
      line(quinns.id),
      /^\d+ {2}tenant \d+ {2}\S+Z {2}notification to quinn {2}failed after 1 attempt {2}The mail server refuses it: 550 \[address\] unknown$/,
    )
    assert.match(line(rexs.id), /notification to rex {2}sent after 1 attempt$/)
    assert.match(line(waiting.id), /notification to ada {2}queued after 0 attempts$/)
    assert.deepEqual((await run(['mail', 'list', '--failed'])).out, [line(quinns.id)])
    assert.deepEqual((await run(['mail', 'list', '--queued', '--tenant', 'acme'])).out, [line(waiting.id)])
    assert.deepEqual((await run(['mail', 'list', '--tenant', 'rival', '--limit', '1'])).out, [line(rexs.id)])

    smtp.behaviour.recipient = undefined
    const none = await run(['mail', 'retry', '--id', rexs.id])
    assert.deepEqual([none.code, none.err], [1, 'There is no failed e-mail to queue'])
    const retried = await run(['mail', 'retry', '--all'])
    assert.deepEqual([retried.code, retried.out], [0, ['1 message is queued again.']])
    smtp.received.length = 0
    await world.work()
    assert.deepEqual(smtp.received.map(messageIdOf).sort(), [quinns.message_id, waiting.message_id].sort())
  })

  it('can be sent, says the doctor, where the mail server lets the service in', async () => {
    const line = (out: string[]) => out.find(each => each.includes('mail server'))
    assert.equal(line((await run(['doctor'])).out), 'ok    mail server: it answers (SMTP_URL has no log-in)')
    const guarded = await openSmtp({ login: { user: 'attest', password: 'secret' } })
    const withLogin = { ...mail, SMTP_URL: `smtp://attest:secret@127.0.0.1:${guarded.port}` }
    const accepted = 'ok    mail server: it answers, and accepts the log-in if it asks for one'
    assert.equal(line((await run(['doctor'], withLogin)).out), accepted)
    await guarded.close()
    // A server that asks for none is sent messages without one, so the line does not say that this log-in was accepted.
    const open = { ...mail, SMTP_URL: `smtp://attest:guessed@127.0.0.1:${smtp.port}` }
    assert.equal(line((await run(['doctor'], open)).out), accepted)
    const away = await run(['doctor'], { ...mail, SMTP_URL: 'smtp://127.0.0.1:1' })
    assert.equal(away.code, 1)
    assert.match(line(away.out)!, /^FAIL {2}mail server: .*The connection was refused$/)
    assert.equal(line((await run(['doctor'], {})).out), undefined)
  })

  it('are not touched by words that make no sense', async () => {
    for (const [words, refusal] of [
      [['list', '--failed', '--queued'], '--failed and --queued exclude each other'],
      [['list', '--limit', '0'], '--limit is a whole number from 1'],
      [['list', '--tenant', 'nobody'], 'There is no tenant nobody'],
      [['retry'], 'Either --id or --all is needed'],
      [['retry', '--id', '1', '--all'], 'Either --id or --all is needed'],
      [['test', '--to', 'ada@example.com\nbcc:x'], '--to is not an e-mail address'],
    ] as const) {
      const { code, out, err } = await run(['mail', ...words])
      assert.deepEqual([code, out, err], [1, [], refusal])
    }
  })

  it('can be tried with one, of which the command says what the server says', async () => {
    smtp.received.length = 0
    const sent = await run(['mail', 'test', '--to', 'ada@example.com'])
    assert.deepEqual([sent.code, sent.out], [0, ['The mail server has accepted an e-mail to ada@example.com.']])
    assert.deepEqual(smtp.received.map(subjectOf), ['A test message of Attest'])
    smtp.behaviour.recipient = () => [554, '5.7.1 Relay access denied']
    const refused = await run(['mail', 'test', '--to', 'ada@example.com'])
    assert.deepEqual([refused.code, refused.err], [1, 'The mail server refuses it: 554 5.7.1 Relay access denied'])
    const away = await run(['mail', 'test', '--to', 'ada@example.com'], { ...mail, SMTP_URL: 'smtp://127.0.0.1:1' })
    assert.deepEqual([away.code, away.err], [1, 'The mail server does not take messages. The connection was refused'])
    const none = await run(['mail', 'test', '--to', 'ada@example.com'], {})
    assert.deepEqual([none.code, none.err], [1, 'SMTP_URL is not set, so no e-mail is sent'])
  })
})
