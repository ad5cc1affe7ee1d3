// Retention in a real browser: what is past its day is proposed by one person and destroyed by another, and a hold stops it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { examine, logIn, openVisits } from '#test/browser/visits.ts'
import { deviations } from '#test/builders/deviations.ts'
import { ok, papers } from '#test/builders/documents.ts'
import { ageCase, ageDocument } from '#test/builders/retention-samples.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

const tablet = { viewport: { width: 768, height: 1024 }, hasTouch: true, isMobile: true }

describe('retention in a browser', () => {
  let world: World
  let visits: Awaited<ReturnType<typeof openVisits>>
  let documents: { id: number; number: string }[]
  let deviation: { id: number; number: string }
  before(async () => {
    await buildWeb()
    world = await openWorld()
    visits = await openVisits(world)
    const type = await world.typeId('SOP')
    const rule = { retention_years: 5, change_reason: 'By our procedure for records' }
    ok(await world.as('quinn').put(`/api/document-types/${type}`, rule))
    ok(await world.as('ada').put('/api/settings/', { retention_years: { deviation: 7 }, change_reason: 'Procedure' }))
    const paper = papers(world)
    documents = []
    for (const title of [
      'Gowning for the old filling room',
      'Cleaning of the blender PB-01',
      'Sampling of raw materials',
    ]) {
      const { id, number } = await paper.effective({ title })
      ok(await paper.move('quinn', id, 'obsolete', 'No longer made here'))
      await ageDocument(world, id, 6)
      documents.push({ id, number })
    }
    deviation = await deviations(world).report({ title: 'Valve V-12 leaked' })
    const file = { bytes: pdf('valve'), name: 'valve.pdf' }
    ok(await world.as('uma').upload(`/api/deviations/${deviation.id}/attachments`, {}, file))
    const cancelled = { status: 'cancelled', change_reason: 'Condensate, which is expected there', password }
    ok(await deviations(world).put('petra', deviation.id, cancelled))
    await ageCase(world, 'deviation', deviation.id, 8)
  })
  after(async () => {
    await visits?.close()
    await world.close()
  })

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const announced = (page: Page, text: string | RegExp) => page.getByRole('alertdialog').getByText(text).waitFor()

  // proves: TYPE-01, SIG-01
  it('a QA person proposes what is past its day, and another destroys it; a held record stays', async () => {
    await visits.visit('/sign-in', async page => {
      await logIn(page, 'quinn')
      await page.getByRole('heading', { name: 'My work' }).waitFor()
      await page.goto(`${visits.origin}/admin/legal-holds`)
      await page.getByText('There is no legal hold').waitFor()
      await button(page, 'Place a hold').click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Place the hold' }).click()
      await dialog.getByText('Say what is held.').waitFor()
      await dialog.getByRole('combobox', { name: /Record/ }).fill(documents[2]!.number)
      await page.getByRole('option', { name: /Sampling of raw materials/ }).click()
      await dialog.getByLabel(/Reason/).fill('A customer complains about a batch')
      await dialog.getByRole('button', { name: 'Place the hold' }).click()
      await announced(page, /^LH-\d{4}-0001 holds from now on\.$/)
      await page.getByRole('cell', { name: 'Active' }).waitFor()
      assert.equal(await page.getByRole('button', { name: /^Lift/ }).count(), 0, 'another person lifts it')
      await examine(page, 'legal holds')
      await page.goto(`${visits.origin}/admin/document-types`)
      await page.getByRole('link', { name: 'SOP', exact: true }).click()
      assert.equal(await page.getByLabel('Retention period, in years').inputValue(), '5')
    })

    await visits.visit('/sign-in', async page => {
      await logIn(page, 'petra')
      await page.getByRole('heading', { name: 'My work' }).waitFor()
      await page.goto(`${visits.origin}/admin/retention`)
      await page.getByText(/No: legal hold LH-/).waitFor()
      await examine(page, 'what is past its retention day')
      await page.getByText('Deviations: 7 years').waitFor()
      await button(page, /^Kind/).click()
      await page.getByRole('menuitemcheckbox', { name: 'Documents' }).click()
      await page.keyboard.press('Escape')
      await page.getByText('Deviations: 7 years').waitFor({ state: 'detached' })
      await page.goto(`${visits.origin}/admin/retention`)
      await button(page, 'Choose all on this page').click()
      await page.getByText('3 records chosen').waitFor()
      await button(page, 'Propose disposal').click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel(/Reason/).fill('The retention period is over')
      await dialog.getByText(/only the attached files are destroyed/).waitFor()
      await dialog.getByLabel('Your password').fill(password)
      await examine(page, 'proposal of a disposal')
      await dialog.getByRole('button', { name: 'Sign and propose' }).click()
      await announced(page, /^D-\d{4}-0001 waits for another person\.$/)
      await page.goto(`${visits.origin}/admin/disposals/1`)
      await page.getByText('You proposed it, so another person must decide.').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Approve' }).count(), 0)
    })

    await visits.visit(
      '/sign-in',
      async page => {
        await logIn(page, 'quinn')
        await page
          .getByRole('link', { name: /D-\d{4}-0001/ })
          .first()
          .click()
        await page.getByRole('heading', { name: 'Your decision' }).waitFor()
        await page.getByText(/destroys 2 versions and the attached files of 1 deviation or CAPA for ever/).waitFor()
        await button(page, 'Approve').click()
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel(/Reason of the decision/).fill('I have checked the list')
        await dialog.getByLabel('Your password').fill(password)
        await dialog.getByRole('button', { name: 'Sign and destroy' }).click()
        await announced(page, /is approved and is being carried out\.$/)
        await world.work()
        await page.reload()
        await page
          .getByText(/^Disposed of on/)
          .first()
          .waitFor()
        await page.getByText(/^Files disposed of on .*; the record stays$/).waitFor()
        await examine(page, 'record of a disposal')
      },
      tablet,
    )
  })

  it('the document says that it was disposed of, also to who may not read the disposal, and German is whole', async () => {
    const { id } = documents[0]!
    await visits.visit('/sign-in', async page => {
      await logIn(page, 'petra')
      await page.getByRole('heading', { name: 'My work' }).waitFor()
      await page.goto(`${visits.origin}/documents/${id}`)
      await page.getByRole('heading', { name: 'This file was disposed of' }).waitFor()
      assert.ok((await page.getByRole('link', { name: /record of disposal D-/ }).count()) > 0)
      await page.getByText('5 years').waitFor()
      await page.goto(`${visits.origin}/documents?q=Gowning`)
      await page.getByText(/^Disposed of on/).waitFor()
      await page.goto(`${visits.origin}/deviations/${deviation.id}`)
      await page.getByText('(1 attached file)').waitFor()
      assert.equal(await page.getByRole('link', { name: 'valve.pdf' }).count(), 0)
    })
    await visits.visit(
      '/sign-in',
      async page => {
        await page.getByLabel(/Benutzername/).fill('ada')
        await page.getByLabel('Passwort').fill(password)
        await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
        await page.getByRole('heading', { name: 'Meine Arbeit' }).waitFor()
        await page.goto(`${visits.origin}/admin/settings`)
        await page.getByText('Abweichungen: 7 Jahre · CAPAs: auf Dauer').waitFor()
        await page.getByRole('button', { name: /^Ändern: Aufbewahrung angehängter/ }).click()
        const change = page.getByRole('dialog')
        await change.getByLabel('CAPAs (Jahre)').fill('10')
        await change.getByText(/Nichts wird vernichtet, bevor zwei Personen/).waitFor()
        await change.getByRole('button', { name: 'Speichern' }).click()
        await change.getByText(/^Geben Sie einen Grund an: Mit einer kürzeren/).waitFor()
        await change.getByLabel(/^(Grund|Begründung)/).fill('Verfahren für Aufzeichnungen')
        await change.getByRole('button', { name: 'Speichern' }).click()
        await page.getByText('Abweichungen: 7 Jahre · CAPAs: 10 Jahre').waitFor()
        await page.goto(`${visits.origin}/admin/disposals`)
        await page.getByRole('cell', { name: 'Ausgeführt' }).waitFor()
        await page.goto(`${visits.origin}/admin/retention`)
        await page.getByText(/Nein: Löschsperre LH-/).waitFor()
        await examine(page, 'what is past its retention day, on a telephone in German')
        await page.goto(`${visits.origin}/admin/legal-holds`)
        await page.getByRole('button', { name: /aufheben$/ }).press('Enter')
        const dialog = page.getByRole('dialog')
        await dialog.getByLabel(/Begründung/).fill('Die Beschwerde ist erledigt')
        await dialog.getByLabel('Ihr Passwort').fill(password)
        await dialog.getByRole('button', { name: 'Unterschreiben und aufheben' }).click()
        await announced(page, /ist aufgehoben\.$/)
        await page.getByText('Die Beschwerde ist erledigt').waitFor()
      },
      { locale: 'de-DE', viewport: { width: 360, height: 780 }, hasTouch: true, isMobile: true, colorScheme: 'dark' },
    )
  })
})
