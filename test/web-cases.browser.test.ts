// Deviations and CAPAs in a real browser: report at the line, investigate, correct, close.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import {
  addAuthenticator,
  dragByFinger,
  examine,
  fillDay,
  fits,
  freePort,
  logIn,
  openVisits,
} from '#test/browser/visits.ts'
import { capas } from '#test/builders/capas.ts'
import { deviations, rootCause } from '#test/builders/deviations.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

/** A picture of one pixel. */
const photo = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)
const tablet = { viewport: { width: 768, height: 1024 }, hasTouch: true, isMobile: true }

describe('deviations and CAPAs in a browser', () => {
  let world: World
  let visits: Awaited<ReturnType<typeof openVisits>>
  before(async () => {
    await buildWeb()
    // Passkeys know no other address.
    const publicUrl = `http://localhost:${await freePort()}`
    world = await openWorld({ PUBLIC_URL: publicUrl })
    visits = await openVisits(world, { publicUrl })
  })
  after(async () => {
    await visits?.close()
    await world.close()
  })

  const announced = (page: Page, text: string | RegExp) => page.getByRole('alertdialog').getByText(text).waitFor()
  const choosePerson = async (page: Page, label: string, name: string) => {
    await page.getByRole('combobox', { name: label }).fill(name)
    await page.getByRole('option', { name: new RegExp(name) }).click()
  }
  const edit = (page: Page, part: string) => page.getByRole('button', { name: `Edit: ${part}` }).click()
  const save = async (page: Page, reason?: string) => {
    if (reason) await page.getByRole('textbox', { name: 'Reason for the change' }).fill(reason)
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' })
  }
  let reported: number
  let capa: number
  let beforeReopening: string

  // proves: DEV-01, DEV-02, DEV-03
  it('somebody reports on a tablet beside the line, while the network fails', async () => {
    await deviations(world).report({ title: 'Label roll of another product at line 3' })
    const where = { key: 'found', label: 'Where was it found?', type: 'select', required: true }
    const options = ['line', 'store'].map(value => ({ value, label: `In the ${value}` }))
    const line = { key: 'line', label: 'Which line?', type: 'text', visible_when: { field: 'found', equals: 'line' } }
    const sections = [
      {
        key: 'place',
        title: 'The place',
        fields: [
          { ...where, options },
          { ...line, required: true },
        ],
      },
    ]
    const form = await world.as('quinn').post('/api/deviations/form-templates/', { name: 'Packaging form', sections })
    assert.equal(form.statusCode, 201, form.body)
    await visits.visit(
      '/deviations/new',
      async page => {
        page.on(
          'filechooser',
          chooser => void chooser.setFiles({ name: 'label.png', mimeType: 'image/png', buffer: photo }),
        )
        await logIn(page, 'uma')
        const what = page.getByRole('textbox', { name: 'What happened?' })
        const send = page.getByRole('button', { name: 'Send the report' })
        await send.click()
        await page.getByText('Enter what happened.', { exact: true }).waitFor()
        assert.equal(await page.locator('textarea:focus').count(), 1, 'what is missing has the focus')
        await what.fill('A label roll of another product was found at packaging line 3. The line was stopped.')
        const similar = page.getByRole('region', { name: 'Is it one of these?' })
        await similar.getByRole('link', { name: /Label roll of another product at line 3/ }).waitFor()
        const title = page.getByRole('textbox', { name: 'Title' })
        assert.equal(await title.inputValue(), 'A label roll of another product was found at packaging line 3')
        const suggested = await page.getByText('The rules suggest:').locator('xpath=..').innerText()
        assert.match(suggested, /Minor|Major|Critical/)
        await page.getByRole('combobox', { name: /^Where/ }).fill('Packaging')
        await page.getByRole('button', { name: 'Add what is affected' }).click()
        await page.getByRole('combobox', { name: 'Number or name' }).fill('LP-310-0008')
        await page.getByRole('button', { name: 'Take a photo' }).click()
        await page.getByRole('button', { name: 'Remove label.png' }).waitFor()
        await examine(page, 'report on a tablet')

        // What was noticed two days ago is late, and says why.
        const noticed = page.getByLabel('When was it noticed?')
        const before = await noticed.inputValue()
        await noticed.fill(new Date(Date.now() - 48 * 3_600_000).toISOString().slice(0, 16))
        await page.getByRole('textbox', { name: /more than 24 hours later/ }).waitFor()
        await noticed.fill(before)

        const other = suggested.includes('Major') ? 'Critical' : 'Major'
        await page.getByRole('radio', { name: new RegExp(`^${other}`) }).check({ force: true })
        await page.getByRole('textbox', { name: /^Why not “/ }).fill('Two products could have been mixed up')

        await page.getByRole('button', { name: /^No form/ }).click()
        await page.getByRole('option', { name: 'Packaging form' }).click()
        await page.getByRole('button', { name: /Where was it found/ }).click()
        await page.getByRole('option', { name: 'In the line' }).click()
        await page.getByRole('textbox', { name: 'Which line?' }).fill('Line 3')

        await page.reload()
        assert.equal(await title.inputValue(), 'A label roll of another product was found at packaging line 3')
        await page.getByRole('button', { name: 'Remove label.png' }).waitFor()
        await page.getByText('The rules suggest:').waitFor()

        await page.getByRole('button', { name: 'Discard' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Go on writing' }).click()
        await page.context().setOffline(true)
        await send.click()
        await page.getByText('No connection. Your report is not sent yet.').waitFor()
        await examine(page, 'report that waits')
        await page.getByRole('button', { name: 'Go on writing' }).click()
        await page.getByRole('textbox', { name: 'What was done at once?' }).fill('Line stopped, roll locked away')
        await page.getByText('The rules suggest:').waitFor()
        await send.click()
        await page.getByText('No connection. Your report is not sent yet.').waitFor()

        // The report arrives, and its answer does not. It is asked for again after a reload, and stored once.
        let posted = 0
        await page.route('**/api/deviations/', async route => {
          if (route.request().method() !== 'POST') return route.continue()
          posted++
          if (posted > 1) return route.continue()
          await route.fetch()
          return route.abort()
        })
        // Told twice at once, it is sent once.
        await page.evaluate(`addEventListener('online', () => dispatchEvent(new Event('online')), { once: true })`)
        await page.context().setOffline(false)
        await page.getByText('No answer came, so it may have arrived already.', { exact: false }).waitFor()
        await page.reload()
        await page.waitForURL(/\/deviations\/\d+$/)
        assert.equal(posted, 2)
        reported = Number(page.url().split('/').at(-1))
        await page.getByRole('heading', { name: /A label roll of another product/, level: 1 }).waitFor()
        await page.getByRole('link', { name: 'label.png' }).waitFor()
        await examine(page, 'deviation on a tablet')
        assert.equal(await page.evaluate('JSON.stringify(sessionStorage).includes("label roll")'), false)
      },
      tablet,
    )
    const { items } = (await world.as('petra').get('/api/deviations/?q=label+roll')).json()
    assert.equal(items.length, 2, 'one that was there, and one report')
    const { items: files } = (await world.as('petra').get(`/api/deviations/${reported}/attachments`)).json()
    assert.equal(files.length, 1)
    const { severity_decision, affected_items, immediate_action, form_data } = await deviations(world).get(
      'petra',
      reported,
    )
    assert.equal(severity_decision, 'overridden')
    assert.deepEqual(form_data, { found: 'line', line: 'Line 3' })
    assert.deepEqual(affected_items, [{ kind: 'batch', identifier: 'LP-310-0008' }])
    assert.equal(immediate_action, 'Line stopped, roll locked away')
  })

  it('the quality unit finds it, takes it up and investigates it', async () => {
    await visits.visitAs('petra', '/deviations', async page => {
      await page.getByRole('link', { name: 'Open by severity' }).click()
      await page.getByRole('button', { name: 'Severity', exact: true }).waitFor()
      await examine(page, 'list of deviations')
      await page.getByRole('link', { name: /A label roll of another product/ }).click()
      const missing = page.getByRole('region', { name: 'Until it can be closed' })
      for (const each of ['Assign it to someone', 'Enter the root cause', 'Enter the impact assessment'])
        await missing.getByText(each).waitFor()

      await page.getByRole('button', { name: 'Assign', exact: true }).click()
      await choosePerson(page, 'Assigned to', 'Petra')
      await page.getByRole('dialog').getByRole('button', { name: 'Assign', exact: true }).click()
      await announced(page, /is assigned to Petra Example/)
      await missing.getByRole('button', { name: 'Begin the investigation' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Begin the investigation' }).click()
      await announced(page, /Under investigation/)

      // Somebody else changes it meanwhile: nothing is lost, and what it says now is beside it.
      await edit(page, 'Impact assessment')
      const impact = page.getByRole('textbox', { name: 'Impact assessment' })
      await impact.fill('No packed unit bears a wrong label')
      const { put } = deviations(world)
      const changed = await put('quinn', reported, { impact_assessment: 'Being checked', change_reason: 'First note' })
      assert.equal(changed.statusCode, 200, changed.body)
      await page.getByRole('textbox', { name: 'Reason for the change' }).fill('Reconciled')
      await page.getByRole('button', { name: 'Save', exact: true }).click()
      await page
        .getByRole('alert')
        .getByText(/^Quinn Example changed this record at/)
        .waitFor()
      await page.getByText('Being checked').waitFor()
      assert.equal(await impact.inputValue(), 'No packed unit bears a wrong label')
      await examine(page, 'part with a conflict')
      await page.getByRole('button', { name: 'Save anyway' }).click()
      await announced(page, /Impact assessment saved/)

      await edit(page, 'Root cause')
      await page.getByRole('radio', { name: /^Five whys/ }).check({ force: true })
      for (const [index, { why, because }] of rootCause.steps.entries()) {
        if (index > 0) await page.getByRole('button', { name: 'Ask why again' }).click()
        await page.getByRole('textbox', { name: `Why ${index + 1}` }).fill(why)
        await page.getByRole('textbox', { name: 'Because' }).nth(index).fill(because)
      }
      await page.getByRole('button', { name: /Category of the cause/ }).click()
      await page.getByRole('option', { name: 'Equipment failure' }).click()
      await page.getByRole('textbox', { name: 'Root cause in one sentence' }).fill(rootCause.summary)
      await examine(page, 'five whys')
      await page.reload()
      assert.equal(await page.getByRole('textbox', { name: 'Why 2' }).inputValue(), rootCause.steps[1]!.why)
      await save(page, 'Analysed')
      await page.getByText(rootCause.steps[1]!.because).waitFor()

      await page.getByRole('button', { name: 'Link', exact: true }).click()
      await page.getByRole('combobox', { name: 'Record' }).fill('Label roll of another')
      await page.getByRole('option', { name: /Label roll of another product at line 3/ }).click()
      await page.getByRole('button', { name: /Relation/ }).click()
      await page.getByRole('option', { name: 'It is a recurrence of this one' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Link', exact: true }).click()
      await announced(page, /^Linked to DEV-/)
      await page.getByRole('main').getByText('Recurrence', { exact: true }).waitFor()

      await page.getByRole('button', { name: 'Extend' }).click()
      await fillDay(page, 'New due date', '2099-01-31')
      await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('The supplier has to answer')
      await page.getByRole('dialog').getByRole('button', { name: 'Extend' }).click()
      await announced(page, 'Extension requested')
      await page.getByRole('button', { name: 'Approve the extension' }).waitFor()

      await page.getByRole('tab', { name: 'Comments' }).click()
      await page.getByRole('textbox', { name: 'Comment' }).fill('The supplier was asked')
      await page.getByRole('button', { name: 'Add comment' }).click()
      await page.getByRole('listitem').getByText('The supplier was asked').waitFor()
      await page.getByRole('tab', { name: 'Timeline' }).click()
      await page.getByText('changed root cause').waitFor()
      await examine(page, 'timeline of a deviation')
    })
  })

  // proves: DEV-01
  it('another person decides the extension, closes it with a signature, and reopens it', async () => {
    await visits.visitAs('quentin', `/deviations/${reported}`, async page => {
      await page.getByRole('button', { name: 'Approve the extension' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Approve the extension' }).click()
      await announced(page, /is now due on 31 Jan 2099/)
      const { put } = deviations(world)
      const submitted = await put('petra', reported, {
        status: 'pending_approval',
        no_capa_reason: 'The line clearance was changed at once',
        change_reason: 'Investigated',
      })
      assert.equal(submitted.statusCode, 200, submitted.body)
      await page.reload()
      await page.getByRole('button', { name: 'Close', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('I have reviewed this deviation', { exact: false }).waitFor()
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('Complete and plausible')
      await dialog.getByLabel('Password').fill(password)
      await dialog.getByRole('button', { name: 'Sign and close' }).click()
      await announced(page, /Closed/)
      await page.getByText('It is read-only unless it is reopened.').waitFor()
      assert.equal(await page.getByRole('button', { name: /^Edit: / }).count(), 0)
      await page.getByRole('tab', { name: 'History' }).click()
      await page.getByText('· signed').waitFor()
    })
    beforeReopening = new Date().toISOString()
    await visits.visitAs('quinn', `/deviations/${reported}`, async page => {
      await page.getByRole('button', { name: 'Reopen' }).click()
      await page.getByRole('dialog').getByRole('textbox', { name: 'Reason for the change' }).fill('It came again')
      await page.getByRole('dialog').getByRole('button', { name: 'Reopen' }).click()
      await announced(page, /Under investigation/)
    })
  })

  // proves: CAPA-01, CAPA-02, CAPA-03, CAPA-05, DEV-04
  it('a CAPA is raised from it, approved as a draft, planned, and its actions are ordered', async () => {
    await visits.visitAs('alan', `/deviations/${reported}`, async page => {
      await page.getByRole('button', { name: 'Raise a CAPA' }).click()
      await page.getByRole('heading', { name: 'Write a CAPA' }).waitFor()
      assert.match(await page.getByRole('textbox', { name: 'Title' }).inputValue(), /^A label roll/)
      await page.getByRole('textbox', { name: 'Title' }).fill('Line clearance looks behind the labeller')
      await choosePerson(page, 'Assigned to', 'Alan')
      await examine(page, 'form of a CAPA')
      await page.getByRole('button', { name: 'Create the CAPA' }).click()
      await page.waitForURL(/\/capa\/\d+$/)
      capa = Number(page.url().split('/').at(-1))
      await page
        .getByRole('region', { name: 'Links' })
        .getByRole('link', { name: /A label roll/ })
        .waitFor()
      for (const [what, who] of [
        ['Add the labeller to the check-list', 'Anna'],
        ['Train the line', 'Alan'],
      ] as const) {
        await page.getByRole('button', { name: 'Add an action' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('textbox', { name: 'What is to be done?' }).fill(what)
        await choosePerson(page, 'Assigned to', who)
        await dialog.getByRole('button', { name: 'Add an action' }).click()
        await page.getByRole('row', { name: what }).waitFor()
      }
      // A dialog gives the focus back once it is gone.
      await page.getByRole('button', { name: 'Add an action' }).and(page.locator(':focus')).waitFor()
      const unsaved = page.getByText('The order is changed, and not saved yet.')
      const action = (name: string) => page.getByRole('row', { name })
      await dragByFinger(page, action('Train the line').locator('[slot=drag]'), action('Add the labeller'), 'upper')
      await unsaved.waitFor()
      await dragByFinger(page, action('Train the line').locator('[slot=drag]'), action('Add the labeller'), 'lower')
      await unsaved.waitFor({ state: 'detached' })
      // By keys alone.
      await page.getByRole('row', { name: 'Add the labeller' }).focus()
      for (const key of ['ArrowDown', 'ArrowRight', 'Enter']) await page.keyboard.press(key)
      await page
        .getByRole('button', { name: /^Insert/ })
        .and(page.locator(':focus'))
        .waitFor()
      for (const key of ['ArrowUp', 'ArrowUp', 'Enter']) await page.keyboard.press(key)
      await unsaved.waitFor()
      await page.getByRole('button', { name: 'Save the order' }).click()
      await announced(page, 'Order saved')
      const rows = page.getByRole('grid').getByRole('row')
      assert.match(await rows.first().innerText(), /Train the line/)
      await examine(page, 'draft of a CAPA')
    })
    await visits.visitAs('petra', `/capa/${capa}`, async page => {
      await page.getByRole('button', { name: 'Approve the draft' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Approve the draft' }).click()
      await announced(page, /Open/)
    })
  })

  // proves: CAPA-04
  it('its actions are ticked off with evidence, reviewed by criteria, and it is closed with a signature', async () => {
    const { put, get } = capas(world)
    await visits.visitAs('alan', `/capa/${capa}`, async page => {
      await edit(page, 'Root cause')
      await page.getByRole('textbox', { name: 'Root cause' }).fill('The check-list ends before the labeller')
      await save(page, 'Analysed')
      await page.getByText('The check-list ends before the labeller').waitFor()
      await page.getByRole('button', { name: 'Begin the actions' }).click()
      await page.getByRole('dialog').getByRole('textbox', { name: 'Reason' }).fill('The cause is known')
      await page.getByRole('dialog').getByRole('button', { name: 'Begin the actions' }).click()
      await announced(page, /In progress/)
    })
    await visits.visitAs('petra', `/capa/${capa}`, async page => {
      await page.getByRole('button', { name: 'Plan a review' }).click()
      const dialog = page.getByRole('dialog', { name: 'Plan a review' })
      await dialog.getByRole('button', { name: 'Plan a review' }).click()
      await dialog.getByText('Enter the criteria.').waitFor()
      await dialog.getByRole('textbox', { name: 'Criteria' }).fill('No deviation of this cause in three months')
      await dialog.getByRole('button', { name: /Method/ }).click()
      await page.getByRole('option', { name: 'Trend' }).click()
      await fillDay(dialog, 'Review due', '2199-01-31')
      await choosePerson(page, 'Reviewer', 'Quentin')
      await examine(page, 'plan of an effectiveness review')
      await dialog.getByRole('button', { name: 'Plan a review' }).click()
      await announced(page, 'Effectiveness review planned')
      await page.getByText('No deviation of this cause in three months').waitFor()
    })
    await visits.visit(
      `/capa/${capa}`,
      async page => {
        page.on(
          'filechooser',
          chooser => void chooser.setFiles({ name: 'check-list.png', mimeType: 'image/png', buffer: photo }),
        )
        await logIn(page, 'anna')
        await page.getByRole('button', { name: 'Complete: Add the labeller to the check-list' }).click()
        const dialog = page.getByRole('dialog')
        await dialog.getByRole('button', { name: 'Complete', exact: true }).click()
        await dialog.getByText('Enter the evidence, or choose a file.').waitFor()
        await dialog.getByRole('button', { name: 'Choose a file' }).click()
        await dialog.getByText('check-list.png').waitFor()
        await examine(page, 'evidence of an action')
        await dialog.getByRole('button', { name: 'Complete', exact: true }).click()
        await announced(page, 'Action completed')
        await page.getByRole('row').getByRole('link', { name: 'check-list.png' }).waitFor()
      },
      tablet,
    )
    const { actions } = await get('alan', capa)
    const open = actions.find(({ status }: { status: string }) => status === 'open')
    const change = { status: 'done', evidence: 'Attendance list', change_reason: 'Trained', revision: open.revision }
    assert.equal((await world.as('alan').put(`/api/capa/${capa}/actions/${open.id}`, change)).statusCode, 200)
    await put('alan', capa, { adverse_effect_assessment: 'None' })
    const verified = await put('petra', capa, { status: 'pending_effectiveness' })
    assert.equal(verified.statusCode, 200, verified.body)

    await visits.visitAs('quentin', `/capa/${capa}`, async page => {
      await page.getByText('No deviation of this cause in three months').waitFor()
      await page.getByRole('button', { name: 'Record the result' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('radio', { name: 'Effective', exact: true }).check({ force: true })
      await dialog.getByText('I have judged this CAPA by its criteria, and found it effective.').waitFor()
      await dialog.getByRole('textbox', { name: 'Conclusion' }).fill('None in forty batches')
      await dialog.getByRole('textbox', { name: /^Why before/ }).fill('Forty batches were made sooner')
      await dialog.getByLabel('Password').fill(password)
      await examine(page, 'result of an effectiveness review')
      await dialog.getByRole('button', { name: 'Sign the result' }).click()
      await announced(page, 'Result recorded')
    })
    const beforeClosure = new Date().toISOString()
    await visits.visit('/account', async page => {
      await addAuthenticator(page)
      await logIn(page, 'quinn')
      await page.getByRole('button', { name: 'Add a passkey' }).click()
      await page.getByRole('dialog').getByLabel('Name').fill('Tablet')
      await page.getByRole('dialog').getByRole('button', { name: 'Add a passkey' }).click()
      await page.getByRole('region', { name: 'Passkeys' }).getByText('Tablet').waitFor()
      await page.goto(`${visits.origin}/capa?status=pending_effectiveness`)
      await page.getByRole('link', { name: 'Line clearance looks behind the labeller' }).waitFor()
      await examine(page, 'list of CAPAs')
      await page.getByRole('link', { name: 'Line clearance looks behind the labeller' }).click()
      await page.getByRole('button', { name: 'Close', exact: true }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox', { name: 'Reason' }).fill('Effective')
      await dialog.getByRole('button', { name: 'Sign with a passkey' }).click()
      await announced(page, /Closed/)
      await page.getByText('It was found effective and is read-only.').waitFor()
    })
    const { items } = (await world.as('quinn').get(`/api/signatures/?resource_type=capa&resource_id=${capa}`)).json()
    const { method, signer } = items.at(-1)
    assert.deepEqual([method, signer.username], ['passkey', 'quinn'])

    // As the inspector sees what it was before: nothing can be pressed.
    await visits.visitAs('otto', `/capa/${capa}?as_of=${beforeClosure}`, async page => {
      await page
        .getByRole('note')
        .getByText(/^As it was on /)
        .waitFor()
      await page.getByText('The check-list ends before the labeller').waitFor()
      await page.getByText('Effectiveness check', { exact: true }).first().waitFor()
      await page
        .getByRole('region', { name: 'Links' })
        .getByRole('link', { name: /A label roll/ })
        .waitFor()
      assert.equal(await page.getByRole('main').getByRole('tab').count(), 0)
      assert.equal(await page.getByRole('main').getByRole('button').count(), 0)
      await examine(page, 'CAPA as it was')
      await page.getByRole('link', { name: 'Back to today' }).click()
      await page.getByText('It was found effective and is read-only.').waitFor()
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Show as it was on a day' }).waitFor()

      await page.goto(`${visits.origin}/deviations/${reported}?as_of=${beforeReopening}`)
      await page.getByRole('note').getByText('Rebuilt from the audit trail', { exact: false }).waitFor()
      await page.getByText('Closed', { exact: true }).first().waitFor()
      await page.getByText('label.png').waitFor()
      assert.equal(await page.getByRole('main').getByRole('button').count(), 0)
      await examine(page, 'deviation as it was')
    })
  })

  it('fits into a telephone in German', async () => {
    const narrow = { viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true, locale: 'de-DE' }
    await visits.visit(
      '/deviations',
      async page => {
        await page.getByLabel('Benutzername oder E-Mail').fill('petra')
        await page.getByLabel('Passwort').fill(password)
        await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
        await page.getByRole('navigation').first().waitFor()
        for (const [path, text] of [
          ['/deviations', 'Abweichungen'],
          ['/deviations/new', 'Abweichung melden'],
          [`/deviations/${reported}`, 'Bis zum Abschluss'],
          [`/deviations/${reported}?tab=timeline`, 'hat ihn angelegt'],
          ['/capa', 'CAPA'],
          ['/capa/new', 'CAPA schreiben'],
          [`/capa/${capa}`, 'Wirksamkeitsprüfungen'],
        ] as const) {
          await page.goto(visits.origin + path)
          await page.getByText(text).first().waitFor()
          await fits(page, path)
        }
      },
      narrow,
    )
  })
})
