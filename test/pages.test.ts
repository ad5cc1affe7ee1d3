// The pages for people, and the links of messages to them.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { pages } from '#kernel/pages.ts'
import { mailPosting } from '#modules/mail'
import { partsOf, type Smtp } from '#test/fakes/smtp.ts'
import { openMailWorld, public_url } from '#test/world/mail-world.ts'
import type { World } from '#test/world/world.ts'

let world: World
let smtp: Smtp
before(async () => {
  ;({ world, smtp } = await openMailWorld())
})
after(async () => {
  await world.close()
  await smtp.close()
})

async function isPage(url: string) {
  const { statusCode, headers } = await world.server.inject({ url, headers: { accept: 'text/html' } })
  return statusCode === 200 && String(headers['content-type']).startsWith('text/html')
}

it('a page is served where the table says so, and nowhere else', async () => {
  for (const [place, { address, isServed }] of Object.entries(pages))
    assert.equal(await isPage(address.replace(/:\w+/g, '1')), isServed, place)
})

// proves: NOTE-01
it('no message about any kind of record, and no code for a password, links to something that is not there', async () => {
  const { id: user_id, tenant_id } = world.people.quinn!
  const others = ['controlled_copy', 'file_removal', 'configuration_change', 'signature', 'user', 'group', 'deputy']
  const kinds = [...Object.keys(pages).filter(place => place !== 'reset_password'), ...others]
  const told = await world.rows<{ id: string }>(
    `insert into notifications (tenant_id, user_id, type, priority, title, message, resource_type, resource_id, dedupe_key)
     select $1, $2, 'document_approved', 'high', 'A title', 'A text', kind, 7, 'pages ' || kind from unnest($3::text[]) kind returning id`,
    [tenant_id, user_id, kinds],
  )
  await world.database.transaction({ tenantId: tenant_id, userId: null }, 'read write', tx =>
    mailPosting(world.services.config)!(tx, [
      { user_id, kind: 'digest', notification_ids: told.map(({ id }) => Number(id)) },
      ...told.map(({ id }) => ({ user_id, kind: 'notification' as const, notification_ids: [Number(id)] })),
    ]),
  )
  await world.server.inject({ method: 'POST', url: '/api/auth/forgot-password', payload: { username: 'rita' } })
  await world.work()
  const parts = smtp.received.flatMap(each => Object.values(partsOf(each)))
  assert.equal(smtp.received.length, told.length + 2)
  assert.ok(parts.some(part => part.includes('/api/auth/reset-password')))
  for (const [link] of parts.flatMap(part => [...part.matchAll(/https:\/\/[^\s"<#]*/g)]))
    assert.ok(link.startsWith(public_url) && (await isPage(link.slice(public_url.length))), link)
})
