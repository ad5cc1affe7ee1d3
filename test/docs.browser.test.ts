// The API's documentation in a real browser, under its policy.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Browser, chromium } from 'playwright-core'
import { openWorld, type World } from '#test/world/world.ts'

interface Description {
  paths: Record<string, Record<string, { tags?: string[] }>>
}

describe('the page of the documentation', () => {
  let world: World
  let browser: Browser
  let origin: string
  before(async () => {
    world = await openWorld()
    origin = await world.server.listen({ host: '127.0.0.1', port: 0 })
    browser = await chromium.launch({
      executablePath: process.env.TEST_CHROMIUM!,
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    })
  })
  after(async () => {
    await browser?.close()
    await world.close()
  })

  // proves: SVC-02
  it('shows the API by areas and tries it with a token, asks nobody else, and breaks no rule of its policy', async () => {
    const { paths } = (await world.server.inject('/docs/json')).json() as Description
    const tags = new Set(Object.values(paths).flatMap(each => Object.values(each).flatMap(({ tags = [] }) => tags)))
    const page = await browser.newPage()
    const complaints: string[] = []
    const elsewhere: string[] = []
    page.on('console', message => {
      if (message.type() === 'error') complaints.push(message.text())
    })
    page.on('pageerror', error => complaints.push(error.message))
    page.on('request', request => {
      const { protocol, origin: of } = new URL(request.url())
      if (protocol !== 'data:' && of !== origin) elsewhere.push(request.url())
    })
    const operationOf = (path: string) =>
      page.locator('.opblock-get', { has: page.locator(`.opblock-summary-path[data-path="${path}"]`) })
    const send = async (path: string) => {
      const operation = operationOf(path)
      await operation.locator('.opblock-summary-control').click()
      await operation.locator('.try-out__btn').click()
      await operation.locator('.execute').click()
      return operation.locator('.live-responses-table .response .response-col_status').innerText()
    }
    await page.goto(`${origin}/docs`)
    const area = page.locator('#select')
    const offered = await area.locator('option').allInnerTexts()
    assert.deepEqual(offered, [...tags].sort())
    assert.equal(await area.locator('option:checked').innerText(), 'auth')

    await page.locator('.btn.authorize').click()
    await page.locator('#auth-bearer-value, input[aria-label="auth-bearer-value"]').fill(await world.tokenOf('quinn'))
    await page.locator('.auth-btn-wrapper .authorize').first().click()
    await page.locator('.auth-btn-wrapper .btn-done').first().click()
    assert.match(await send('/api/auth/me'), /^200/)
    await area.selectOption({ label: 'documents' })
    assert.match(await send('/api/documents/'), /^200/)
    await page.goto(`${origin}/docs/?urls.primaryName=health`)
    await operationOf('/api/health').waitFor()
    assert.deepEqual(elsewhere, [])
    assert.deepEqual(complaints, [])
  })
})
