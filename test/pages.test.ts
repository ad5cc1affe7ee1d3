// The pages for people, and the links of messages to them.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { after, before, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { pages } from '#kernel/pages.ts'
import { mailPosting } from '#modules/mail'
import { partsOf, type Smtp } from '#test/fakes/smtp.ts'
import { openMailWorld, public_url } from '#test/world/mail-world.ts'
import type { World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'
import { deliveredPackages, pagePackages } from '../tools/page-packages.ts'
import { paths } from '../web/src/app/paths.ts'

const root = resolve(import.meta.dirname, '..')
let world: World
let smtp: Smtp
before(async () => {
  await buildWeb()
  ;({ world, smtp } = await openMailWorld())
})
after(async () => {
  await world.close()
  await smtp.close()
})

/** The service answers every unknown address with the application, so what counts is that the application knows it. */
async function isPage(url: string) {
  const { statusCode, headers } = await world.server.inject({ url, headers: { accept: 'text/html' } })
  const [path] = url.split(/[?#]/, 1)
  const isKnown = Object.values(paths).some(each => new RegExp(`^${each.replaceAll(/\$\w+/g, '[^/]+')}$`).test(path!))
  return statusCode === 200 && String(headers['content-type']).startsWith('text/html') && isKnown
}

it('a page is served where the table says so, and nowhere else', async () => {
  for (const [place, { address, isServed }] of Object.entries(pages))
    assert.equal(await isPage(address.replace(/:\w+/g, '1')), isServed, place)
})

// proves: NOTE-01
it('no message about any kind of record, and no code for a password, links to something that is not there', async () => {
  const { id: user_id, tenant_id } = world.people.quinn!
  const others = ['controlled_copy', 'file_removal', 'signature', 'user', 'group', 'deputy']
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

it('the bill of materials names each package that the pages import', () => {
  const imported = new Set(
    globSync('web/src/**/*.{ts,tsx}', { cwd: root })
      .flatMap(file => [...readFileSync(join(root, file), 'utf8').matchAll(/(?:from|import) '([^.'][^']*)'/g)])
      .map(([, specifier]) => specifier!.split('/', specifier!.startsWith('@') ? 2 : 1).join('/')),
  )
  assert.deepEqual([...imported].sort(), [...pagePackages].sort())
  const delivered = deliveredPackages().map(({ name }) => name)
  assert.ok(delivered.includes('react-aria'), 'and what they need themselves')
  assert.ok(!delivered.some(name => name.startsWith('@napi-rs/')), 'but nothing that only runs in Node')
})

// Issue 24: what a browser loads before it shows the first page of somebody who is logged in.
it('no more than 230 kB of script, compressed, come before the first page', () => {
  const page = readFileSync(join(root, 'web/dist/index.html'), 'utf8')
  const loaded = new Set<string>()
  const load = (file: string) => {
    if (loaded.has(file)) return
    loaded.add(file)
    const code = readFileSync(join(root, 'web/dist', file), 'utf8')
    for (const [, next] of code.matchAll(/(?:import|from)\s*"\.\/([^"]+\.js)"/g)) load(`assets/${next}`)
  }
  for (const [, script] of page.matchAll(/<script[^>]* src="\/([^"]+)"/g)) load(script!)
  const [first] = globSync('my-work-page-*.js', { cwd: join(root, 'web/dist/assets') })
  load(`assets/${first}`)
  const bytes = [...loaded].reduce(
    (sum, file) => sum + gzipSync(readFileSync(join(root, 'web/dist', file)), { level: 9 }).length,
    0,
  )
  assert.ok(bytes > 100_000, `${bytes} bytes in ${[...loaded].join(', ')}: the test misses some of it`)
  assert.ok(bytes <= 230 * 1000, `${bytes} bytes in ${[...loaded].join(', ')}`)
})
