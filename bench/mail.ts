// How long messages to many people take: to be queued in the transaction of what they tell of, and to be sent; and the memory of it.
//
//   node bench/mail.ts [--mails 10000]
//
// One process of the service as it is started, against a mail server in the process of the benchmark that takes everything at once.
// The load of the machine is printed before and after.
import { readFileSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { mailPosting } from '#modules/mail'
import { openSmtp } from '#test/fakes/smtp.ts'
import { startService } from '#test/processes/service-process.ts'
import { addPeople } from '#test/world/people.ts'
import { openTestServer, urlsOf } from '#test/world/postgres.ts'
import { openWorld } from '#test/world/world.ts'
import { loadNow } from './questions.ts'

const { values: given } = parseArgs({ options: { mails: { type: 'string', default: '10000' } } })
const count = Number(given.mails)

const memoryOf = (pid: number) => {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return `${Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)![1]) / 1024)} MiB resident`
}

const server = await openTestServer()
await server.addPeopled(addPeople)
const smtp = await openSmtp()
const environment = { SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'attest@qms.example', LOG_LEVEL: 'info' }
const world = await openWorld(environment)
console.log(loadNow())
const service = await startService({ ...urlsOf(world.postgres), ...environment, DATA_DIR: world.folder })
try {
  await setTimeout(5000)
  console.log(`idle: ${memoryOf(service.child.pid!)}`)
  const { id: user_id, tenant_id } = world.people.quinn!
  const made = await world.rows<{ id: string }>(
    `insert into notifications (tenant_id, user_id, type, priority, title, message, resource_type, resource_id, dedupe_key)
     select $1, $2, 'document_approved', 'high', 'SOP-0004 was approved', 'It becomes effective on 2026-03-05.', 'document', 7,
       gen_random_uuid() from generate_series(1, $3) returning id`,
    [tenant_id, user_id, count],
  )
  const post = mailPosting(world.services.config)!
  const begun = performance.now()
  await world.database.transaction({ tenantId: tenant_id, userId: null }, 'read write', tx =>
    post(
      tx,
      made.map(({ id }) => ({ user_id, kind: 'notification', notification_ids: [Number(id)] })),
    ),
  )
  console.log(`${count} messages queued in one transaction: ${((performance.now() - begun) / 1000).toFixed(2)} s`)
  while (smtp.received.length < 1) await setTimeout(10)
  const first = performance.now()
  while (smtp.received.length < count) await setTimeout(50)
  const seconds = (performance.now() - first) / 1000
  console.log(
    `sent: ${seconds.toFixed(1)} s, ${Math.round(count / seconds)} a second, over ${smtp.visits()} connections`,
  )
  console.log(`after it: ${memoryOf(service.child.pid!)}`)
} finally {
  service.child.kill('SIGTERM')
  await service.ended
  await world.close()
  await smtp.close()
  await server.close()
  console.log(loadNow())
}
