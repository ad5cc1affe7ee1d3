// The audit trail, signatures, access reviews and metrics in a real browser: what inspectors, quality managers and administrators do.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { examine, fillDay, fits, logIn, openVisits } from '#test/browser/visits.ts'
import { deviations } from '#test/builders/deviations.ts'
import { behindTheApi, type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

const main = (page: Page) => page.getByRole('main')

describe('evidence and metrics in a browser', () => {
  let world: World
  let visits: Awaited<ReturnType<typeof openVisits>>
  let gowning: { id: number; number: string }
  let open: { id: number; number: string }
  before(async () => {
    await buildWeb()
    world = await openWorld()
    visits = await openVisits(world)
    gowning = await papers(world).effective({ title: 'Gowning' })
    open = await deviations(world).report({ title: 'Valve V-12 leaked' })
    await deviations(world).inState('closed', { title: 'Scale S-3 drifted' })
    await world.seal()
  })
  after(async () => {
    await visits?.close()
    await world.close()
  })

  const entries = async (query: string) => ok(await world.as('otto').get(`/api/audit/?${query}`)) as Json

  // proves: AUD-02
  it('an auditor narrows the trail, reads from what to what, and has the proof computed', async () => {
    await visits.visitAs('otto', '/audit', async page => {
      await main(page).getByRole('heading', { name: 'Audit trail', level: 1 }).waitFor()
      await page.getByRole('button', { name: 'Action' }).click()
      await page.getByRole('searchbox', { name: 'Find an action' }).fill('document uploaded')
      await page.getByRole('menuitemcheckbox', { name: 'A document was uploaded', exact: true }).click()
      await page.mouse.click(640, 20)
      await page.getByRole('menu').waitFor({ state: 'detached' })
      await page.waitForURL(/action=document\.created/)
      // The list before has the line too, and takes it away again.
      const { total: uploads } = await entries('action=document.created')
      await main(page).getByText(`1–${uploads} of ${uploads}`).waitFor()
      const line = main(page).getByRole('button', {
        name: new RegExp(`Alan Example.*A document was uploaded.*${gowning.number}`),
      })
      // By keyboard alone.
      await line.press('Enter')
      const changes = main(page).getByRole('table', { name: 'What changed' })
      const title = changes
        .getByRole('row')
        .filter({ has: page.getByRole('rowheader', { name: 'title', exact: true }) })
      await title.getByRole('cell', { name: 'Gowning' }).waitFor()
      await title.getByRole('cell', { name: 'empty' }).waitFor()
      const [entry] = (await entries(`action=document.created&resource_id=${gowning.id}`)).items
      await main(page).getByText(entry.request_id).waitFor()
      await main(page).getByRole('button', { name: 'Show the proof' }).click()
      const proof = main(page).getByRole('region', { name: 'Proof of this entry' })
      await proof.getByText(/^This browser computed the root from the entry and the/).waitFor()
      await proof.getByText('The signature of the checkpoint was not examined here.').waitFor()
      await examine(page, 'entry with its proof')

      await main(page).getByRole('button', { name: 'All entries of this record' }).click()
      await page.waitForURL(new RegExp(`/audit\\?record=document&id=${gowning.id}$`))
      const { total } = await entries(`resource_type=document&resource_id=${gowning.id}`)
      await main(page).getByText(`1–${total} of ${total}`).waitFor()
      await main(page)
        .getByRole('button', { name: `Only ${gowning.number}` })
        .click()
      await page.waitForURL(/\/audit$/)

      await page.goto(`${visits.origin}/audit?from=2020-01-01&to=2020-01-02`)
      await main(page)
        .getByRole('heading', { name: 'No document matches' })
        .or(main(page).getByText('Use fewer filters, or another word.'))
        .first()
        .waitFor()
      await main(page).getByRole('button', { name: 'Clear filters' }).last().click()
      await main(page)
        .getByRole('button', { name: /Example/ })
        .first()
        .waitFor()
      const exported = page.waitForEvent('download')
      await main(page).getByRole('button', { name: 'Export' }).click()
      await page.getByRole('menuitem', { name: 'As CSV' }).click()
      const csv = readFileSync(await (await exported).path(), 'utf8')
      assert.match(csv, /document\.created/)
    })
  })

  // proves: AUD-04
  it('a verification says how much it compared, and names what was altered past the service', async () => {
    await visits.visitAs('otto', '/audit', async page => {
      await main(page).getByText('You have not verified the audit trail since you opened these pages.').waitFor()
      await world.seal()
      await main(page).getByRole('button', { name: 'Verify now' }).click()
      const said = await main(page)
        .getByText(/^Verified: /)
        .textContent()
      const { checked } = ok(await world.as('otto').get('/api/audit/verify'))
      assert.equal(said!.split(',')[0], `Verified: ${checked.entries} entries`)

      const kept = ok(await world.as('otto').get('/api/audit/checkpoint'))
      await page.getByRole('button', { name: 'More about the verification' }).click()
      await page.getByRole('menuitem', { name: 'Verify with a checkpoint that you kept' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('textbox', { name: 'Checkpoint' }).fill('no checkpoint')
      await dialog.getByRole('button', { name: 'Verify now' }).click()
      await dialog.getByText('Paste the whole note.').waitFor()
      await dialog.getByRole('textbox', { name: 'Checkpoint' }).fill(kept.note)
      await dialog.getByRole('button', { name: 'Verify now' }).click()
      await dialog.waitFor({ state: 'detached' })
      await main(page).getByText('It continues the checkpoint that you gave.').waitFor()

      const [entry] = (await entries(`action=document.created&resource_id=${gowning.id}`)).items
      const rename = (name: string) =>
        behindTheApi(world, 'audit_entries', 'update audit_entries set username = $2 where id = $1', [entry.id, name])
      await rename('anna')
      try {
        await main(page).getByRole('button', { name: 'Verify again' }).click()
        await main(page)
          .getByText(/^Not whole: /)
          .waitFor()
        await main(page).getByText(`Entry ${entry.seq}: `).first().waitFor()
        await examine(page, 'a trail that is not whole')
      } finally {
        await rename('alan')
      }
    })
  })

  it('a quality manager reviews a period with findings, and an auditor sees that it still holds', async () => {
    await visits.visitAs('quinn', '/audit?action=document.created&q=Alan', async page => {
      await main(page).getByRole('link', { name: 'Reviews' }).click()
      await main(page).getByText('No reviews yet').waitFor()
      await main(page).getByRole('button', { name: 'Review a period' }).click()
      await main(page).getByRole('button', { name: 'Sign the review', disabled: true }).waitFor()
      const today = new Date(world.services.clock.now()).toISOString().slice(0, 10)
      await fillDay(main(page), 'From', today)
      await fillDay(main(page), 'To', today)
      await main(page)
        .getByText(/^\d+ entries are in this selection\.$/)
        .waitFor()
      await main(page).getByRole('button', { name: 'Sign the review' }).click()
      const dialog = page.getByRole('dialog', { name: 'Sign your review' })
      await dialog.getByRole('button', { name: 'Sign the review' }).click()
      await dialog.getByText('Choose the outcome.').waitFor()
      await dialog.getByRole('radio', { name: 'Findings', exact: true }).check({ force: true })
      await dialog.getByText('recorded my findings').waitFor()
      await dialog.getByLabel('What you found').fill('SOP-0001 has no reason')
      await dialog.getByLabel('Your password').fill('wrong')
      await dialog.getByRole('button', { name: 'Sign the review' }).click()
      await dialog.getByRole('alert').waitFor()
      await dialog.getByLabel('Your password').fill(password)
      await dialog.getByRole('button', { name: 'Sign the review' }).click()
      await main(page).getByText('The same entries are there today, with the same hashes.').waitFor()
      await main(page).getByText('SOP-0001 has no reason').waitFor()
      await examine(page, 'review')
    })
    await visits.visitAs('otto', '/audit/reviews', async page => {
      await main(page).getByRole('link', { name: /–/ }).click()
      await main(page).getByText('The same entries are there today').waitFor()
      await main(page)
        .getByRole('link', { name: /^[\da-f]{4}(-[\da-f]{4}){3}$/ })
        .click()
      await main(page).getByText('This signature is valid').waitFor()
      await page.goto(`${visits.origin}/audit/reviews/new`)
      await main(page).getByRole('alert').getByText('You may not read this').waitFor()
    })
  })

  // proves: SIG-02
  it('somebody with a printed copy verifies its code, and a void signature is called void', async () => {
    const given = { document_id: gowning.id, signature_type: 'witness', intent: 'I saw it', password }
    const { id, verification_code } = ok(await world.as('uma').post('/api/signatures/', given))
    const visitVerify = async (page: Page, code: string) => {
      await main(page).getByLabel('Code').fill(code)
      await main(page).getByRole('button', { name: 'Verify' }).click()
    }
    await visits.visitAs('uma', '/verify', async page => {
      await visitVerify(page, '12')
      await main(page).getByText('A code has sixteen digits').waitFor()
      await visitVerify(page, '0000-0000-0000-0000')
      await main(page).getByText('No signature has this code').waitFor()
      await visitVerify(page, verification_code.replaceAll('-', ' '))
      await main(page).getByRole('status').getByText('This signature is valid').waitFor()
      assert.equal(await main(page).getByRole('img', { name: 'Passed' }).count(), 10, 'each check is shown')
      await main(page).getByText('Uma Example (uma)').waitFor()
      assert.equal(await main(page).getByRole('button', { name: 'Declare void' }).count(), 0)
      await examine(page, 'verified')
    })
    await visits.visit('/signatures?q=' + gowning.number, async page => {
      await logIn(page, 'quinn')
      await main(page)
        .getByRole('row', { name: /Review|Approval/ })
        .first()
        .getByRole('link')
        .click()
      const refused = main(page).getByRole('button', { name: 'Declare void', disabled: true })
      await refused.hover()
      await page
        .getByRole('tooltip')
        .getByText(/^This signature belongs to /)
        .waitFor()
      await page.goto(`${visits.origin}/signatures?kind=document&meaning=witness`)
      await main(page).getByRole('rowheader').getByRole('link').click()
      await main(page).getByRole('button', { name: 'Declare void' }).click()
      const dialog = page.getByRole('dialog', { name: 'Declare this signature void' })
      await dialog.getByLabel('Why it no longer counts').fill('Signed by mistake')
      await dialog.getByLabel('Your password').fill(password)
      await dialog.getByRole('button', { name: 'Sign and declare void' }).click()
      await main(page).getByText('This signature is void').waitFor()
      await main(page)
        .getByText(/^Declared void by Quinn Example, .*: Signed by mistake$/)
        .waitFor()
    })
    assert.equal(ok(await world.as('otto').get(`/api/signatures/${id}`)).void.reason, 'Signed by mistake')
  })

  // proves: SIG-02
  it('a signature whose record was altered past the service is not called valid', async () => {
    const [first] = ok(
      await world.as('otto').get(`/api/signatures/?document_id=${gowning.id}&signature_type=approval`),
    ).items
    const retitle = (title: string) =>
      behindTheApi(world, 'document_versions', 'update document_versions set title = $2 where document_id = $1', [
        gowning.id,
        title,
      ])
    await retitle('Undressing')
    try {
      await visits.visitAs('otto', `/signatures/${first.id}`, async page => {
        await main(page).getByRole('alert').getByText('The record is not what was signed').waitFor()
        await main(page).getByRole('img', { name: 'Failed' }).waitFor()
      })
    } finally {
      await retitle('Gowning')
    }
  })

  // proves: AUTH-05
  it('an administrator decides about each account and signs, and an auditor reads it', async () => {
    await visits.visitAs('ada', '/access-review', async page => {
      await main(page).getByText('Settings that weaken the control of access').waitFor()
      await main(page).getByRole('button', { name: 'Dormant' }).waitFor()
      await examine(page, 'accounts')
      await main(page).getByRole('button', { name: 'Begin a review' }).click()
      await main(page).getByText('0 of 8 accounts decided').waitFor()
      const sign = main(page).getByRole('button', { name: 'Sign the review' })
      const uma = main(page).getByRole('radiogroup', { name: 'Decision about Uma Example' })
      await uma.getByText('Finding').click()
      await main(page).getByRole('button', { name: 'All on this page are in order' }).click()
      await main(page).getByText('8 of 8 accounts decided').waitFor()
      await sign.hover()
      await page.getByRole('tooltip').getByText('Enter what is wrong').waitFor()
      await main(page).getByLabel('What is wrong with Uma Example').fill('Left in May')
      await page.reload()
      await main(page).getByText('8 of 8 accounts decided').waitFor()
      await examine(page, 'access review under way')

      // Somebody gets another role in the meantime: the decision about them no longer counts.
      const roles = ok(await world.as('ada').get('/api/roles/?page_size=100')).items as Json[]
      const role_id = roles.find(({ name }) => name === 'User').id
      ok(await world.as('ada').put(`/api/users/${world.people.anna!.id}/role`, { role_id, change_reason: 'Moved' }))
      await sign.click()
      const dialog = page.getByRole('dialog', { name: 'Sign the access review' })
      await dialog.getByText('Uma Example (uma): Left in May').waitFor()
      await dialog.getByLabel('Your password').fill(password)
      await dialog.getByRole('button', { name: 'Sign the review' }).click()
      await dialog.getByText('An account was added or changed since you read the list').waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()
      await main(page).getByText('7 of 8 accounts decided').waitFor()
      await main(page).getByRole('radiogroup', { name: 'Decision about Anna Example' }).getByText('In order').click()
      await sign.click()
      await dialog.getByLabel('Your password').fill(password)
      await dialog.getByRole('button', { name: 'Sign the review' }).click()
      await main(page)
        .getByText('The stored list is the one that was signed. No account differs from it today.')
        .waitFor()
      await main(page).getByText('Uma Example (uma): Left in May').waitFor()
      await examine(page, 'access review')
    })
    await visits.visitAs('otto', '/access-review/reviews', async page => {
      await main(page).getByRole('rowheader').getByRole('link').click()
      await main(page).getByRole('heading', { name: 'The accounts that were reviewed' }).waitFor()
      assert.equal(await main(page).getByRole('button', { name: 'Begin a review' }).count(), 0)
    })
  })

  // proves: DASH-05
  it('a quality manager reads the metrics, and what is behind a figure', async () => {
    await visits.visitAs('quinn', '/metrics', async page => {
      const stats = ok(await world.as('quinn').get('/api/dashboard/stats'))
      await main(page).getByRole('heading', { name: 'Periodic reviews on time' }).waitFor()
      const effective = stats.documents.by_status.find((each: Json) => each.key === 'effective').count
      await main(page).getByRole('figure', { name: 'By status' }).getByRole('button', { name: 'Effective' }).click()
      const documents = page.getByRole('dialog', { name: 'By status: Effective' })
      await documents.getByRole('listitem').first().waitFor()
      assert.equal(await documents.getByRole('listitem').count(), effective)
      await page.keyboard.press('Escape')
      await main(page).getByRole('link', { name: 'Deviations' }).click()
      await page.waitForURL(/part=deviations/)
      const tile = main(page).getByRole('listitem').filter({ hasText: 'Closed on time' }).first()
      const { numerator, denominator } = stats.deviations.on_time_closure_rate
      await tile.getByText(`${numerator} of ${denominator} closed in the period`).waitFor()
      await tile.getByText('No comparison').waitFor()
      await examine(page, 'metrics of deviations')

      await main(page)
        .getByRole('table', { name: 'Further metrics' })
        .getByRole('button', { name: '2', exact: true })
        .first()
        .click()
      const dialog = page.getByRole('dialog', { name: 'Reported' })
      await dialog.getByText(open.number).waitFor()
      assert.equal(await dialog.getByRole('listitem').count(), stats.deviations.opened)
      await page.keyboard.press('Escape')

      await main(page).getByRole('button', { name: 'Show as table: Per month' }).click()
      const months = main(page).getByRole('table', { name: 'Per month' })
      assert.deepEqual(await months.getByRole('row').last().getByRole('cell').allInnerTexts(), ['2', '1'])
      await months.getByRole('row').last().getByRole('button', { name: '1', exact: true }).click()
      await page
        .getByRole('dialog', { name: /: closed$/ })
        .getByRole('listitem')
        .waitFor()
      await page.keyboard.press('Escape')
      const paper = (await page.pdf({ format: 'A4' })).toString('latin1')
      assert.equal(paper.match(/\/Type\s*\/Page\b/g)!.length, 1, 'one page for the management review')
      await page.getByRole('button', { name: 'Period Last 90 days' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Last year' }).click()
      await page.keyboard.press('Escape')
      await page.waitForURL(/from=\d{4}-01-01&to=\d{4}-12-31/)
      await main(page).getByText('0 of 0 closed in the period').first().waitFor()
      await main(page).getByRole('link', { name: 'Training' }).click()
      await main(page).getByRole('heading', { name: 'Training compliance' }).waitFor()
      await examine(page, 'metrics of training')
      await main(page).getByRole('listitem').filter({ hasText: 'Training compliance' }).getByRole('link').click()
      await page.waitForURL(/\/training\/matrix/)
    })
  })

  it('each page fits a telephone in German, and says so where the service does not answer', async () => {
    const [signature] = ok(await world.as('quinn').get('/api/signatures/?page_size=1')).items
    const pages = [
      ...['/audit', '/audit/reviews/1', '/audit/reviews/new?from=2026-01-01&to=2026-01-02'],
      ...['/signatures', `/signatures/${signature.id}`, `/verify?code=${signature.verification_code}`],
      ...['/access-review', '/access-review/new', '/access-review/1'],
      ...['/metrics', '/metrics?part=deviations', '/metrics?part=training'],
    ]
    await visits.visit(
      '/sign-in',
      async page => {
        await logIn(page, 'ada')
        await page.getByRole('heading', { name: 'My work' }).waitFor()
        await page.evaluate(`localStorage.setItem('attest.language', 'de')`)
        for (const path of pages) {
          await page.goto(visits.origin + path)
          await main(page).getByRole('heading', { level: 1 }).waitFor()
          await main(page).getByRole('status', { name: 'Wird geladen' }).waitFor({ state: 'detached' })
          await fits(page, path)
        }
        await page.context().setOffline(true)
        await page.getByRole('navigation').first().getByRole('link', { name: 'Audit Trail' }).click()
        await main(page).getByRole('alert').getByText('Der Dienst antwortet nicht').waitFor()
        await page.context().setOffline(false)
        await main(page).getByRole('button', { name: 'Noch einmal versuchen' }).click()
        await main(page).getByRole('button', { name: 'Jetzt prüfen' }).waitFor()
      },
      { viewport: { width: 320, height: 640 }, hasTouch: true },
    )
  })
})
