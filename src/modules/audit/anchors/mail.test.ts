// Checkpoints by e-mail, through a real mail server.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { sql } from 'kysely'
import { messageIdOf, openSmtp, type Smtp, subjectOf } from '#test/fakes/smtp.ts'
import { rememberTrail } from '#test/world/rolled-back.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { latestCheckpoint } from '../log/queries.ts'
import { anchoringState, mailCheckpointsDaily } from './anchoring.ts'
import { compareNotes, newestKnown } from './check.ts'
import { notesIn } from './mail.ts'

let world: World
let smtp: Smtp
let acme: number
before(async () => {
  smtp = await openSmtp()
  world = await openWorld({
    SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
    MAIL_FROM: 'attest@example.com',
    AUDIT_ANCHOR: 'mail:qa@example.com, mail:archive@example.org',
  })
  acme = world.people.ada!.tenant_id
  await world.seal()
})
after(async () => {
  await world.close()
  await smtp.close()
})

/** Acts as another process, which knows nothing of what was sent. */
const anotherProcess = () => ({ ...world.services, anchors: [] })
const send = (by = anotherProcess()) => mailCheckpointsDaily.round(by, new AbortController().signal)
const notes = async () =>
  (
    await world.rows<{ note: string }>(
      'select distinct on (tenant_id) note from audit_checkpoints order by tenant_id, epoch desc, size desc',
    )
  ).map(({ note }) => note)
const compared = async (text: string) => {
  const found = []
  for await (const each of compareNotes(world.services, text, 'saved.eml')) found.push(each)
  return found
}

it('the newest checkpoints of all logs are one message a day to each mailbox, which tells what the database has forgotten (proves: AUD-04)', async () => {
  const by = anotherProcess()
  assert.equal(mailCheckpointsDaily.every_minutes, 1440)
  assert.deepEqual(await send(by), { done: 2, refused: 0, failed: 0 })
  assert.deepEqual(
    smtp.received.map(({ to }) => to),
    [['qa@example.com'], ['archive@example.org']],
  )
  const [message] = smtp.received
  assert.match(subjectOf(message!), /^Checkpoints of the audit trail, \d{4}-\d\d-\d\d: 3 logs$/)
  assert.deepEqual(notesIn(message!.raw), await notes())
  assert.deepEqual(await send(by), { done: 0, refused: 0, failed: 0 }, 'once a day')
  // A process that was killed before it noted the sending sends the same message again.
  await send()
  assert.deepEqual(smtp.received.slice(2).map(messageIdOf), smtp.received.slice(0, 2).map(messageIdOf))
  world.clock.moved_ms = 86_400_000
  await send(by)
  assert.equal(new Set(smtp.received.map(messageIdOf)).size, 4)
  world.clock.moved_ms = 0

  const rollBack = await rememberTrail(world, acme)
  await world.database.transaction({ tenantId: acme, userId: null }, 'read write', tx =>
    sql`insert into audit_entries (username, user_role, outcome, action, resource_type, resource_id, changes, request_id, client_addr)
      values ('ada', 'Admin', 'success', 'role.created', 'role', 1, '{}', '', '')`.execute(tx),
  )
  await world.seal()
  smtp.received.length = 0
  await send()
  const saved = smtp.received[0]!.raw
  assert.deepEqual(
    (await compared(saved)).map(({ isWell }) => isWell),
    [true, true, true],
  )
  await rollBack()
  const bad = (await compared(saved)).filter(({ isWell }) => !isWell)
  assert.deepEqual(
    bad.map(({ tenant }) => tenant),
    ['acme'],
  )
  assert.match(bad[0]!.says, /^saved.eml has it with \d+ entries in epoch 1, and the database with \d+ /)
  const { checkpoint } = (await newestKnown(world.services, acme, saved))!
  const newest = (await world.database.transaction({ tenantId: acme, userId: null }, 'read only', tx =>
    latestCheckpoint(tx),
  ))!
  assert.equal(checkpoint.size, newest.size + 1)
})

it('notes are found in what a mail program saves, however it encodes it', async () => {
  const all = await notes()
  const text = `Hello\n\n${all.join('\n')}`
  const quoted = Buffer.from(text)
    .toString('latin1')
    .replace(/[=\x80-\xff]/g, byte => `=${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
    .replace(/.{70}(?![0-9A-F]{0,2}$)/gm, line => (/=.?$/.test(line) ? line : `${line}=\r\n`))
  const base64 = `Content-Transfer-Encoding: base64\r\n\r\n${Buffer.from(text).toString('base64').replace(/.{76}/g, '$&\r\n')}\r\n`
  for (const saved of [text, text.replaceAll('\n', '\r\n'), quoted, base64]) assert.deepEqual(notesIn(saved), all)
  assert.deepEqual(notesIn('nothing'), [])
  const [note] = all
  const [forged] = await compared(note!.replace(/\n\d+\n/, '\n99999\n'))
  assert.deepEqual([forged!.isWell, forged!.says], [false, 'a note of it is not signed by a key of this installation'])
})

it('a mail server that is away is said in the report, and asked again in an hour', async () => {
  const by = anotherProcess()
  assert.deepEqual(mailCheckpointsDaily.again, { limit: 22, delay_s: 3600 })
  smtp.behaviour.recipient = () => [550, 'No such mailbox']
  await assert.rejects(send(by), /refuses it/)
  for (const { trouble } of (await anchoringState(by)).targets)
    assert.match(
      trouble!,
      /^Checkpoints of the audit trail could not be sent\. The mail server refuses it: .*qms mail test/,
    )
  smtp.behaviour.recipient = undefined
  await send(by)
  assert.deepEqual(
    (await anchoringState(by)).targets.map(({ trouble }) => trouble),
    [null, null],
  )
})
