// How the pages look where something else is shown than usual: nothing to read, another language, a small screen.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { examine, openVisits } from '#test/browser/visits.ts'
import { cases } from '#test/builders/cases.ts'
import { papers } from '#test/builders/documents.ts'
import { library } from '#test/builders/search.ts'
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
    await visits.visitAs('petra', '/documents/424242', async page => {
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
    await visits.visitAs('alan', '/', async page => {
      await page.getByRole('button', { name: 'Alan Example Author Account' }).click()
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
      await visits.visitAs(
        'petra',
        '/',
        async page => {
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

  // proves: SRCH-01, SRCH-03
  it('finds records of all kinds and leads to their pages; finds texts, and shows the piece that answers', async () => {
    const { number } = await cases(world).deviation({ title: 'Autoclave stopped' })
    const body = 'Stoppers are loaded in <b>perforated</b> bags, and two people close the autoclave.'
    const { id } = await library(world).effective({ title: 'Loading' }, [{ page: 1, heading: 'Order', body }])
    await visits.visitAs('quinn', '/', async page => {
      await page.getByRole('heading', { name: 'My work' }).waitFor()
      await page.keyboard.press('Control+k')
      await page.keyboard.type('autoclave')
      const deviation = page.getByRole('menuitem', { name: /Autoclave stopped/ })
      await deviation.getByText(`Deviation · ${number}`).waitFor()
      await page
        .getByRole('menuitem', { name: /^Loading/ })
        .locator('mark')
        .first()
        .waitFor()
      await examine(page, 'palette with all kinds')
      await deviation.click()
      await page.getByRole('heading', { name: /Autoclave stopped/, level: 1 }).waitFor()
      await page.keyboard.press('Control+k')
      await page.keyboard.type('petra')
      await page.getByRole('menuitem', { name: /Petra Example/ }).click()
      await page.getByRole('heading', { name: 'Petra Example', level: 1 }).waitFor()
      await page.keyboard.press('Control+k')
      const palette = page.getByRole('dialog', { name: 'Search and commands' })
      await palette.getByRole('searchbox').fill('autoclave')
      await page.getByRole('menuitem', { name: 'Search the text of documents for “autoclave”' }).click()

      await page.waitForURL(/\/search\?q=autoclave$/)
      const hit = page.getByRole('article').filter({ hasText: 'Loading' })
      await hit.locator('mark', { hasText: /autoclave/i }).waitFor()
      await hit.getByText('<b>perforated</b>').waitFor()
      await examine(page, 'search')
      await page.getByRole('searchbox', { name: 'Words, number or title' }).fill('xyzzy')
      await page.getByText('Nothing was found').waitFor()
      await examine(page, 'search without a hit')
      await page.getByRole('searchbox', { name: 'Words, number or title' }).fill('perforated bags')
      await hit.getByRole('link', { name: 'Loading' }).click()
      await page.waitForURL(new RegExp(`/documents/${id}\\?version=1.0&page=1&mark=`))
    })
  })

  it('keeps views, columns, language and appearance for the next machine', async () => {
    await papers(world).upload({ title: 'Sorting of waste', category: 'Waste' })
    await visits.visitAs('quinn', '/documents', async page => {
      await page.getByRole('rowheader', { name: 'Gowning' }).waitFor()
      await page.getByRole('button', { name: 'Category' }).click()
      await page.getByRole('menuitemcheckbox', { name: /^Waste\s*1 document$/ }).click()
      await examine(page, 'filter with counts')
      await page.keyboard.press('Escape')
      await page.getByRole('rowheader', { name: 'Gowning' }).waitFor({ state: 'detached' })
      // The second column is chosen before the service has kept the first.
      const both = Promise.withResolvers<void>()
      await page.route('**/api/auth/preferences', async route => {
        if (route.request().method() === 'PUT') await both.promise
        await route.continue()
      })
      await page.getByRole('button', { name: 'Columns' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Category' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Updated' }).click()
      both.resolve()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Sort by Category' }).waitFor()
      await page.getByRole('button', { name: 'Sort by Updated' }).waitFor({ state: 'detached' })

      await page.getByRole('button', { name: 'Save view' }).click()
      const dialog = page.getByRole('dialog', { name: 'Save view' })
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('Enter a name.').waitFor()
      await dialog.getByLabel('Name').fill('Waste')
      await examine(page, 'name of a view')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: 'Waste' }).waitFor()
      assert.deepEqual(await page.locator('nav [aria-current=page]').allInnerTexts(), ['Documents', 'Waste'])
      await page.keyboard.press('Control+k')
      await page.getByRole('menuitem', { name: 'Dark appearance' }).click()
      await page.locator(':root[data-theme=dark]').waitFor({ state: 'attached' })
      await page.getByRole('button', { name: 'Quinn Example' }).click()
      await page.getByRole('menuitem', { name: 'Auf Deutsch anzeigen' }).click()
      await page.getByRole('heading', { name: 'Dokumente' }).waitFor()
    })
    await visits.visitAs('quinn', '/documents', async page => {
      await page.getByRole('heading', { name: 'Dokumente' }).waitFor()
      await page.locator(':root[data-theme=dark]').waitFor({ state: 'attached' })
      const view = page.getByRole('navigation', { name: 'Ansichten' }).getByRole('link', { name: 'Waste' })
      await view.click()
      await page.waitForURL(/\?category=Waste$/)
      await page.getByRole('rowheader', { name: 'Sorting of waste' }).waitFor()
      await page.getByRole('button', { name: 'Nach Kategorie sortieren' }).waitFor()
      assert.equal(await page.getByRole('button', { name: 'Nach Geändert sortieren' }).count(), 0)
      await page.getByRole('button', { name: 'Aktionen für die Ansicht „Waste“' }).click()
      await page.getByRole('menuitem', { name: 'Ansicht umbenennen' }).click()
      const dialog = page.getByRole('dialog', { name: 'Ansicht umbenennen' })
      await dialog.getByLabel('Name').fill('Abfall')
      await dialog.getByRole('button', { name: 'Speichern' }).click()
      await page.getByRole('link', { name: 'Abfall' }).waitFor()
      await page.getByRole('button', { name: 'Aktionen für die Ansicht „Abfall“' }).click()
      await page.getByRole('menuitem', { name: 'Ansicht entfernen' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Ansicht entfernen' }).click()
      await page.getByRole('link', { name: 'Abfall' }).waitFor({ state: 'detached' })
    })
    const { views, language } = (await world.as('quinn').get('/api/auth/preferences')).json()
    assert.deepEqual([views, language], [{ documents: [] }, 'de'])
  })
})
