// Against a real SMTP server on this machine: test/support/fakes/smtp.ts.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it, type TestContext } from 'node:test'
import { readConfig } from '#platform/config.ts'
import { selfSigned } from '#test/fakes/certificate.ts'
import { decodeWords, headersOf, messageIdOf, openSmtp, partsOf, subjectOf } from '#test/fakes/smtp.ts'
import { openTcpServer } from '#test/faults/fault-proxy.ts'
import { steady } from '#test/world/steadily.ts'
import type { MailFailure } from './failure.ts'
import { type Message, openMailer } from './mailer.ts'

const message: Message = {
  message_id: '<0f0e0d@qms.example>',
  date: '2026-03-01T08:30:00.000Z',
  to: { name: 'Ada Example', address: 'ada@example.com' },
  subject: 'SOP-0004 awaits your decision',
  text: 'SOP-0004 awaits your decision.\n',
  html: '<p>SOP-0004 awaits your decision.</p>\n',
  isUrgent: false,
}
const fast = { first_wait_ms: 10, longest_wait_ms: 40, patience_ms: 3_000 }

const mailerFor = (t: TestContext, smtp_url: string, more: Record<string, string> = {}, timing = fast) => {
  const said: string[] = []
  const say = (line: string) => void said.push(line)
  const config = readConfig({
    SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-mail',
    SMTP_URL: smtp_url,
    MAIL_FROM: 'Attest <attest@qms.example>',
    ...more,
  })
  const mailer = openMailer(config, { info: say, warn: say, error: say }, timing)!
  t.after(() => mailer.close())
  return { ...mailer, said }
}
const failureOf = (sending: Promise<void>) =>
  sending.then(
    () => assert.fail('it was sent'),
    (error: MailFailure) => error,
  )

describe('a message', () => {
  it('arrives as text and as HTML, with its Message-ID and its date, marked as written by a program', async t => {
    const smtp = await openSmtp()
    t.after(smtp.close)
    await mailerFor(t, `smtp://127.0.0.1:${smtp.port}`).send(message)
    const [one, ...others] = smtp.received
    assert.equal(others.length, 0)
    assert.deepEqual([one!.from, one!.to], ['attest@qms.example', ['ada@example.com']])
    const headers = Object.fromEntries([...headersOf(one!)].map(([name, [value]]) => [name, value]))
    assert.equal(headers.from, 'Attest <attest@qms.example>')
    assert.equal(headers.to, 'Ada Example <ada@example.com>')
    assert.equal(headers.subject, message.subject)
    assert.equal(headers['message-id'], message.message_id)
    assert.equal(new Date(headers.date!).toISOString(), message.date)
    assert.deepEqual([headers['auto-submitted'], headers['x-auto-response-suppress']], ['auto-generated', 'All'])
    assert.deepEqual(partsOf(one!), {
      'text/plain': 'SOP-0004 awaits your decision.',
      'text/html': '<p>SOP-0004 awaits your decision.</p>',
    })
    assert.deepEqual([one!.isEncrypted, one!.user], [false, undefined])
  })

  it('says whatever its title, its text and its reader are, in no other header and to nobody else', async t => {
    const smtp = await openSmtp()
    t.after(smtp.close)
    const { send } = mailerFor(t, `smtp://127.0.0.1:${smtp.port}`)
    const subjects = [
      'First\r\nBcc: eve@example.com\r\n\r\nanother body',
      'Ümlaut, 手順書, مراجعة الوثيقة, 🧪🧫 and a ‮turn',
      'word '.repeat(400).trim(),
      'x'.repeat(200),
    ]
    for (const subject of subjects)
      await send({
        ...message,
        subject,
        to: { name: `"Eve" <eve@example.com>, Ädä\r\nBcc: eve@example.com`, address: 'ada@example.com' },
        text: `${subject}\n.\nÄ line of ${'many '.repeat(500)}words\n.\n`,
      })
    for (const [index, received] of smtp.received.entries()) {
      const headers = headersOf(received)
      assert.deepEqual(received.to, ['ada@example.com'])
      assert.equal(headers.has('bcc'), false)
      assert.equal(headers.get('to')!.length, 1)
      assert.equal(headers.get('subject')!.length, 1)
      assert.ok(decodeWords(headers.get('to')![0]!).endsWith('<ada@example.com>'))
      assert.equal(subjectOf(received).replace(/\s+/g, ' '), subjects[index]!.replace(/\s+/g, ' '))
      assert.ok(received.raw.split('\r\n').every(line => Buffer.byteLength(line) <= 998))
      assert.ok(
        Buffer.from(received.raw).every(byte => byte < 128),
        'seven bits are enough for every server',
      )
      const text = `${subjects[index]!.replaceAll('\r\n', '\n')}\n.\nÄ line of ${'many '.repeat(500)}words\n.`
      assert.equal(partsOf(received)['text/plain']!.trim(), text.trim())
    }
    assert.equal(smtp.received.length, subjects.length)
  })

  it('has no other recipient by an address that is none', async t => {
    const smtp = await openSmtp()
    t.after(smtp.close)
    const { send } = mailerFor(t, `smtp://127.0.0.1:${smtp.port}`)
    for (const address of ['ada@example.com>\r\nRCPT TO:<eve@example.com', 'ada@example.com\neve@example.com', '']) {
      const failure = await failureOf(send({ ...message, to: { name: 'Ada', address } }))
      assert.deepEqual([failure.isOfMessage, failure.isPermanent], [true, true])
    }
    assert.equal(smtp.received.length, 0)
  })

  it('goes over one connection with others, which is closed when there are no more', async t => {
    const smtp = await openSmtp()
    t.after(smtp.close)
    const mailer = mailerFor(t, `smtp://127.0.0.1:${smtp.port}`)
    for (let count = 0; count < 20; count++) await mailer.send(message)
    assert.deepEqual([smtp.received.length, smtp.visits()], [20, 1])
    await Promise.all(Array.from({ length: 20 }, () => mailer.send(message)))
    assert.ok(smtp.visits() <= 4, `${smtp.visits()} connections`)
    mailer.close()
    while (smtp.open() > 0) await new Promise(setImmediate)
  })
})

describe('a connection to the mail server', () => {
  const login = { user: 'attest', password: 'p@ss/wörd' }
  const withLogin = `${login.user}:${encodeURIComponent(login.password)}@`
  const certificate = selfSigned('127.0.0.1')
  let folder: string
  const trusted = (cert: string) => {
    const path = join(folder, 'ca.pem')
    writeFileSync(path, cert)
    return path
  }
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'attest-mail-'))
  })
  after(() => rmSync(folder, { recursive: true }))

  it('is encrypted before anybody logs in', async t => {
    const smtp = await openSmtp({ login, certificate })
    t.after(smtp.close)
    const { send } = mailerFor(t, `smtp://${withLogin}127.0.0.1:${smtp.port}`, {
      SMTP_TLS: 'required',
      SMTP_CA_FILE: trusted(certificate.cert),
    })
    await send(message)
    assert.deepEqual(
      smtp.received.map(({ isEncrypted, user }) => [isEncrypted, user]),
      [[true, 'attest']],
    )
  })

  it('is not used where its certificate is nobody known, or of another host, or where it cannot be encrypted', async t => {
    const other = selfSigned('mail.example')
    const refused = 'The mail server does not take messages. Its certificate or its encryption is not accepted'
    for (const [presented, ca] of [
      [certificate, undefined],
      [other, other.cert],
      [undefined, undefined],
    ] as const) {
      const smtp = await openSmtp({ login, ...(presented && { certificate: presented }) })
      t.after(smtp.close)
      const { send } = mailerFor(t, `smtp://${withLogin}127.0.0.1:${smtp.port}`, {
        SMTP_TLS: 'required',
        ...(ca && { SMTP_CA_FILE: trusted(ca) }),
      })
      const failure = await failureOf(send(message))
      assert.deepEqual([failure.message, failure.isOfMessage, failure.isPermanent], [refused, false, false])
      assert.equal(smtp.received.length, 0)
    }
  })

  it('that the server does not let in keeps the message, and says nothing of the password', async t => {
    const smtp = await openSmtp({ login })
    t.after(smtp.close)
    const { send, check, said } = mailerFor(t, `smtp://attest:another-secret@127.0.0.1:${smtp.port}`)
    const failure = await failureOf(send(message))
    await assert.rejects(check(), { message: failure.message })
    assert.equal(failure.message, 'The mail server does not take messages. The log-in was refused')
    assert.deepEqual([failure.isOfMessage, failure.isPermanent], [false, false])
    assert.deepEqual(said, [`messages wait: ${failure.message}`])
  })
})

describe('a mail server that refuses', () => {
  it('a recipient or a content for ever, is not asked again; what it says is kept without the address', async t => {
    const smtp = await openSmtp()
    t.after(smtp.close)
    const { send, said } = mailerFor(t, `smtp://127.0.0.1:${smtp.port}`)
    smtp.behaviour.recipient = address => [
      550,
      `5.1.1 <${address}>: Recipient Ada (user ada, ${address.toUpperCase()}) unknown`,
    ]
    const unknown = await failureOf(send(message))
    assert.equal(
      unknown.message,
      'The mail server refuses it: 550 5.1.1 [address] Recipient [address] (user [address], [address] unknown',
    )
    assert.deepEqual([unknown.isOfMessage, unknown.isPermanent], [true, true])
    smtp.behaviour.recipient = undefined
    smtp.behaviour.content = () => [554, '5.7.1 Message rejected as spam']
    const spam = await failureOf(send(message))
    assert.deepEqual(
      [spam.message, spam.isOfMessage, spam.isPermanent],
      ['The mail server refuses it: 554 5.7.1 Message rejected as spam', true, true],
    )
    assert.deepEqual(said, [])
  })

  it('for now, as greylisting does, is asked again', async t => {
    const smtp = await openSmtp()
    t.after(smtp.close)
    const { send } = mailerFor(t, `smtp://127.0.0.1:${smtp.port}`)
    smtp.behaviour.recipient = () => [451, '4.7.1 Greylisted, come back in 5 minutes']
    const failure = await failureOf(send(message))
    assert.deepEqual([failure.isOfMessage, failure.isPermanent], [true, false])
    smtp.behaviour.recipient = undefined
    await send(message)
    assert.deepEqual(smtp.received.map(messageIdOf), [message.message_id])
  })

  it('the sender, or everybody, is away for all messages, and for none of them for ever', async t => {
    const smtp = await openSmtp()
    t.after(smtp.close)
    for (const behaviour of [{ sender: [550, 'who is that?'] }, { greeting: [554, 'no service'] }] as const) {
      Object.assign(smtp.behaviour, behaviour)
      const { send } = mailerFor(t, `smtp://127.0.0.1:${smtp.port}`)
      const failure = await failureOf(send(message))
      assert.deepEqual([failure.isOfMessage, failure.isPermanent], [false, false], JSON.stringify(behaviour))
      Object.assign(smtp.behaviour, { sender: undefined, greeting: undefined })
    }
  })
})

describe('a mail server that is away', () => {
  it('because nobody listens, drops the connection in the middle, or falls silent, is tried again', async t => {
    const smtp = await openSmtp()
    const { send, said } = mailerFor(t, `smtp://127.0.0.1:${smtp.port}`)
    smtp.behaviour.content = () => 'drop'
    const dropped = await failureOf(send(message))
    assert.equal(dropped.message, 'The mail server does not take messages. The connection was cut off')
    assert.deepEqual([dropped.isOfMessage, dropped.isPermanent], [false, false])
    await smtp.close()
    const refused = await failureOf(send(message))
    assert.equal(refused.message, 'The mail server does not take messages. The connection was refused')
    const again = await openSmtp({ port: smtp.port })
    t.after(again.close)
    await send(message)
    assert.deepEqual(again.received.map(messageIdOf), [message.message_id])
    assert.deepEqual(said, [`messages wait: ${dropped.message}`, 'messages leave again'])
  })

  it('without a word is given up after a while', async t => {
    const silent = await openTcpServer(socket => socket.resume())
    t.after(silent.close)
    const { send } = mailerFor(t, `smtp://127.0.0.1:${silent.port}`)
    const begun = performance.now()
    const failure = await failureOf(send(message))
    assert.equal(failure.message, 'The mail server does not take messages. The connection timed out')
    assert.ok(performance.now() - begun < 25_000)
  })

  it(
    'is asked by one message at a time, however many wait, and less and less often',
    steady(async t => {
      const smtp = await openSmtp()
      t.after(smtp.close)
      smtp.behaviour.greeting = [421, 'come back later']
      const timing = { first_wait_ms: 50, longest_wait_ms: 400, patience_ms: 1500 }
      const { send } = mailerFor(t, `smtp://127.0.0.1:${smtp.port}`, {}, timing)
      await failureOf(send(message))
      const first = smtp.visits()
      const begun = performance.now()
      const went = await Promise.allSettled(Array.from({ length: 1000 }, () => send(message)))
      assert.ok(went.every(({ status }) => status === 'rejected'))
      assert.ok(performance.now() - begun >= 1500)
      // After 50, 100, 200, 400 and 400 ms; each try may be two connections.
      const visits = smtp.visits() - first
      assert.ok(visits >= 3 && visits <= 14, `${visits} connections`)
      smtp.behaviour.greeting = undefined
      await Promise.all(Array.from({ length: 1000 }, () => send(message)))
      assert.equal(smtp.received.length, 1000)
    }),
  )

  it('is not waited for by a process that ends', async t => {
    const { send } = mailerFor(t, 'smtp://127.0.0.1:1', {}, { ...fast, first_wait_ms: 60_000 })
    await failureOf(send(message))
    const stopping = new AbortController()
    const waiting = send(message, stopping.signal)
    stopping.abort()
    await assert.rejects(waiting, { name: 'AbortError' })
  })
})
