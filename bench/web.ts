// How long people wait for the pages, in Chromium against the service as it is started, with many documents.
//
//   TEST_CHROMIUM=/usr/bin/chromium node bench/web.ts [--documents 10000] [--rounds 15]
//
// First page: from the address to the content that is asked for, in a browser that has nothing of it yet, within a session that there is.
// List and document: from the click to the heading of the document, its facts and its approval, and from "Back" to the lines of the list;
// another document each time, without the moment that a pointer rests on its link before, in which the pages read ahead. What its tabs ask
// for besides, such as its file, is not part of it.
// Typing: from a key in the search of the list to the picture with its letter, and the longest task that a key could have had to wait for.
// The first round does not count. The browser has the same processors as the service: the load of the machine is printed before and after.
import { parseArgs } from 'node:util'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { password } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'
import { openPlaces } from './installation.ts'
import { loadNow } from './questions.ts'
import { percentile } from './service.ts'

const { values: given } = parseArgs({
  options: { documents: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '15' } },
})
const documents = Number(given.documents)
const rounds = Number(given.rounds)
const executablePath = process.env.TEST_CHROMIUM
if (!executablePath) throw new Error('TEST_CHROMIUM names no browser, as in TEST_CHROMIUM=/usr/bin/chromium')

const goals_ms: Record<string, number> = {
  'first page: my work': 1500,
  'first page: list of documents': 1500,
  'list to document': 200,
  'document to list': 200,
  'key to picture': 50,
  'longest task while typing': 50,
}
const times = new Map(Object.keys(goals_ms).map(name => [name, [] as number[]]))
let counts = false
const note = (name: string, ...taken: number[]) => counts && times.get(name)!.push(...taken)

// Scripts for the browser are texts, because the browser's types are not known here.
const isShown = (selector: string) =>
  `document.querySelector('main ${selector}') && ![...document.querySelectorAll('main [role=status][aria-label=Loading]')].some(each => !each.closest('[role=tabpanel]'))`
/** Since `begin`, or where there is none since the browser was told the address. */
const untilShown = (selector: string, begin: string) => `(async () => {
  const begun = ${begin === '' ? 0 : 'performance.now()'}
  ${begin}
  while (!(${isShown(selector)})) await new Promise(requestAnimationFrame)
  return performance.now() - begun
})()`

async function firstPage(
  browser: Browser,
  options: BrowserContextOptions,
  name: string,
  url: string,
  selector: string,
) {
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await page.goto(url, { waitUntil: 'commit' })
  note(name, await page.evaluate<number>(untilShown(selector, '')))
  await context.close()
}

async function thereAndBack(page: Page, round: number) {
  const row = `document.querySelectorAll('main tbody th a')[${round % 25}].click()`
  note('list to document', await page.evaluate<number>(untilShown('h1 span', row)))
  note('document to list', await page.evaluate<number>(untilShown('tbody th a', 'history.back()')))
}

async function type(page: Page, text: string) {
  const search = page.getByRole('main').getByRole('searchbox')
  await page.evaluate(`
    window.tasks = []; window.keys = []
    window.watching ??= [['longtask', tasks => window.tasks.push(...tasks)], ['event', keys => window.keys.push(...keys)]].map(([type, take]) => {
      const observer = new PerformanceObserver(list => take(list.getEntries().filter(({ name }) => type === 'longtask' || name === 'keydown').map(({ duration }) => duration)))
      observer.observe({ type, durationThreshold: 16 })
      return observer
    })`)
  await search.fill('')
  await search.pressSequentially(text, { delay: 90 })
  await page.waitForURL(/[?&]q=/)
  await page.locator('[aria-busy=false]').or(page.getByText('No document matches')).waitFor()
  const { keys, tasks } = await page.evaluate<{ keys: number[]; tasks: number[] }>(
    '({ keys: window.keys, tasks: window.tasks })',
  )
  // The browser tells of none that took less than 16 ms, or of tasks below 50 ms.
  note('key to picture', ...keys, ...Array.from({ length: Math.max(0, text.length - keys.length) }, () => 16))
  note('longest task while typing', Math.max(0, ...tasks))
}

await buildWeb()
const places = await openPlaces(progress => console.error(progress))
const browser = await chromium.launch({ executablePath, args: process.getuid?.() === 0 ? ['--no-sandbox'] : [] })
try {
  const { served } = await places.open({ documents, deviations: 100, entries: 1_000 })
  const options: BrowserContextOptions = { locale: 'en-GB', viewport: { width: 1280, height: 800 } }
  const context = await browser.newContext(options)
  const page = await context.newPage()
  await page.goto(served.url)
  await page.getByLabel('User name or e-mail').fill('quinn')
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
  await page.getByRole('heading', { name: 'My work' }).waitFor()
  const known = { ...options, storageState: await context.storageState() }

  console.log(`${documents} documents, ${rounds} rounds. Before: ${loadNow()}`)
  for (let round = 0; round <= rounds; round++) {
    counts = round > 0
    await firstPage(browser, known, 'first page: my work', `${served.url}/`, 'h1')
    await firstPage(browser, known, 'first page: list of documents', `${served.url}/documents`, 'tbody th a')
    await page.goto(`${served.url}/documents?page=${1 + Math.floor(round / 25)}`)
    await page.locator('main tbody th a').first().waitFor()
    await thereAndBack(page, round)
    await type(page, ['validation', 'cleaning of', 'SOP-000'][round % 3]!)
  }
  console.log(`After: ${loadNow()}\n\n${'milliseconds'.padEnd(34)}    p50    p95    max   goal`)
  for (const [name, taken] of times) {
    const sorted = taken.toSorted((a, b) => a - b)
    const figures = [percentile(sorted, 0.5), percentile(sorted, 0.95), sorted.at(-1)!, goals_ms[name]!]
    console.log(`${name.padEnd(34)}${figures.map(ms => ms.toFixed(0).padStart(7)).join('')}`)
  }
} finally {
  await browser.close()
  await places.close()
}
