// The export of all data in a real browser: asked for, watched, read, downloaded and deleted; and the pages of its archive, from a folder.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import { chromium, type Page } from 'playwright-core'
import { faultsOf } from '#test/browser/axe.ts'
import { examine, fits, openVisits } from '#test/browser/visits.ts'
import { papers } from '#test/builders/documents.ts'
import { unzip } from '#test/builders/dossiers.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

const main = (page: Page) => page.getByRole('main')
const folder = mkdtempSync(join(tmpdir(), 'attest-export-pages-'))

describe('the export of all data in a browser (proves: EXIT-01)', () => {
  let world: World
  let visits: Awaited<ReturnType<typeof openVisits>>
  before(async () => {
    await buildWeb()
    world = await openWorld()
    await papers(world).effective()
    visits = await openVisits(world)
  })
  after(async () => {
    await visits?.close()
    await world.close()
    rmSync(folder, { recursive: true })
  })

  it('an Admin requests it with a reason and a password, watches it, downloads it, and deletes it', async () => {
    await visits.visitAs('ada', '/admin/exports', async page => {
      await main(page).getByText('Nothing was exported yet').waitFor()
      await examine(page, 'no export')
      await main(page).getByRole('button', { name: 'Request an export' }).press('Enter')
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Why is the export needed?').fill('The contract ends')
      await dialog.getByLabel('Your password').fill('wrong')
      await dialog.getByRole('button', { name: 'Request export' }).click()
      await dialog.getByRole('alert').waitFor()
      await examine(page, 'a wrong password')
      assert.equal(await dialog.getByLabel('Why is the export needed?').inputValue(), 'The contract ends')
      await dialog.getByLabel('Your password').fill(password)
      await dialog.getByRole('button', { name: 'Request export' }).click()
      await main(page).getByRole('heading', { name: 'Export 1', level: 1 }).waitFor()
      await main(page).getByText('Waits for its turn').waitFor()
      await examine(page, 'an export in progress')
      await world.work()
      const download = main(page).getByRole('button', { name: 'Download' })
      await download.waitFor()
      await examine(page, 'an export that is ready')
      await main(page).getByRole('row', { name: 'Documents 1' }).waitFor()
      const [saved] = await Promise.all([page.waitForEvent('download'), download.click()])
      assert.match(saved.suggestedFilename(), /^attest-export-acme-\d{4}-\d\d-\d\d\.zip$/)
      for (const [name, bytes] of await unzip(readFileSync(await saved.path()))) {
        mkdirSync(dirname(join(folder, name)), { recursive: true })
        writeFileSync(join(folder, name), bytes)
      }
      await page.reload()
      await main(page).getByRole('row', { name: /Ada/ }).waitFor()
      await main(page).getByRole('button', { name: 'Delete' }).click()
      await dialog.getByText('can no longer be downloaded').waitFor()
      await dialog.getByRole('button', { name: 'Delete' }).click()
      await main(page).getByText('deleted this export').waitFor()
      await main(page).getByRole('link', { name: 'All exports' }).click()
      await main(page)
        .getByRole('row', { name: /Export 1 The contract ends Deleted/ })
        .waitFor()
      await examine(page, 'exports')
    })
  })

  it('its archive is read from a folder, by the keyboard, in the light, the dark and on a tablet', async () => {
    const browser = await chromium.launch({
      executablePath: process.env.TEST_CHROMIUM!,
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    })
    try {
      for (const options of [
        { viewport: { width: 1280, height: 800 }, colorScheme: 'light' as const },
        { viewport: { width: 768, height: 1024 }, hasTouch: true, colorScheme: 'dark' as const },
      ]) {
        const context = await browser.newContext(options)
        const page = await context.newPage()
        page.setDefaultTimeout(10_000)
        const faults: string[] = []
        page.on('console', message => faults.push(message.text()))
        page.on('pageerror', error => faults.push(error.message))
        page.on('request', request => {
          if (!request.url().startsWith('file:')) faults.push(`asked for ${request.url()}`)
        })
        const look = async (name: string) => {
          assert.deepEqual(await faultsOf(page, 'wcag'), [], name)
          await fits(page, name)
        }
        await page.goto(pathToFileURL(join(folder, 'index.html')).href)
        await page.getByRole('heading', { name: 'Export of acme', level: 1 }).waitFor()
        await look('the overview')
        const parts = page.getByRole('navigation')
        for (const part of ['Documents', 'Deviations', 'CAPAs', 'Training', 'People', 'Signatures', 'Audit trail']) {
          await parts.getByRole('link', { name: part, exact: true }).press('Enter')
          await page.getByRole('heading', { name: part, level: 1 }).waitFor()
          await look(part)
        }
        await parts.getByRole('link', { name: 'Documents' }).click()
        await page.getByRole('table').getByRole('link').first().click()
        await page.getByRole('heading', { name: /^SOP-0001 / }).waitFor()
        await look('a document')
        const file = page.getByRole('link', { name: 'procedure.pdf' })
        assert.ok(readFileSync(new URL(String(await file.getAttribute('href')), page.url())).length > 0)
        assert.deepEqual(faults, [])
        await context.close()
      }
    } finally {
      await browser.close()
    }
  })
})
