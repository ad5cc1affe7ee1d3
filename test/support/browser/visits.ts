// People who use the pages in a real browser. What a page may not do, it must not even have tried.
import assert from 'node:assert/strict'
import { AxeBuilder } from '@axe-core/playwright'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { password, type World } from '../world/world.ts'

/** The browser itself reports refusals of the service, which tests provoke, and connections that fail. */
const ownReport = /^Failed to load resource/

export async function openVisits(world: World) {
  const origin = await world.server.listen({ host: '127.0.0.1', port: 0 })
  const browser: Browser = await chromium.launch({
    executablePath: process.env.TEST_CHROMIUM!,
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  })

  /** The browser of somebody who was never here. Fails if a script failed, or tried what the policy forbids, or asked anybody else. */
  async function visit<T>(path: string, work: (page: Page) => Promise<T>, options: BrowserContextOptions = {}) {
    const context = await browser.newContext({
      locale: 'en-GB',
      reducedMotion: 'reduce',
      viewport: { width: 1280, height: 800 },
      ...options,
    })
    const faults: string[] = []
    context.on('request', request => {
      const { protocol, origin: of } = new URL(request.url())
      if (protocol !== 'blob:' && of !== origin) faults.push(`asked for ${request.url()}`)
    })
    const page = await context.newPage()
    page.setDefaultTimeout(10_000)
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
      await page.goto(origin + path)
      const result = await work(page)
      assert.deepEqual(faults, [])
      return result
    } catch (error) {
      if (faults.length > 0) throw new AggregateError([error], `${(error as Error).message}\n${faults.join('\n')}`)
      throw error
    } finally {
      await context.close()
    }
  }

  return {
    origin,
    visit,
    async close() {
      await browser.close()
    },
  }
}

export async function logIn(page: Page, username: string) {
  await page.getByLabel('User name or e-mail').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.getByRole('button', { name: 'Log in' }).click()
}

const inTheme = (page: Page, theme: 'light' | 'dark') =>
  page.evaluate(`document.documentElement.dataset.theme = '${theme}'`)

/** Everybody can read and use what is shown, in the light and in the dark, and nothing has to be scrolled sideways. */
export async function examine(page: Page, name: string) {
  const before = await page.evaluate<'light' | 'dark'>('document.documentElement.dataset.theme')
  for (const theme of ['light', 'dark'] as const) {
    await inTheme(page, theme)
    const { violations } = await new AxeBuilder({ page })
      .setLegacyMode(true)
      .withTags(['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'])
      .analyze()
    const found = violations.map(({ id, help, nodes }) => `${id}: ${help}: ${nodes.map(({ html }) => html).join(' ')}`)
    assert.deepEqual(found, [], `${name}, ${theme}`)
  }
  await inTheme(page, before)
  const tooWide = await page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
  assert.equal(tooWide, 0, `${name} fits into the width of the screen`)
}
