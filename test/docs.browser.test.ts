// The API's documentation in a real browser, under its policy.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Browser, chromium } from 'playwright-core'
import { openWorld, type World } from '#test/world/world.ts'

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
  it('shows the routes and tries one, asks nobody else, and breaks no rule of its policy', async () => {
    const page = await browser.newPage()
    page.setDefaultTimeout(60_000)
    // Swagger UI reads the whole description again for each operation that is opened, half a minute of it: here one path of each tag stands for all.
    const tags = new Set<string>()
    await page.route(`${origin}/docs/json`, async route => {
      const reply = await route.fetch()
      const description = (await reply.json()) as { paths: Record<string, Record<string, { tags?: string[] }>> }
      const first = new Map<string, string>()
      for (const [path, operations] of Object.entries(description.paths))
        for (const tag of Object.values(operations).flatMap(each => each.tags ?? []))
          if (!first.has(tag)) first.set(tag, path)
      for (const tag of first.keys()) tags.add(tag)
      const kept = new Set(first.values())
      const paths = Object.fromEntries(Object.entries(description.paths).filter(([path]) => kept.has(path)))
      await route.fulfill({ response: reply, json: { ...description, paths } })
    })
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
    await page.goto(`${origin}/docs`)
    await page.locator('.opblock-tag').first().waitFor()
    const shown = await page.evaluate<string[]>(
      `[...document.querySelectorAll('.opblock-tag')].map(each => each.dataset.tag)`,
    )
    assert.ok(shown.length > 10)
    assert.deepEqual(new Set(shown), tags)
    await page.locator('[data-tag="health"] button, #operations-tag-health button').first().click()
    const operation = page.locator('.opblock', { hasText: '/api/health' }).first()
    await operation.locator('.opblock-summary-control').click()
    await operation.locator('.try-out__btn').click()
    await operation.locator('.execute').click()
    await operation.locator('.live-responses-table .response-col_status', { hasText: '200' }).waitFor()
    assert.deepEqual(elsewhere, [])
    assert.deepEqual(complaints, [])
  })
})
