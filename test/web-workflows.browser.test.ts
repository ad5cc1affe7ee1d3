// Workflows in a real browser: a QA Manager designs one, another person puts it into force, and a document follows it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { examine, logIn, openVisits } from '#test/browser/visits.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

const tablet = { viewport: { width: 768, height: 1024 }, hasTouch: true, isMobile: true }

describe('workflows in a browser', () => {
  let world: World
  let visits: Awaited<ReturnType<typeof openVisits>>
  before(async () => {
    await buildWeb()
    world = await openWorld()
    visits = await openVisits(world)
    const { id } = ok(await world.as('ada').post('/api/groups/', { name: 'Validation' }))
    const user_ids = ['petra', 'quentin'].map(name => world.people[name]!.id)
    ok(await world.as('ada').post(`/api/groups/${id}/add-member`, { user_ids }))
    ok(await world.as('ada').put('/api/settings/', { configuration_needs_approval: true }))
  })
  after(async () => {
    await visits?.close()
    await world.close()
  })

  const announced = (page: Page, text: string | RegExp) => page.getByRole('alertdialog').getByText(text).waitFor()
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const choose = async (page: Page, label: string, option: string, nth = 0) => {
    await page
      .getByRole('button', { name: new RegExp(`${label}( \\*)?$`) })
      .nth(nth)
      .click()
    await page.getByRole('option', { name: option }).click()
  }
  const approvals = async (id: number) => {
    const { items } = ok(await world.as('quinn').get('/api/workflow-templates/?q=Validation'))
    const found = items.find((each: Json) => each.id === id)
    return found.definition.transitions.find(({ name }: Json) => name === 'approve').approval
  }
  /** The change is approved by the other person, as the page does it. */
  const approve = async (id: number) =>
    ok(await world.as('ada').post(`/api/configuration-changes/${id}/approve`, { password }))
  let workflow: number

  // proves: FLOW-01, DOC-05
  it('a QA Manager copies the shipped approval, adds approvers of a group, mends a fault, and proposes it', async () => {
    await visits.visit('/sign-in', async page => {
      await logIn(page, 'quinn')
      await page.getByRole('heading', { name: 'My work' }).waitFor()
      await page.goto(`${visits.origin}/admin/workflows`)
      await page.getByRole('cell', { name: /General document/ }).waitFor()
      await examine(page, 'list of workflows')
      await page.getByRole('link', { name: 'Standard approval' }).click()
      await page.getByText('This workflow comes with Attest').waitFor()
      assert.equal(await page.getByLabel('Name').count(), 0, 'what is shipped has no fields')
      await button(page, 'Copy and change').click()
      await page.getByLabel('Name *').fill('Validation approval')
      await page.getByText('Nothing is wrong with it.').waitFor()

      // From the picture: a press on the arrow opens its conditions.
      await page
        .locator('svg g')
        .filter({ hasText: /^Approve$/ })
        .first()
        .click()
      await button(page, 'And by others').click()
      await choose(page, 'Who', 'of the group', 1)
      await page.getByText('Choose who.').first().waitFor()
      await choose(page, 'Group', 'Validation')
      await page
        .getByText(/and 1 member of the group Validation/)
        .first()
        .waitFor()
      await page.getByLabel('How many').nth(1).fill('9')
      const fault = 'Only 2 of the 9 people needed can approve by this rule.'
      await page.getByText('One thing is wrong').waitFor()
      const list = page.getByRole('list', { name: 'One thing is wrong' })
      await list.getByText(fault).waitFor()
      assert.equal(
        await page.getByLabel('How many').nth(1).getAttribute('aria-invalid'),
        'true',
        'it is said at its field too',
      )
      await examine(page, 'designer with a fault')
      await button(page, /^Put into force/).click()
      await page.getByRole('dialog').getByText(`Something is wrong with it. Mend that first. ${fault}`).waitFor()
      await button(page, 'Cancel').click()
      // The way to the fault, from a closed list.
      await page.getByRole('button', { name: /^Approve to/ }).click()
      await list.getByRole('button', { name: 'Show: Approve' }).click()
      await page.getByLabel('How many').nth(1).fill('1')
      await page.getByText('Nothing is wrong with it.').waitFor()

      await page.getByRole('tab', { name: 'Try it' }).click()
      await page.getByText('A document gets through').waitFor()
      await choose(page, 'Document type', 'SOP')
      await page.getByText(/^Documents of the type SOP need approvals by 2 different people/).waitFor()
      await page.getByRole('combobox', { name: 'Away' }).fill('Petra')
      await page.getByRole('option', { name: /Petra/ }).click()
      await page.getByRole('combobox', { name: 'Away' }).fill('Quentin')
      await page.getByRole('option', { name: /Quentin/ }).click()
      await page.getByText('A document would get stuck').waitFor()
      await page.getByText('Petra Example is away, and no deputy can decide.').waitFor()
      await examine(page, 'trying a workflow')

      await button(page, 'Put into force').click()
      await page.getByText('Your company asks for a second person').waitFor()
      await button(page, 'Propose').click()
      await announced(page, 'It takes effect when Ada Example approves it.')
      await page.getByText('Validation approval is proposed as a new workflow').waitFor()
    })
  })

  // proves: FLOW-01, SIG-01
  it('another person reads in words what it is, and puts it into force with a signature; a document follows it', async () => {
    await visits.visit('/sign-in', async page => {
      await logIn(page, 'ada')
      await page.getByRole('link', { name: /Validation approval/ }).click()
      await page.getByRole('heading', { name: 'Change 1 Validation approval' }).waitFor()
      const rules = '1 person with the right “Approve documents” and 1 member of the group Validation'
      await page.getByText(`Approval by ${rules}`).waitFor()
      await examine(page, 'a change')
      await button(page, 'Approve').click()
      const dialog = page.getByRole('dialog')
      await dialog.getByLabel('Your password').fill(password)
      await dialog.getByRole('button', { name: 'Sign and approve' }).click()
      await announced(page, 'Validation approval: the change is in force.')
      await page.getByRole('link', { name: /^Signature \d/ }).waitFor()
      await page.getByRole('main').getByRole('link', { name: 'Validation approval' }).click()
      await page.getByRole('heading', { name: 'Validation approval', level: 1 }).waitFor()
      workflow = Number(new URL(page.url()).pathname.split('/').at(-1))
    })
    const type = (
      await world
        .as('quinn')
        .post('/api/document-types/', { name: 'Validation plan', prefix: 'VPL', workflow_template_id: workflow })
    ).json()
    await approve(type.id)
    const paper = papers(world)
    const { id } = await paper.upload({ type: 'Validation plan', title: 'Plan of line 4' })
    ok(await paper.move('alan', id, 'submit'))
    assert.equal(ok(await paper.approve('quinn', id)).status, 'in_review', 'one of the group is awaited')
    assert.equal(ok(await paper.approve('petra', id)).status, 'effective')
  })

  it('by keyboard alone: an approval gets a due date, undone and kept over a reload', async () => {
    await visits.visit('/sign-in', async page => {
      await logIn(page, 'quinn')
      await page.getByRole('heading', { name: 'My work' }).waitFor()
      await page.goto(`${visits.origin}/admin/workflows/${workflow}`)
      await page.getByText('Nothing is wrong with it.').waitFor()
      const tabTo = async (name: RegExp) => {
        for (let presses = 0; presses < 80; presses++) {
          await page.keyboard.press('Tab')
          const at = await page.evaluate<string>(
            `{ const e = document.activeElement; e.getAttribute('aria-label') || e.labels?.[0]?.textContent || e.textContent }`,
          )
          if (name.test(at)) return
        }
        assert.fail(`${name} is not reached`)
      }
      await tabTo(/^Approve\s+to/)
      await page.keyboard.press('Enter')
      await tabTo(/^Due after days/)
      await page.keyboard.type('5')
      const due = page.getByText(/due after 5 days, with a reminder 2 days before/)
      await due.first().waitFor()
      await page.keyboard.press('Tab')
      await tabTo(/^Nobody/)
      await page.keyboard.press('Control+z')
      await due.first().waitFor({ state: 'hidden' })
      await page.keyboard.press('Control+Shift+z')
      await due.first().waitFor()
      await page.reload()
      await due.first().waitFor()
      await page.getByText('Your changes are kept in this tab.').waitFor()

      // Meanwhile somebody else is quicker.
      const { definition } = ok(await world.as('ada').get(`/api/workflow-templates/${workflow}`))
      definition.transitions.find(({ name }: Json) => name === 'cancel').label = 'Give up'
      const url = `/api/workflow-templates/${workflow}`
      const { id } = (await world.as('ada').put(url, { definition, change_reason: 'Clearer' })).json()
      ok(await world.as('quinn').post(`/api/configuration-changes/${id}/approve`, { password }))
      await button(page, 'Put into force').click()
      await page.getByRole('dialog').getByLabel('Reason').fill('Approvals take too long')
      await button(page, 'Propose').click()
      await button(page, 'Show the current state').click()
      await page.getByText('Quinn Example changed this workflow after you began.').waitFor()
      await button(page, 'Compare with what is in force').click()
      await page.getByText('Give up is now called Cancel.').waitFor()
      assert.equal((await approvals(workflow)).due_days, undefined)
      await button(page, 'Discard changes').click()
      await page.getByRole('button', { name: /^Give up to/ }).waitFor()
      await due.first().waitFor({ state: 'hidden' })
    })
  })

  it('states are added, renamed, reordered and removed; versions are compared; whoever may not change it sees it', async () => {
    const { upload } = papers(world)
    await upload({ type: 'Validation plan', title: 'Plan of line 5' })
    await visits.visit(
      '/sign-in',
      async page => {
        await logIn(page, 'quinn')
        await page.getByRole('heading', { name: 'My work' }).waitFor()
        await page.goto(`${visits.origin}/admin/workflows/${workflow}`)
        await button(page, 'Add a state').click()
        await page.getByRole('textbox', { name: 'Label' }).fill('Translation')
        await page
          .getByRole('list', { name: '2 things are wrong' })
          .getByText(/“Translation” cannot be reached/)
          .waitFor()
        await button(page, 'Actions for Translation').click()
        await page.getByRole('menuitem', { name: 'Move up' }).click()
        const order = async () => page.getByRole('heading', { level: 3 }).allTextContents()
        assert.ok(
          (await order()).findIndex(each => /^Translation/.test(each)) <
            (await order()).findIndex(each => /^Approved/.test(each)),
        )
        await page.getByRole('button', { name: 'Add a transition: Translation' }).click()
        await page
          .getByText(/^By approval|Approval by 1 person with the role QA/)
          .first()
          .waitFor()
        await button(page, 'Actions for Translation').click()
        await page.getByRole('menuitem', { name: 'Remove' }).click()
        await announced(page, 'Translation is removed. Undo brings it back.')
        await page.getByText('Nothing is wrong with it.').waitFor()
        await button(page, 'Discard changes').click()

        await page.getByRole('tab', { name: 'Versions' }).click()
        await page.getByText('Cancel is now called Give up.').waitFor()
        await page.getByText('Clearer').waitFor()
        await page.getByRole('button', { name: 'Which' }).first().click()
        await page.getByRole('link', { name: /Plan of line 5/ }).waitFor()
        await examine(page, 'versions of a workflow')
        await button(page, 'More actions').click()
        await page.getByRole('menuitem', { name: 'Withdraw' }).click()
        await page.getByRole('dialog').getByLabel('Reason').fill('A better one follows')
        await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
        await announced(page, 'It takes effect when Ada Example approves it.')
        await page.getByRole('link', { name: 'See the change' }).click()
        await page.getByText('Ada Example may approve it.').waitFor()
        await button(page, 'Withdraw').click()
        await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click()
        await announced(page, 'The change is withdrawn.')
        await page.getByRole('main').getByText('Withdrawn', { exact: true }).first().waitFor()
        await page.goto(`${visits.origin}/admin/changes`)
        await page.getByRole('cell', { name: 'Withdrawn' }).waitFor()
        await examine(page, 'list of changes')
      },
      tablet,
    )
    await visits.visit('/sign-in', async page => {
      await logIn(page, 'otto')
      await page
        .getByRole('heading', { name: 'My work' })
        .or(page.getByRole('navigation', { name: 'Main' }))
        .first()
        .waitFor()
      await page.goto(`${visits.origin}/admin/workflows/${workflow}`)
      await page
        .getByText(/Approval by 1 person with the right/)
        .first()
        .waitFor()
      assert.equal(await page.getByRole('button', { name: /Put into force|Add a state|Withdraw/ }).count(), 0)
      await page.goto(`${visits.origin}/admin/changes/1`)
      await page.getByText('Approved', { exact: true }).first().waitFor()
      assert.equal(await page.getByRole('button', { name: /Approve|Reject|Withdraw/ }).count(), 0)
    })
  })

  it('a change is rejected with a reason, and German is whole', async () => {
    const url = `/api/workflow-templates/${workflow}`
    const { id } = (await world.as('quinn').put(url, { description: 'Kurz', change_reason: 'Kürzer' })).json()
    await visits.visit(
      '/sign-in',
      async page => {
        await page.getByLabel(/Benutzername/).fill('ada')
        await page.getByLabel('Passwort').fill(password)
        await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
        await page.getByRole('heading', { name: 'Meine Arbeit' }).waitFor()
        await page.goto(`${visits.origin}/admin/changes/${id}`)
        await button(page, 'Ablehnen').click()
        await page.getByRole('dialog').getByRole('button', { name: 'Ablehnen' }).click()
        await page.getByRole('dialog').getByText('Sagen Sie, warum.').waitFor()
        await page.getByRole('dialog').getByLabel('Grund').fill('Zu kurz')
        await page.getByRole('dialog').getByRole('button', { name: 'Ablehnen' }).click()
        await announced(page, 'Die Änderung ist abgelehnt.')
        await page.getByText('Zu kurz').waitFor()
        await page.goto(`${visits.origin}/admin/workflows/${workflow}`)
        await page
          .getByText(/1 Person mit dem Recht „Dokumente freigeben“ und 1 Mitglied der Gruppe Validation/)
          .first()
          .waitFor()
        await examine(page, 'a workflow in German')
      },
      { locale: 'de-DE', viewport: { width: 360, height: 780 } },
    )
  })
})
