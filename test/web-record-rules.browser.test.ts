// A quality manager sets by what rules records are made: the form of a deviation, the text of a document, the kinds of documents.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { dragByFinger, dragByMouse, examine, openVisits } from '#test/browser/visits.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

describe('rules of records in a browser', () => {
  let world: World
  let visits: Awaited<ReturnType<typeof openVisits>>
  before(async () => {
    await buildWeb()
    world = await openWorld()
    visits = await openVisits(world)
  })
  after(async () => {
    await visits?.close()
    await world.close()
  })

  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const announced = (page: Page, text: string | RegExp) => page.getByRole('alertdialog').getByText(text).waitFor()
  const choose = async (page: Page, label: string | RegExp, option: string | RegExp) => {
    await page.getByRole('button', { name: label }).last().click()
    await page.getByRole('option', { name: option }).click()
  }
  const lines = (page: Page) => page.getByRole('grid', { name: 'Sections and fields' }).getByRole('row')
  const namesOf = async (page: Page) =>
    (await lines(page).all()).length === 0
      ? []
      : Promise.all((await lines(page).all()).map(line => line.getAttribute('aria-label')))

  // proves: DEV-02
  it('a form with a condition and a second section is built, moved by keys, tried, stored, and filled in', async () => {
    const question = (page: Page) => page.getByRole('textbox', { name: 'Question or name' })
    await visits.visitAs('quinn', '/admin/forms', async page => {
      await page.getByRole('link', { name: 'Deviation report' }).waitFor()
      await examine(page, 'list of forms')
      await button(page, 'New form').click()
      await page.getByRole('textbox', { name: 'Name of the form' }).fill('Cold chain')
      await button(page, /^Section Section/).click()
      await page.getByRole('textbox', { name: 'Heading', exact: true }).fill('What happened')
      await button(page, /^Without a name/).click()
      await question(page).fill('What was wrong')
      await choose(page, /^.*Kind$/, /^Choice/)
      await page.getByRole('textbox', { name: 'Choice 1' }).fill('Too warm')
      await page.getByRole('textbox', { name: 'Choice 2' }).fill('Too cold')
      await button(page, 'Add a field').click()
      await question(page).fill('How many degrees')
      await choose(page, /When$/, 'What was wrong')
      await choose(page, /is$/, 'Too warm')
      await page.locator('main').getByText('when “What was wrong” is “Too warm”').waitFor()
      await button(page, 'Add a section').click()
      await page.getByRole('textbox', { name: 'Heading', exact: true }).fill('What was done')
      await button(page, 'Add a field').click()
      await question(page).fill('Where the goods are now')
      // Nothing is lost by a reload.
      await page.reload()
      await lines(page).nth(4).waitFor()
      assert.deepEqual(await namesOf(page), [
        ...['What happened', 'What was wrong', 'How many degrees'],
        ...['What was done', 'Where the goods are now'],
      ])

      // By the keys of its handle: before what it depends on, which the service refuses at its place.
      await page.getByRole('textbox', { name: 'What it is for' }).focus()
      for (const key of ['Tab', 'ArrowDown', 'ArrowDown', 'Tab']) await page.keyboard.press(key)
      await page.locator(':focus').and(button(page, 'Move How many degrees')).waitFor()
      await page.keyboard.press('Enter')
      const target = page.locator(':focus').and(button(page, 'Insert between What happened and What was wrong'))
      await page
        .locator(':focus')
        .and(button(page, /^Insert/))
        .waitFor()
      for (let n = 0; n < 6 && (await target.count()) === 0; n++) await page.keyboard.press('ArrowUp')
      await target.waitFor()
      await page.keyboard.press('Enter')
      const later = page.getByText('This field depends on What was wrong, which comes after it.').first()
      await later.waitFor()
      await examine(page, 'builder with a fault')
      assert.deepEqual((await namesOf(page)).slice(0, 3), ['What happened', 'How many degrees', 'What was wrong'])
      // And back by its menu.
      await page.getByRole('button', { name: 'Actions for How many degrees' }).click()
      await page.getByRole('menuitem', { name: 'Move down' }).click()
      await later.waitFor({ state: 'detached' })

      await page.getByRole('tab', { name: 'As people see it' }).click()
      const form = page.getByRole('region', { name: 'As people see it' })
      await form.getByRole('group', { name: 'What was done' }).waitFor()
      assert.equal(await form.getByLabel('How many degrees').count(), 0, 'not before it is asked for')
      await choose(page, /What was wrong$/, 'Too warm')
      await form.getByLabel('How many degrees').waitFor()
      await examine(page, 'form as people see it')
      await page.getByRole('tab', { name: 'Build' }).click()
      await button(page, 'Create the form').click()
      await announced(page, 'Cold chain is created')
      await page.getByRole('heading', { name: 'Cold chain', level: 1 }).waitFor()
    })
    const { items } = ok(await world.as('quinn').get('/api/deviations/form-templates/?q=Cold'))
    const stored = ok(await world.as('quinn').get(`/api/deviations/form-templates/${items[0].id}`))
    assert.deepEqual(
      stored.sections.map(({ title, fields }: Json) => [title, fields.map(({ key }: Json) => key)]),
      [
        ['What happened', ['what_was_wrong', 'how_many_degrees']],
        ['What was done', ['where_the_goods_are_now']],
      ],
    )
    assert.deepEqual(stored.sections[0].fields[1].visible_when, { field: 'what_was_wrong', equals: 'too_warm' })

    await visits.visitAs('uma', '/deviations/new', async page => {
      await page.getByRole('textbox', { name: /^What happened/ }).fill('The cold store alarmed in the night.')
      await page.getByRole('textbox', { name: 'Title' }).fill('Cold store 2 alarmed')
      // As the published rules suggest.
      const suggested = await page.getByText('The rules suggest:').locator('xpath=..').innerText()
      const severity = /Minor|Major|Critical/.exec(suggested)![0]
      await page.getByRole('radio', { name: new RegExp(`^${severity}`) }).check({ force: true })
      await choose(page, /^No form/, /^Cold chain/)
      await page.getByRole('group', { name: 'What was done' }).waitFor()
      assert.equal(await page.getByLabel('How many degrees').count(), 0)
      await choose(page, /What was wrong$/, 'Too warm')
      await page.getByLabel('How many degrees').fill('9')
      await page.getByLabel('Where the goods are now').fill('Cold store 3')
      await button(page, 'Send the report').click()
      await page.getByRole('heading', { name: /Cold store 2 alarmed/, level: 1 }).waitFor()
    })
    const [deviation] = ok(await world.as('quinn').get('/api/deviations/?q=Cold%20store%202')).items
    const { form_data } = ok(await world.as('quinn').get(`/api/deviations/${deviation.id}`))
    assert.deepEqual(form_data, {
      what_was_wrong: 'too_warm',
      how_many_degrees: '9',
      where_the_goods_are_now: 'Cold store 3',
    })
  })

  // proves: DEV-02
  it('a form is put in order by finger, also beyond the edge of the screen, and by mouse', async () => {
    const { items } = ok(await world.as('quinn').get('/api/deviations/form-templates/?q=Deviation%20report'))
    const path = `/api/deviations/form-templates/${items[0].id}`
    const tablet = { viewport: { width: 768, height: 1024 }, hasTouch: true, isMobile: true }
    await visits.visitAs(
      'quinn',
      `/admin/forms/${items[0].id}`,
      async page => {
        await lines(page).first().waitFor()
        const line = (name: string) => lines(page).and(page.getByRole('row', { name, exact: true }))
        const handle = (name: string) => line(name).locator('[slot=drag]')
        const before = await namesOf(page)
        // The page above the list is loaded, so that only the finger moves a line.
        await page.getByText(/^Version 1/).waitFor()
        await handle('Where it happened').tap({ force: true })
        assert.deepEqual(await namesOf(page), before, 'a tap moves nothing')
        await dragByFinger(page, handle('Where it happened'), lines(page).last(), 'lower')
        await lines(page).last().and(line('Where it happened')).waitFor()
        assert.ok((await page.evaluate<number>('scrollY')) > 300, 'the page went along')
        await dragByFinger(page, handle('How else'), line('How it was found'), 'upper')
        await lines(page).nth(2).and(line('How it was found')).waitFor()
        assert.deepEqual((await namesOf(page)).slice(0, 3), ['What happened', 'How else', 'How it was found'])
        await dragByMouse(page, line('How it was found'), line('How else'), 'upper')
        await lines(page).nth(2).and(line('How else')).waitFor()
        assert.deepEqual((await namesOf(page)).slice(0, 3), ['What happened', 'How it was found', 'How else'])
        await page.getByRole('textbox', { name: 'Reason for the change' }).fill('The place is known at the end')
        await button(page, 'Store as version 2').click()
        await announced(page, 'Deviation report is stored')
      },
      tablet,
    )
    const { sections } = ok(await world.as('quinn').get(path))
    assert.equal(sections[0].fields[0].label, 'How it was found')
    assert.equal(sections.at(-1).fields.at(-1).label, 'Where it happened')
  })

  // proves: TMPL-01
  it('a template with a wrong variable is mended, and a document is begun with it', async () => {
    await visits.visitAs('quinn', '/admin/templates', async page => {
      await page.getByRole('link', { name: 'Standard operating procedure' }).waitFor()
      await examine(page, 'list of templates')
      await button(page, 'New template').click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Cleaning order')
      await page.getByRole('combobox', { name: /^Category/ }).fill('Production')
      await choose(page, /Document type$/, 'General document')
      const text = page.getByRole('textbox', { name: /^Text/ })
      await text.fill('# {{title}}\n\nClean {{equipmet}} on {{today}}.\n')
      const fault = page.getByRole('region', { name: 'One place has to be put right' })
      await fault.getByText('Line 3: {{equipmet}} is not declared. Add it to the variables.').waitFor()
      await examine(page, 'template with a fault')
      // The way to the place: it is selected there.
      await fault.getByRole('button', { name: 'Go to line 3' }).click()
      assert.equal(
        await page.evaluate(
          'String(document.activeElement.value.slice(...[document.activeElement.selectionStart, document.activeElement.selectionEnd]))',
        ),
        '{{equipmet}}',
      )
      await page.keyboard.press('Delete')
      await fault.waitFor({ state: 'detached' })
      await button(page, 'Add a variable').click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('What the author is asked for').fill('Equipment')
      assert.equal(await dialog.getByLabel('Name in the text').inputValue(), 'equipment')
      await examine(page, 'variable')
      await dialog.getByRole('button', { name: 'Keep and insert' }).click()
      await dialog.waitFor({ state: 'detached' })
      assert.equal(await text.inputValue(), '# {{title}}\n\nClean {{equipment}} on {{today}}.\n')
      await page.getByRole('region', { name: 'Preview' }).getByText('Clean [Equipment] on').waitFor()
      await button(page, 'Create the template').click()
      await announced(page, 'Cleaning order is created')
      await button(page, 'Begin a document with it').click()
      await page.getByRole('heading', { name: 'Begin from a template', level: 1 }).waitFor()
      await page.getByRole('textbox', { name: 'Title' }).fill('Cleaning of the dryer')
      await page.getByRole('textbox', { name: 'Equipment' }).fill('the dryer FD-03')
      await page.getByRole('button', { name: 'Create the draft' }).click()
      await page.getByRole('heading', { name: /Cleaning of the dryer/, level: 1 }).waitFor()
    })
  })

  // proves: TYPE-01
  it('a document type is made with a shipped workflow, and the next upload gets its number', async () => {
    await visits.visitAs('quinn', '/admin/document-types', async page => {
      await page.getByRole('link', { name: 'SOP', exact: true }).waitFor()
      await examine(page, 'list of document types')
      await button(page, 'New type').click()
      await page.getByRole('textbox', { name: 'Name' }).fill('Logbook')
      await page.getByRole('textbox', { name: 'Prefix' }).fill('log')
      await page.getByText('LOG-0001').waitFor()
      await choose(page, /Workflow$/, /^Standard approval/)
      await page.getByRole('region', { name: 'What happens to a document' }).getByText('It is effective').waitFor()
      await button(page, 'Create the type').click()
      await announced(page, 'Logbook is created')
      await page.getByText('LOG-0001').first().waitFor()
    })
    const { upload, move, approve } = papers(world)
    const { id, number } = await upload({ type: 'Logbook', title: 'Logbook of the dryer' })
    assert.equal(number, 'LOG-0001')
    ok(await move('alan', id, 'submit'))
    ok(await approve('quentin', id))
    await visits.visitAs('quinn', '/admin/document-types?q=Logbook', async page => {
      await page.getByRole('link', { name: 'Logbook' }).click()
      await page.getByText('LOG-0002').first().waitFor()
      await page.getByLabel('Review period, in months').fill('12')
      // The consequence is said before it is stored.
      await page.getByText('One effective document keeps its next review date.').waitFor()
      await page.getByLabel('Reason for the change').fill('As SOP-0001 says')
      await examine(page, 'document type')
      await button(page, 'Store').click()
      await announced(page, 'Logbook is stored')
      await page.getByRole('region', { name: 'Last changes' }).getByText('As SOP-0001 says').waitFor()
    })
  })

  it('who was overtaken is told by whom, and loses nothing', async () => {
    await visits.visitAs('quinn', '/admin/forms', async page => {
      await page.getByRole('link', { name: 'Deviation report' }).click()
      const purpose = page.getByRole('textbox', { name: 'What it is for' })
      await purpose.fill('For all that deviates')
      const { items } = ok(await world.as('ada').get('/api/deviations/form-templates/?q=Deviation%20report'))
      const path = `/api/deviations/form-templates/${items[0].id}`
      ok(await world.as('ada').put(path, { description: 'Of Ada' }))
      await button(page, 'Store').click()
      await page
        .getByRole('alert')
        .getByText(/^Ada Example changed this form after you began/)
        .waitFor()
      assert.equal(await purpose.inputValue(), 'For all that deviates')
      await button(page, 'Keep mine and go on').click()
      await button(page, 'Store').click()
      await announced(page, 'Deviation report is stored')
      assert.equal(ok(await world.as('ada').get(path)).description, 'For all that deviates')
    })
  })

  // proves: FLOW-01
  it('where the company wants a second person, a change is proposed and says so', async () => {
    const set = async (configuration_needs_approval: boolean) => {
      const { revision } = ok(await world.as('ada').get('/api/settings/'))
      ok(await world.as('ada').put('/api/settings/', { configuration_needs_approval, revision, change_reason: 'Test' }))
    }
    await set(true)
    await visits.visitAs('quinn', '/admin/forms', async page => {
      await page.getByRole('link', { name: 'Deviation report' }).click()
      await page.getByRole('textbox', { name: 'What it is for' }).fill('For every deviation')
      await button(page, 'Store').click()
      await page.getByText(/is proposed\. Nothing has changed yet\. It takes effect when/).waitFor()
      await page.reload()
      await page.getByText(/^A change waits for approval by /).waitFor()
      await examine(page, 'form with a pending change')
    })
  })

  it('who may only read is shown the rules, and nothing to change them', async () => {
    await visits.visitAs('otto', '/admin/forms', async page => {
      await page.getByRole('link', { name: 'Deviation report' }).click()
      await page.getByRole('region', { name: 'As people see it' }).getByLabel('Where it happened').waitFor()
      assert.equal(await page.getByRole('tab', { name: 'Build' }).count(), 0)
      await page.goto(`${visits.origin}/admin/templates`)
      await page.getByRole('link', { name: 'Standard operating procedure' }).click()
      await page.getByText('[Process owner]').waitFor()
      assert.equal(await page.getByRole('textbox').count(), 0)
      await page.goto(`${visits.origin}/admin/document-types`)
      await page.getByRole('link', { name: 'SOP', exact: true }).click()
      await page.getByText('GMP two-step approval').first().waitFor()
      assert.equal(await page.getByRole('textbox').count(), 0)
      await examine(page, 'document type for who reads')
    })
  })
})
