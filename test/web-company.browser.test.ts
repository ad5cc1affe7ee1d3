// The administration of a company in a real browser: settings, the assistant, jobs and e-mails that failed.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { examine, openVisits } from '#test/browser/visits.ts'
import { accepted, draftDocument } from '#test/builders/samples.ts'
import { type Openai, openOpenai } from '#test/fakes/openai.ts'
import { openSmtp, type Smtp } from '#test/fakes/smtp.ts'
import { openWorld, pdf, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

const main = (page: Page) => page.getByRole('main')

describe('the administration of a company in a browser', () => {
  let world: World
  let smtp: Smtp
  let model: Openai
  let visits: Awaited<ReturnType<typeof openVisits>>
  before(async () => {
    await buildWeb()
    smtp = await openSmtp()
    model = await openOpenai()
    world = await openWorld({
      ...model.environment,
      SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
      MAIL_FROM: 'attest@qms.example',
    })
    visits = await openVisits(world)
  })
  after(async () => {
    await visits?.close()
    await world.close()
    await model.close()
    await smtp.close()
  })

  // proves: AUD-01
  it('an Admin changes a setting with a reason, is told whom it touches, and an Auditor reads who it was', async () => {
    await visits.visitAs('ada', '/admin/settings', async page => {
      await main(page).getByRole('heading', { name: 'Settings', level: 1 }).waitFor()
      await examine(page, 'settings')
      await main(page).getByRole('button', { name: 'Change: Days to close a deviation' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Minor (days)').fill('soon')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog
        .getByText(/number/i)
        .first()
        .waitFor()
      await dialog.getByLabel('Minor (days)').fill('20')
      await dialog.getByLabel('Why it is changed').fill('As SOP-0002 says')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await main(page).getByText('Critical: 3 days · Major: 15 days · Minor: 20 days').waitFor()
      await main(page).getByText('Default: Critical: 3 days · Major: 15 days · Minor: 30 days').waitFor()

      const { people } = (await accepted(world.as('ada').get('/api/settings/'))).json()
      // By keyboard alone.
      await main(page).getByRole('button', { name: 'Change: Second factor for every signature' }).press('Enter')
      await dialog.getByRole('radio', { name: 'Yes' }).check({ force: true })
      await dialog.getByText(`${people.without_second_factor} active people have no second factor`).waitFor()
      await examine(page, 'a setting that locks people out')
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
    })
    await visits.visitAs('otto', '/admin/settings', async page => {
      await main(page)
        .getByText(/^Changed by Ada .*: “As SOP-0002 says”$/)
        .waitFor()
      assert.equal(
        await main(page)
          .getByRole('button', { name: /^Change: / })
          .count(),
        0,
      )
      await main(page).getByRole('button', { name: 'Only what differs from the default' }).click()
      await main(page).getByRole('heading', { name: 'Days to close a deviation' }).waitFor()
      assert.equal(await main(page).getByRole('heading', { level: 3 }).count(), 1)
    })
  })

  // proves: TYPE-01, DOC-01, AUD-01
  it('numbers follow the pattern of the type and of the settings, as it is typed; the company gets another name', async () => {
    const fields = [{ key: 'line', label: 'Line', type: 'text' }]
    const sections = [{ key: 'where', title: 'Where it was', fields }]
    await accepted(world.as('quinn').post('/api/deviations/form-templates/', { name: 'Line clearance', sections }))
    await visits.visitAs('quinn', '/admin/document-types', async page => {
      await main(page).getByRole('link', { name: 'Policy', exact: true }).click()
      const pattern = main(page).getByLabel('How numbers are written *')
      await main(page).getByRole('button', { name: 'Add the department' }).press('Enter')
      assert.equal(await pattern.inputValue(), 'POL-{Department}-{0000}')
      await main(page).getByRole('status').getByText('POL-QA-0001').waitFor()
      await pattern.fill('dev-{year}-{000}')
      await main(page).getByRole('button', { name: 'Store' }).click()
      await main(page)
        .getByText('DEV-{year}-{000} can give the same numbers as DEV-{year}-{0000} of other records.', {
          exact: false,
        })
        .first()
        .waitFor()
      await pattern.fill('POL-{department}-{000}')
      await main(page).getByRole('status').getByText('POL-QA-001').waitFor()
      await examine(page, 'a document type and its numbers')
      await main(page).getByRole('button', { name: 'Store' }).click()
      await page.getByRole('alertdialog').getByText('Policy is stored').waitFor()
    })
    await visits.visitAs('alan', '/documents/new', async page => {
      await main(page)
        .locator('input[type=file]')
        .setInputFiles({ name: 'a.pdf', mimeType: 'application/pdf', buffer: pdf() })
      await main(page)
        .getByRole('button', { name: /Type( \*)?$/ })
        .click()
      await page.getByRole('option', { name: /^Policy/ }).click()
      await main(page).getByRole('button', { name: 'Upload', exact: true }).click()
      await main(page).getByText('Enter the code of the department, for example QA.').waitFor()
      await main(page).getByLabel('Department *').fill('prod')
      await main(page).getByRole('button', { name: 'Upload', exact: true }).click()
      await main(page).getByText('POL-PROD-001').first().waitFor()
    })
    await visits.visitAs('ada', '/admin/settings', async page => {
      const dialog = page.getByRole('dialog')
      await main(page).getByRole('button', { name: 'Change: Numbers of deviations and CAPAs' }).click()
      await dialog.getByLabel('Deviations *').fill('ev-{year}-{000}')
      await dialog.getByText(`EV-${new Date().getFullYear()}-001`).waitFor()
      await examine(page, 'patterns of numbers')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await main(page)
        .getByText(/^Deviations: EV-\{Year\}-\{000\} · CAPAs: CAPA-/)
        .waitFor()
      await main(page).getByRole('button', { name: 'Change: Form of a deviation' }).click()
      await dialog.getByRole('button', { name: /Form of a deviation$/ }).click()
      await page.getByRole('option', { name: 'Line clearance' }).click()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await main(page).getByText('Line clearance', { exact: true }).waitFor()
      await main(page).getByRole('button', { name: 'Change: Name of the company' }).click()
      await dialog.getByLabel('Name of the company *').fill('Acme Pharma SE')
      await dialog.getByLabel('Why it is changed *').fill('New legal form')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await main(page).getByText('Acme Pharma SE', { exact: true }).waitFor()
      await page.goto(`${visits.origin}/deviations/new`)
      await main(page).getByRole('textbox', { name: 'Line', exact: true }).waitFor()
    })
  })

  it('where the company asks for a second person, a change of the rule itself is proposed and says so', async () => {
    const granted = ['settings.manage']
    await accepted(world.as('ada').put(`/api/users/${world.people.quinn!.id}/permissions`, { granted, denied: [] }))
    await accepted(world.as('ada').put('/api/settings/', { configuration_needs_approval: true }))
    await visits.visitAs('ada', '/admin/settings', async page => {
      await main(page).getByRole('button', { name: 'Change: Second person for rules' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('radio', { name: 'No' }).check({ force: true })
      await dialog.getByText('One person alone then decides').waitFor()
      await dialog.getByRole('button', { name: 'Save' }).click()
      await main(page)
        .getByText(/is proposed\. Nothing has changed yet\./)
        .waitFor()
      // It stays as it is until they have signed.
      const setting = main(page).getByRole('listitem').filter({ hasText: 'Second person for rules' })
      await setting.getByText('Yes', { exact: true }).waitFor()
    })
  })

  // proves: NOTE-01
  it('an e-mail that the mail server refused is sent again, and another dismissed', async () => {
    smtp.behaviour.recipient = () => [550, 'no such mailbox']
    for (let count = 0; count < 2; count++) {
      const id = await draftDocument(world, 'alan', await world.typeId('SOP'))
      await accepted(world.as('alan').post(`/api/documents/${id}/transition`, { transition: 'submit' }))
    }
    await world.work()
    smtp.behaviour.recipient = undefined
    await visits.visitAs('ada', '/admin/messages', async page => {
      const rows = main(page).getByRole('row').filter({ hasText: 'A document waits for your approval' })
      await rows.first().waitFor()
      const failed = await rows.count()
      assert.ok(failed >= 2)
      assert.match(await rows.first().innerText(), /550 no such mailbox.*Failed/s)
      await examine(page, 'messages that failed')
      const dialog = page.getByRole('dialog')
      await rows
        .first()
        .getByRole('button', { name: /^Send again/ })
        .click()
      await dialog.getByLabel('Reason').fill('The mailbox is there now')
      await dialog.getByRole('button', { name: 'Send again' }).click()
      await dialog.waitFor({ state: 'detached' })
      await world.work()
      assert.equal(smtp.received.length, 1)
      await rows.nth(failed - 1).waitFor({ state: 'detached' })
      await rows
        .first()
        .getByRole('button', { name: /^Dismiss/ })
        .click()
      await dialog.getByRole('button', { name: 'Dismiss' }).click()
      await dialog.waitFor({ state: 'detached' })
      await page.goto(`${visits.origin}/admin/messages?status=dismissed`)
      await main(page).getByRole('cell', { name: 'Dismissed' }).waitFor()
    })
    assert.deepEqual(
      await world.rows(
        `select action, username, reason from audit_entries where action in ('mail.retried', 'mail.dismissed') order by id`,
      ),
      [
        { action: 'mail.retried', username: 'ada', reason: 'The mailbox is there now' },
        { action: 'mail.dismissed', username: 'ada', reason: null },
      ],
    )
  })

  it('a job that failed says why, and is started again', async () => {
    const { tenant_id, id } = world.people.quinn!
    await world.superuser.query(
      `begin; set local session_replication_role = replica;
       insert into background_jobs (tenant_id, kind, input, total, done, status, error, requested_by, requester, finished_at)
       values (${tenant_id}, 'training.cancel_open', '{"program_id": 999999, "reason": "x"}', 40, 10, 'failed',
         'The training is not there.', ${id}, '{"username": "quinn", "role": "QA Manager", "roles": [], "permissions": [], "clientAddr": "192.0.2.7"}', now());
       commit`,
    )
    await visits.visitAs('ada', '/admin/jobs', async page => {
      const row = main(page).getByRole('row', { name: /Cancel open assignments of an archived training/ })
      await row.getByText('The training is not there.').waitFor()
      await row.getByText('10 of 40').waitFor()
      await examine(page, 'a job that failed')
      await row.getByRole('button', { name: /^Start again/ }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText(/It goes on after the last step that was done, in the name of/).waitFor()
      await dialog.getByRole('button', { name: 'Start again' }).click()
      await dialog.waitFor({ state: 'detached' })
      await row.getByText('Waiting').waitFor()
    })
  })

  it('the use of the assistant stands against its limit, which an Admin sets', async () => {
    model.answer('# Gloves\n\nThey are changed every two hours.')
    const draft = { prompt: 'A procedure for changing gloves', document_type: 'SOP' }
    await accepted(world.as('alan').post('/api/ai/generate', draft))
    const { tokens } = (await accepted(world.as('ada').get('/api/ai/usage'))).json()
    assert.ok(tokens > 0)
    await visits.visitAs('ada', '/admin/ai', async page => {
      await main(page).getByText('The assistant is on').waitFor()
      await main(page).getByRole('button', { name: 'Change the settings' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Tokens in a calendar month').fill('many')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('Enter a number.').waitFor()
      await dialog.getByLabel('Tokens in a calendar month').fill('100 000')
      await dialog.getByLabel('Why it is changed').fill('The budget of the year')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.waitFor({ state: 'detached' })
      await main(page)
        .getByText(new RegExp(`^${new Intl.NumberFormat('en-GB').format(tokens)} of 100,000 tokens`))
        .waitFor()
      await main(page).getByRole('heading', { name: 'By person' }).waitFor()
      await examine(page, 'use of the assistant')
    })
  })
})
