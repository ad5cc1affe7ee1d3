// People who use the pages in a real browser. What a page may not do, it must not even have tried.
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
} from 'playwright-core'
import { password, type World } from '../world/world.ts'
import { faultsOf } from './axe.ts'

/** A visit is over before code that is translated a second time, to run faster, would have paid for it: a fifth of the time of the pages. */
const translatedOnce = '--js-flags=--no-turbofan,--no-maglev'

/** Pages of a context share a process, so that the program is translated for the first of them alone. */
const inOneProcess = '--process-per-site'

/** The browser itself reports refusals of the service, which tests provoke, and connections that fail. */
const ownReport = /^Failed to load resource/

/** For a service whose address has to be known before it starts. */
export async function freePort() {
  const server = createServer()
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise(done => server.close(done))
  return port
}

/** An authenticator within the browser, which is unlocked at once and keeps what it makes. */
export async function addAuthenticator(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return { session, authenticatorId }
}

interface Place {
  /** `PUBLIC_URL` of the world, on localhost; passkeys and providers know no other address. */
  publicUrl?: string
  /** Others that a browser goes to: the provider of a company. */
  others?: readonly string[]
}

export async function openVisits(world: World, { publicUrl, others = [] }: Place = {}) {
  const port = publicUrl === undefined ? 0 : Number(new URL(publicUrl).port)
  const address = await world.server.listen({ host: '127.0.0.1', port })
  return openBrowser(publicUrl ?? address, others)
}

/** Of a service that is a process of its own. */
export async function openBrowser(origin: string, others: readonly string[] = []) {
  const browser: Browser = await chromium.launch({
    executablePath: process.env.TEST_CHROMIUM!,
    args: [translatedOnce, inOneProcess, ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
  })

  /** Contexts that nobody is in, by their options, each with a page that keeps its process. A context of its own for each visit loads and translates the whole program anew. */
  const free = new Map<string, BrowserContext[]>()
  async function take(options: BrowserContextOptions) {
    const left = free.get(JSON.stringify(options))?.pop()
    if (left) return left
    const context = await browser.newContext(options)
    const keeper = await context.newPage()
    await keeper.goto(`${origin}/icon.svg`)
    return context
  }
  /** As if nobody had ever been here: what the browser keeps of an origin goes, but for the files that it has loaded. */
  async function leave(context: BrowserContext, options: BrowserContextOptions) {
    const [keeper, ...opened] = context.pages()
    await Promise.all(opened.map(page => page.close()))
    context.removeAllListeners('request')
    const session = await context.newCDPSession(keeper!)
    await Promise.all([
      context.clearCookies(),
      context.clearPermissions(),
      context.setOffline(false),
      context.unrouteAll(),
      ...[origin, ...others].map(of =>
        session.send('Storage.clearDataForOrigin', {
          origin: of,
          storageTypes: 'local_storage,indexeddb,cache_storage,service_workers,file_systems',
        }),
      ),
    ])
    await session.detach()
    const key = JSON.stringify(options)
    free.set(key, [...(free.get(key) ?? []), context])
  }

  /** The browser of somebody who was never here. Fails if a script failed, or tried what the policy forbids, or asked anybody else. */
  async function visit<T>(
    path: string,
    work: (page: Page) => Promise<T>,
    options: BrowserContextOptions = {},
    prepare?: (context: BrowserContext) => Promise<void>,
  ) {
    const settings: BrowserContextOptions = {
      locale: 'en-GB',
      reducedMotion: 'reduce',
      viewport: { width: 1280, height: 800 },
      ...options,
    }
    const context = await take(settings)
    const faults: string[] = []
    context.on('request', request => {
      const { protocol, origin: of } = new URL(request.url())
      if (protocol !== 'blob:' && of !== origin && !others.includes(of)) faults.push(`asked for ${request.url()}`)
    })
    const page = await context.newPage()
    // Long, because a machine that does four things at once is slow, and short waits fail there.
    page.setDefaultTimeout(30_000)
    page.on('pageerror', error => faults.push(error.stack ?? error.message))
    page.on('console', message => {
      if (message.type() === 'error' && !ownReport.test(message.text())) faults.push(message.text())
    })
    // A text: what runs in a browser knows other types than what runs here.
    await page.addInitScript({
      content: `document.addEventListener('securitypolicyviolation', event =>
        console.error('forbidden by the policy: ' + event.violatedDirective + ' ' + event.blockedURI))`,
    })
    try {
      await prepare?.(context)
      await page.goto(origin + path)
      const result = await work(page)
      assert.deepEqual(faults, [])
      await leave(context, settings)
      return result
    } catch (error) {
      const shown = await page.innerText('body', { timeout: 5_000 }).catch(String)
      const { message } = error as Error
      await context.close()
      throw new Error([message, ...faults, `The page ${page.url()} said:`, shown].join('\n'), { cause: error })
    }
  }

  /** The browser of somebody who has logged in before: the page of the log-in is a test of its own, and takes as long as many another. */
  const visitAs = <T>(
    username: string,
    path: string,
    work: (page: Page) => Promise<T>,
    options: BrowserContextOptions = {},
  ) =>
    visit(path, work, options, async ({ request }) => {
      const reply = await request.post(`${origin}/api/auth/session`, {
        data: { username, password },
        headers: { 'sec-fetch-site': 'same-origin' },
      })
      assert.equal(reply.status(), 204, await reply.text())
    })

  return {
    origin,
    visit,
    visitAs,
    async close() {
      await browser.close()
    },
  }
}

export async function logIn(page: Page, username: string, secret = password) {
  await page.getByLabel('User name or e-mail').fill(username)
  await page.getByLabel('Password').fill(secret)
  await page.getByRole('button', { name: 'Log in', exact: true }).click()
}

/** Types a day (2026-03-01) into its field, as the language of the page writes it: in English and in German the day comes first. */
export async function fillDay(within: Page | Locator, label: string | RegExp, day: string) {
  await within.getByRole('group', { name: label }).getByRole('spinbutton').first().click()
  const page = 'keyboard' in within ? within : within.page()
  await page.keyboard.type(day.split('-').reverse().join(''))
}

/** Moves a line by finger from its handle to the upper or lower part of another line, which may be out of sight at first. */
export async function dragByFinger(page: Page, handle: Locator, target: Locator, part: 'upper' | 'lower') {
  const session = await page.context().newCDPSession(page)
  const at = async (place: Locator, share: number) => {
    const { x, y, width, height } = (await place.boundingBox())!
    return { x: Math.round(x + Math.min(width / 2, 20)), y: Math.round(y + height * share) }
  }
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', touchPoints: { x: number; y: number }[]) =>
    session.send('Input.dispatchTouchEvent', { type, touchPoints })
  await handle.scrollIntoViewIfNeeded()
  await touch('touchStart', [await at(handle, 0.5)])
  const { height } = page.viewportSize()!
  // Beyond the edge of the window the page scrolls below the finger, until the target is in sight.
  for (let n = 0; n < 200; n++) {
    const share = part === 'upper' ? 0.2 : 0.8
    const { x, y } = await at(target, share)
    await touch('touchMove', [{ x, y: Math.max(2, Math.min(y, height - 2)) }])
    // The page may have scrolled on since the look, and stands still once the finger is away from the edge.
    if (y > 90 && y < height - 90 && (await at(target, share)).y === y) break
    await page.waitForTimeout(25)
  }
  await touch('touchEnd', [])
  await session.detach()
}

/**
 * Moves a line by mouse to the upper or lower edge of another. The page marks the line that is dragged and the place where it would stand
 * a moment after the mouse has moved: a line let go before that stays where it was.
 */
export async function dragByMouse(page: Page, line: Locator, target: Locator, part: 'upper' | 'lower') {
  await target.scrollIntoViewIfNeeded()
  const dragged = line.and(page.locator('[data-dragging]'))
  const beside = async () => {
    const { x, y, height } = (await target.boundingBox())!
    return { x: x + 200, y: part === 'upper' ? y + 4 : y + height - 4 }
  }
  const begin = async () => {
    await line.hover()
    await page.mouse.down()
    // The first move begins the drag.
    const to = await beside()
    await page.mouse.move(to.x, to.y)
    await dragged.waitFor({ timeout: 5_000 })
  }
  // On a busy machine a line was seen not to be taken along: a person takes it once more.
  for (let n = 1; ; n++) {
    try {
      await begin()
      break
    } catch (error) {
      if (n === 3) throw error
      await page.mouse.up()
    }
  }
  const { x, y } = await beside()
  // A mouse that lies still tells of itself again and again, and this one does not.
  const place = page.locator('[data-drop-target]')
  for (let n = 1; n < 400 && (await place.count()) === 0; n++) {
    await page.mouse.move(x + (n % 2), y)
    await page.waitForTimeout(25)
  }
  await page.mouse.up()
}

const inTheme = (page: Page, theme: 'light' | 'dark') =>
  page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)

/** Everybody can read and use what is shown, in the light and in the dark, and nothing has to be scrolled sideways. */
export async function examine(page: Page, name: string) {
  const before = await page.evaluate<'light' | 'dark'>('document.documentElement.dataset.theme')
  await inTheme(page, 'light')
  assert.deepEqual(await faultsOf(page, 'wcag'), [], `${name}, light`)
  await inTheme(page, 'dark')
  assert.deepEqual(await faultsOf(page, 'colours'), [], `${name}, dark`)
  await inTheme(page, before)
  await fits(page, name)
}

/** Nothing has to be scrolled sideways, and where a list (web/src/ui/data-table.tsx) has no room for its titles, no figure stands alone. */
export async function fits(page: Page, name: string) {
  const tooWide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  assert.equal(tooWide, 0, `${name} fits into the width of the screen`)
  const alone = await page.evaluate<string[]>(`[...document.querySelectorAll('[aria-busy] > table')]
    .filter(table => table.tHead && !table.tHead.checkVisibility())
    .flatMap(table => [...table.querySelectorAll('td')])
    .filter(cell => cell.checkVisibility() && /^\\d{1,3}([.,\\s]\\d{3})*$/.test(cell.innerText.trim()) && getComputedStyle(cell, '::before').content === 'none')
    .map(cell => cell.innerText)`)
  assert.deepEqual(alone, [], `${name} says what its figures count`)
}
