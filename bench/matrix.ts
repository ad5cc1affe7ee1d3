// The training matrix of many people by many programs: how long its pages take over HTTP, and whether it stutters while it is scrolled.
//
//   TEST_CHROMIUM=/usr/bin/chromium node bench/matrix.ts [--people 10000] [--programs 100] [--rounds 10]
//
// A frame is the time from one picture to the next. Those that took longer than 50 ms are counted, and the longest is told, while the browser
// itself scrolls as a finger or a wheel does: slowly, fast, sideways, and by a leap to the end. The last column is the processor time of the
// page's own thread for a frame, which others on the machine do not change. The browser has the same processors as the service, and the load
// of the machine is printed before and after.
import { parseArgs } from 'node:util'
import { type CDPSession, chromium, type Page } from 'playwright-core'
import { addCrowd } from '#test/builders/assignments.ts'
import { addPeople } from '#test/world/people.ts'
import { openTestServer } from '#test/world/postgres.ts'
import { password, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'
import { openBenchWorld, serve } from './installation.ts'
import { loadNow } from './questions.ts'
import { percentile } from './service.ts'

const { values: given } = parseArgs({
  options: {
    people: { type: 'string', default: '10000' },
    programs: { type: 'string', default: '100' },
    rounds: { type: 'string', default: '10' },
  },
})
const [people, programs, rounds] = [Number(given.people), Number(given.programs), Number(given.rounds)]
const executablePath = process.env.TEST_CHROMIUM
if (!executablePath) throw new Error('TEST_CHROMIUM names no browser, as in TEST_CHROMIUM=/usr/bin/chromium')

/** Nine of ten cells have an assignment, in every standing. By statement, while triggers sleep. */
async function fill({ superuser, people: cast }: World) {
  const { id: user, tenant_id: tenant } = cast.quinn!
  await superuser.query(
    `set app.tenant_id = '${tenant}'; set app.user_id = '${user}'; set session_replication_role = replica`,
  )
  await superuser.query(
    `insert into training_programs (number, title, type, due_days, requires_verification)
     select 'TRN-9' || lpad(n::text, 3, '0'), 'Program ' || n, 'on_the_job', 14, n % 10 = 0 from generate_series(1, ${programs}) n`,
  )
  await superuser.query(
    `insert into training_assignments (program_id, user_id, status, source, due_date, assigned_at, completed_at, verified_at, verified_by,
       verification_signature_id, signature_id, program_title, valid_until, reason)
     select p.id, u.id, status, 'bulk', day::date + 14, day, case when status = 'completed' then day + interval '5 days' end,
       case when status = 'completed' and r < 0.7 then day + interval '6 days' end, case when status = 'completed' and r < 0.7 then ${user} end,
       case when status = 'completed' and r < 0.7 then 1 end, case when status = 'completed' then 1 end,
       case when status = 'completed' then '' end, case when status = 'completed' and r < 0.2 then day::date + 370 end,
       case when status in ('failed', 'waived') then 'A reason' end
     from (select id from training_programs where number like 'TRN-9%') p
     cross join (select id from users where tenant_id = ${tenant} and username like 'crowd%') u,
     lateral (select random() as r, now() - random() * interval '2 years' + 0 * (p.id + u.id) * interval '1 second' as day) c,
     lateral (select case when r < 0.8 then 'completed' when r < 0.83 then 'failed' when r < 0.86 then 'waived' else 'assigned' end as status) s
     where r < 0.9`,
  )
  await superuser.query('reset session_replication_role')
  await superuser.query('vacuum analyze')
}

async function timePages(url: string, token: string) {
  const last = Math.ceil(people / 100)
  const questions = {
    'the first page': 'page=1',
    'one in the middle': `page=${Math.ceil(last / 2)}`,
    'the last page': `page=${last}`,
    'status=overdue': 'page=1&status=overdue',
    'status=not_assigned': 'page=1&status=not_assigned',
    'q=crowd77': 'page=1&q=crowd77',
  }
  console.log(`${'100 people of the matrix, milliseconds'.padEnd(44)}    p50    max    kB`)
  for (const [name, question] of Object.entries(questions)) {
    const times: number[] = []
    let bytes = 0
    for (let round = -1; round < rounds; round++) {
      const begun = performance.now()
      const reply = await fetch(`${url}/api/training/matrix?page_size=100&sort=full_name:asc&${question}`, {
        headers: { authorization: `Bearer ${token}` },
      })
      const text = await reply.text()
      if (!reply.ok) throw new Error(`${name}: ${reply.status} ${text}`)
      if (round >= 0) times.push(performance.now() - begun)
      bytes = text.length
    }
    const sorted = times.toSorted((a, b) => a - b)
    const figures = [percentile(sorted, 0.5), sorted.at(-1)!, bytes / 1000]
    console.log(`${name.padEnd(44)}${figures.map(each => each.toFixed(0).padStart(7)).join('')}`)
  }
}

// Scripts for the browser are texts, because the browser's types are not known here.
const watch = `
  window.frames = []; window.watching = true; {
    let before = performance.now()
    const next = now => { window.frames.push(now - before); before = now; if (window.watching) requestAnimationFrame(next) }
    requestAnimationFrame(now => { before = now; requestAnimationFrame(next) })
  }`

/** The frames while something is done, without the first, in which it began. */
async function framesDuring(page: Page, work: () => Promise<unknown>) {
  await page.evaluate(watch)
  await work()
  return page.evaluate<number[]>('window.watching = false; window.frames.slice(1)')
}

async function scrollBy(
  session: CDPSession,
  box: { x: number; y: number },
  distance: { x?: number; y?: number },
  speed: number,
) {
  await session.send('Input.synthesizeScrollGesture', {
    x: box.x,
    y: box.y,
    xDistance: -(distance.x ?? 0),
    yDistance: -(distance.y ?? 0),
    speed,
    gestureSourceType: 'mouse',
  })
}

await buildWeb()
const server = await openTestServer()
await server.addPeopled(addPeople)
const world = await openBenchWorld()
const served = await serve(world)
const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
try {
  await addCrowd(world, people)
  await fill(world)
  console.log(`${people} people, ${programs} programs. Before: ${loadNow()}\n`)
  await timePages(served.url, await world.tokenOf('quinn'))

  const page = await browser.newPage({ locale: 'en-GB', viewport: { width: 1440, height: 900 } })
  await page.goto(`${served.url}/training/matrix`)
  await page.getByLabel('User name or e-mail').fill('quinn')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
  const grid = page.getByRole('grid')
  await grid.getByRole('gridcell').first().waitFor()
  const session = await page.context().newCDPSession(page)
  await session.send('Performance.enable', { timeDomain: 'threadTicks' })
  const taskTime = async () =>
    (await session.send('Performance.getMetrics')).metrics.find(({ name }) => name === 'TaskDuration')!.value * 1000
  const frame = (await grid.boundingBox())!
  const middle = { x: frame.x + frame.width / 2, y: frame.y + frame.height / 2 }
  const moves: Record<string, () => Promise<unknown>> = {
    'slowly down, 1,200 px a second': () => scrollBy(session, middle, { y: 6_000 }, 1_200),
    'fast down, 8,000 px a second': () => scrollBy(session, middle, { y: 40_000 }, 8_000),
    'back up': () => scrollBy(session, middle, { y: -40_000 }, 8_000),
    'sideways, 1,200 px a second': () => scrollBy(session, middle, { x: 2_000 }, 1_200),
    'a leap to the last person': async () => {
      await grid.locator('[tabindex="0"]').focus()
      await page.keyboard.press('Control+End')
      await grid.getByRole('row').last().getByRole('gridcell').first().waitFor()
    },
    'a hundred arrow keys': async () => {
      for (let times = 0; times < 100; times++) await page.keyboard.press('ArrowUp')
    },
  }
  console.log(`\n${'scrolling, milliseconds'.padEnd(36)} frames    p50    p95  > 50 ms  longest  own thread`)
  for (const [name, move] of Object.entries(moves)) {
    const before = await taskTime()
    const frames = (await framesDuring(page, move)).toSorted((a, b) => a - b)
    const own = ((await taskTime()) - before) / frames.length
    const long = frames.filter(each => each > 50).length
    const figures = [percentile(frames, 0.5), percentile(frames, 0.95)]
      .map(each => each.toFixed(1).padStart(7))
      .join('')
    const most = `${String(long).padStart(9)}${frames.at(-1)!.toFixed(1).padStart(9)}${own.toFixed(1).padStart(12)}`
    console.log(`${name.padEnd(36)}${String(frames.length).padStart(7)}${figures}${most}`)
  }
  console.log(`\nCells drawn: ${await grid.getByRole('gridcell').count()}. After: ${loadNow()}`)
} finally {
  await browser.close()
  await served.close()
  await world.close()
  await server.close()
}
