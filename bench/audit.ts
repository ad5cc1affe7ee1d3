// How long the audit trail of one tenant takes to be listed, verified, exported and reviewed, and what memory that takes.
//
//   node bench/audit.ts [--entries 10000,1000000] [--rounds 20] [--lists]
//
// The entries are of a hundred people and thirty kinds of events, 90 seconds apart. Lists go over HTTP, one at a time and in turn; `--lists`
// leaves out all else. Memory is that of this process, which is the service and the reader of its answers in one.
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { loadNow } from './questions.ts'
import { MiB, percentile } from './service.ts'

const { values: given } = parseArgs({
  options: {
    entries: { type: 'string', default: '10000,1000000' },
    rounds: { type: 'string', default: '20' },
    lists: { type: 'boolean', default: false },
  },
})
const sizes = given.entries.split(',').map(Number)
const rounds = Number(given.rounds)
const by = 'quinn'
const persons = 100
const written_at_once = 50_000

const pageHalfWay = (size: number) => `page=${Math.floor(size / 40)}`
const lists: Record<string, (size: number) => string> = {
  'first page': () => '',
  'first page, from the first on': () => 'sort=id:asc',
  'first page by time': () => 'sort=occurred_at:desc',
  'first page by place': () => 'sort=seq:desc',
  'half way': pageHalfWay,
  'half way by time': size => `sort=occurred_at&${pageHalfWay(size)}`,
  'half way by place': size => `sort=seq:desc&${pageHalfWay(size)}`,
  'of an action': () => 'action=deviation.updated',
  'of a person': () => 'user_id=USER',
  'of a person, half way': size => `user_id=USER&page=${Math.floor(size / persons / 40)}`,
  'of a person and an action': () => 'user_id=USER&action=capa.updated',
  'what failed': () => 'outcome=failed',
  'of a kind, by time': () => 'resource_type=document&sort=occurred_at:desc',
  'of a record': () => 'resource_type=deviation&resource_id=77',
  'of a number, whatever kind': () => 'resource_id=77',
  'of a day': () => 'date_from=2023-01-05&date_to=2023-01-05',
  'of a year and an action': () => 'date_from=2023-01-01&date_to=2023-12-31&action=document.approved',
  'from a place on': () => 'seq_from=5000&user_id=USER',
  'a name': () => 'q=person42',
  'a number': () => 'q=NUM-0042',
  'a rare word': () => 'q=hygrometer',
  'a word of every third': () => 'q=decided',
  'several words': () => 'q=decided in review',
  'words of few in a thousand': () => 'q=review 77',
  'what is in every number': () => 'q=NUM-',
  'the beginning of numbers': () => 'q=NUM-00',
  'a name of all': () => 'q=person',
  'two letters': () => 'q=in',
  'two letters of nothing': () => 'q=zz',
  'a letter': () => 'q=e',
  'a word and an action': () => 'q=decided&action=capa.updated',
  'a word, of a person': () => 'q=decided&user_id=USER',
  'a word, of two months': () => 'q=decided&date_from=2023-01-05&date_to=2023-03-05',
  'a word, by time': () => 'q=decided&sort=occurred_at:desc',
  'a word, half way': size => `q=decided&page=${Math.floor(size / 120)}`,
}

const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openWorld({ LOG_LEVEL: 'warning' })
try {
  await world.server.listen({ host: '127.0.0.1', port: 0 })
  const address = `http://127.0.0.1:${(world.server.server.address() as AddressInfo).port}/api/audit/`
  const headers = { authorization: `Bearer ${await world.tokenOf(by)}` }
  const first = await hire(world)
  let made = 0
  let before: Map<string, number> | undefined
  for (const size of sizes) {
    await fill(world, first, made, size)
    made = size
    console.log(`\n${size} entries; ${loadNow()}`)
    before = await list(address, headers, { size, user: first + 42, before })
    if (given.lists) continue
    await read('verify', `${address}verify`, { headers })
    await read('export as CSV', `${address}export`, { headers })
    await read('export as CSV, of an action', `${address}export?action=capa.updated`, { headers })
    await read('export as CSV, of a word', `${address}export?q=decided`, { headers })
    await read('export as a bundle', `${address}export?format=bundle`, { headers })
    await read('export as a bundle, of a person', `${address}export?format=bundle&user_id=${first + 42}`, { headers })
    await read('review', `${address}reviews/`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify({ date_from: '2023-01-01', date_to: '2025-12-31', outcome: 'no_findings', password }),
    })
  }
} finally {
  await world.close()
  await server.close()
}

/** Answers the first of their ids. */
async function hire({ superuser, people }: World): Promise<number> {
  await superuser.query(`set app.tenant_id = '${people[by]!.tenant_id}'; set session_replication_role = replica`)
  const { rows } = await superuser.query<{ id: string }>(
    `insert into users (username, email, full_name, role_id) select 'person' || n, 'person' || n || '@example.com', 'Person ' || n,
       (select min(id) from roles where tenant_id = current_tenant()) from generate_series(0, $1::int - 1) n returning id`,
    [persons],
  )
  await superuser.query('reset session_replication_role')
  return Math.min(...rows.map(({ id }) => Number(id)))
}

async function fill({ superuser, ...world }: World, user: number, from: number, to: number) {
  let begun = performance.now()
  for (let first = from + 1; first <= to; first += written_at_once)
    await superuser.query(
      `insert into audit_entries (transaction_id, user_id, username, user_role, outcome, occurred_at, action, resource_type, resource_id,
         resource_number, changes, reason, request_id, client_addr)
       select gen_random_uuid(), $3 + p, 'person' || p, 'QA', case when n % 50 = 0 then 'failed' else 'success' end,
         timestamptz '2023-01-01' + n * interval '90 s' + n % 300 * 7919 % 300 * interval '1 s', kind || '.' || done, kind, n / 100 + 1,
         'NUM-' || lpad((n / 100)::text, 4, '0'),
         format('{"description":{"from":"As it was in %s","to":"As it is in %s, which is longer"}}', n, n + 1)::json,
         case when n % 1000 = 0 then 'Seen at the hygrometer' when n % 3 = 0 then 'Decided in review ' || n end, '01a2b3c4d5e6f708', '192.0.2.1'
       from generate_series($1::int, $2::int) n cross join lateral (select hashint4(n) & 1048575 as h) h cross join lateral (select h % ${persons} as p,
         (array['document', 'deviation', 'capa', 'training', 'user'])[1 + h / 100 % 5] as kind,
         (array['created', 'updated', 'updated', 'updated', 'approved', 'closed'])[1 + h / 1000 % 6] as done) d`,
      [first, Math.min(to, first + written_at_once - 1), user],
    )
  const written_s = (performance.now() - begun) / 1000
  begun = performance.now()
  await world.seal()
  const sealed_s = (performance.now() - begun) / 1000
  await superuser.query('vacuum analyze')
  console.log(`\n${to - from} written in ${written_s.toFixed(1)} s, sealed in ${sealed_s.toFixed(1)} s`)
}

async function list(
  address: string,
  headers: Record<string, string>,
  { size, user, before }: { size: number; user: number; before: Map<string, number> | undefined },
) {
  const times = new Map(Object.keys(lists).map(name => [name, [] as number[]]))
  for (let round = -1; round < rounds; round++)
    for (const [name, question] of Object.entries(lists)) {
      const begun = performance.now()
      const reply = await fetch(`${address}?${question(size).replace('USER', String(user))}`, { headers })
      const text = await reply.text()
      if (!reply.ok) throw new Error(`${name}: ${reply.status} ${text}`)
      if (round >= 0) times.get(name)!.push(performance.now() - begun)
    }
  const medians = new Map<string, number>()
  console.log(`${'milliseconds'.padEnd(28)}     p50     p95  times before`)
  for (const [name, taken] of times) {
    const of = (share: number) =>
      percentile(
        taken.toSorted((a, b) => a - b),
        share,
      )
    medians.set(name, of(0.5))
    const growth = before ? (of(0.5) / before.get(name)!).toFixed(1) : ''
    console.log(
      `${name.padEnd(28)}${of(0.5).toFixed(1).padStart(8)}${of(0.95).toFixed(1).padStart(8)}${growth.padStart(14)}`,
    )
  }
  return medians
}

/** To the end of the answer, which nobody keeps. */
async function read(name: string, url: string, request: RequestInit) {
  const memory = process.memoryUsage().rss
  let most = memory
  const watch = setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 50)
  const begun = performance.now()
  const reply = await fetch(url, request)
  if (!reply.ok) throw new Error(`${name}: ${reply.status} ${await reply.text()}`)
  let first_ms: number | undefined
  let bytes = 0
  for await (const piece of reply.body!) {
    first_ms ??= performance.now() - begun
    bytes += (piece as Uint8Array).length
  }
  clearInterval(watch)
  console.log(
    `${name}: first byte after ${first_ms!.toFixed(0)} ms, whole after ${((performance.now() - begun) / 1000).toFixed(1)} s, ${(bytes / MiB).toFixed(1)} MiB; memory grew by ${((most - memory) / MiB).toFixed(0)} MiB`,
  )
}
