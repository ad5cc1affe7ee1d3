// How the pages look where something else is shown than usual: nothing to read, another language, a small screen.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { examine, logIn, openVisits } from '#test/browser/visits.ts'
import { papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

describe('views of the pages', () => {
  let world: World
  let visits: Awaited<ReturnType<typeof openVisits>>
  let effective: { id: number }
  before(async () => {
    await buildWeb()
    world = await openWorld()
    visits = await openVisits(world)
    effective = await papers(world).effective({ title: 'Gowning' })
  })
  after(async () => {
    await visits?.close()
    await world.close()
  })

  it('what is not there, and a service that does not answer, are said and can be left', async () => {
    await visits.visit('/documents/424242', async page => {
      await logIn(page, 'petra')
      await page.getByRole('alert').getByText('There is no such page or record').waitFor()
      await examine(page, 'no such record')
      await page.goto(`${visits.origin}/nothing/here`)
      await page.getByRole('alert').getByText('There is no such page or record').waitFor()
      await page.getByRole('link', { name: 'Documents' }).click()
      await page.getByRole('rowheader', { name: 'Gowning' }).waitFor()

      await page.context().setOffline(true)
      await page.getByRole('button', { name: 'Sort by Title' }).click()
      await page.getByRole('alert').getByText('The service does not answer').waitFor()
      await examine(page, 'no answer')
      await page.context().setOffline(false)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByRole('rowheader', { name: 'Gowning' }).waitFor()
    })
  })

  it('speaks German, and keeps to it', async () => {
    await visits.visit('/', async page => {
      await logIn(page, 'petra')
      await page.getByRole('button', { name: 'Petra Example QA Account' }).click()
      await page.getByRole('menuitemradio', { name: 'As the system', checked: true }).waitFor()
      await examine(page, 'account')
      await page.getByRole('menuitem', { name: 'Auf Deutsch anzeigen' }).click()
      await page.getByRole('heading', { name: 'Meine Arbeit' }).waitFor()
      await page.goto(`${visits.origin}/documents/${effective.id}`)
      await page.getByRole('tab', { name: 'Verlauf' }).click()
      await page.getByText('automatisch').first().waitFor()
      assert.equal(await page.locator('html').getAttribute('lang'), 'de')
    })
  })

  it('fits a tablet and a telephone', async () => {
    for (const viewport of [
      { width: 820, height: 1180 },
      { width: 320, height: 640 },
    ])
      await visits.visit(
        '/',
        async page => {
          await logIn(page, 'petra')
          await page.getByRole('heading', { name: 'My work' }).waitFor()
          await examine(page, `my work at ${viewport.width}`)
          await page.goto(`${visits.origin}/documents`)
          await page.getByRole('rowheader', { name: 'Gowning' }).waitFor()
          await examine(page, `list at ${viewport.width}`)
          await page.goto(`${visits.origin}/documents/${effective.id}?tab=timeline`)
          await page.getByRole('heading', { name: /Gowning/ }).waitFor()
          await page.getByText('automatically').first().waitFor()
          await examine(page, `document at ${viewport.width}`)
        },
        { viewport, hasTouch: true, isMobile: true },
      )
  })
})
