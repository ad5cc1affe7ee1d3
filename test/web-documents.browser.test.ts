// The daily work with documents in a real browser: find, read, sign, share a list, and lose nothing.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { examine, logIn, openVisits } from '#test/browser/visits.ts'
import { ok, papers } from '#test/builders/documents.ts'
import { pdfOf } from '#test/builders/pdf.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

describe('documents in a browser', () => {
  let world: World
  let visits: Awaited<ReturnType<typeof openVisits>>
  let file: { bytes: Buffer; name: string }
  before(async () => {
    await buildWeb()
    world = await openWorld()
    visits = await openVisits(world)
    file = { bytes: await pdfOf(3), name: 'procedure.pdf' }
  })
  after(async () => {
    await visits?.close()
    await world.close()
  })

  const submitted = async (title: string) => {
    const { upload, move } = papers(world)
    const { id, number } = await upload({ title }, file)
    await move('alan', id, 'submit')
    return { id, number } as { id: number; number: string }
  }
  const approve = (page: Page) => page.getByRole('button', { name: 'Approve', exact: true })

  // proves: DASH-02, DOC-03, DOC-05
  it('a reviewer finds what waits for them, reads it, signs it, and sees what follows', async () => {
    const { id, number } = await submitted('Hand hygiene')
    await visits.visit('/', async page => {
      await page.getByRole('heading', { name: 'Log in' }).waitFor()
      await examine(page, 'log-in')
      await page.getByLabel('User name or e-mail').fill('petra')
      await page.getByLabel('Password').fill('not the password')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').getByText('User name, password or code is wrong').waitFor()
      assert.equal(await page.getByLabel('Password').inputValue(), '')
      assert.equal(await page.getByLabel('User name or e-mail').inputValue(), 'petra')
      await logIn(page, 'petra')

      const waiting = page.getByRole('region', { name: 'Waiting for your decision' })
      await waiting.getByRole('link', { name: 'Hand hygiene' }).waitFor()
      await page.getByRole('link', { name: /^My work one decision waits for you/ }).waitFor()
      assert.equal(await page.title(), 'My work · Attest')
      await examine(page, 'my work')
      await waiting.getByRole('link', { name: 'Hand hygiene' }).click()

      const pages = page.getByRole('document', { name: 'Pages of the file' })
      await pages.getByText('The original, sheet 1').waitFor()
      await page.getByText('Page 1 of 3').waitFor()
      await pages.getByRole('group', { name: 'Page 3 of 3' }).scrollIntoViewIfNeeded()
      await pages.getByText('The original, sheet 3').waitFor()
      await examine(page, 'document')

      // On paper: the record without the pages of its file, and ink on white whatever the appearance is.
      await page.emulateMedia({ media: 'print' })
      await page.evaluate(`document.documentElement.dataset.theme = 'dark'`)
      await page.getByText('The pages of the file are not printed here').waitFor()
      await page.getByText(/^Printed by Petra Example/).waitFor()
      await page.getByText(/^[0-9a-f]{64}$/).waitFor()
      for (const hidden of [pages, page.getByRole('navigation', { name: 'Main' }), approve(page)])
        assert.equal(await hidden.isVisible(), false)
      assert.equal(await page.evaluate('getComputedStyle(document.body).color'), 'rgb(24, 32, 29)')
      await page.evaluate(`document.documentElement.dataset.theme = 'light'`)
      await page.emulateMedia({ media: 'screen' })

      await approve(page).click()
      const dialog = page.getByRole('dialog', { name: 'Sign your approval' })
      await dialog.getByText('I reviewed this version, and it can go to approval.').waitFor()
      await dialog.getByText('Signed as Petra Example, QA').waitFor()
      await examine(page, 'signature')
      await dialog.getByLabel('Remark').fill('Complete and practicable')
      await dialog.getByLabel('Your password').fill('not the password')
      await dialog.getByRole('button', { name: 'Sign and approve' }).click()
      await dialog.getByRole('alert').waitFor()
      assert.equal(await dialog.getByLabel('Remark').inputValue(), 'Complete and practicable', 'what was typed stays')
      assert.equal(await dialog.getByLabel('Your password').inputValue(), '')
      assert.equal(await page.getByRole('dialog', { name: 'Your session has ended' }).count(), 0)

      await dialog.getByLabel('Your password').fill(password)
      await dialog.getByRole('button', { name: 'Sign and approve' }).click()
      await page.getByRole('alertdialog').getByText(`${number} is signed`).waitFor()
      await dialog.waitFor({ state: 'detached' })
      // The next decision is another person's, and the button says why.
      await page.getByText('In approval').first().waitFor()
      const refused = page.getByRole('button', { name: 'Approve', exact: true, disabled: true })
      await refused.hover()
      await page.getByRole('tooltip').getByText('another person must').waitFor()

      await page.getByRole('tab', { name: 'Timeline' }).click()
      await page.getByText('Complete and practicable').waitFor()
      await examine(page, 'timeline')
      await page.getByRole('tab', { name: 'Versions' }).click()
      await page.getByRole('link', { name: 'Version 1.0' }).waitFor()
      await examine(page, 'versions')
    })
    const signed = await world.rows<{ signer: string; comment: string }>(
      `select u.username as signer, d.comment from document_decisions d join users u on u.id = d.user_id
       join signatures s on s.id = d.signature_id
       join document_versions v on v.id = d.version_id where v.document_id = $1`,
      [id],
    )
    assert.deepEqual(signed, [{ signer: 'petra', comment: 'Complete and practicable' }])
  })

  it('an approver rejects with a reason, and the author sees it', async () => {
    const { id, number } = await submitted('Pest control')
    await visits.visitAs('petra', `/documents/${id}`, async page => {
      await page.getByRole('button', { name: 'Reject' }).click()
      const dialog = page.getByRole('dialog', { name: 'Reject this version' })
      assert.equal(await dialog.getByLabel('Your password').count(), 0, 'a rejection is no signature')
      await dialog.getByRole('button', { name: 'Reject' }).click()
      assert.equal(await dialog.getByLabel('What has to change').getAttribute('aria-required'), 'true')
      await dialog.getByLabel('What has to change').fill('The traps are not listed')
      await examine(page, 'rejection')
      await dialog.getByRole('button', { name: 'Reject' }).click()
      await page.getByRole('alertdialog').getByText(`${number} is rejected and back with its author`).waitFor()
    })
    await visits.visitAs('alan', `/documents/${id}?tab=timeline`, async page => {
      await page.getByText('The traps are not listed').waitFor()
      assert.equal(await approve(page).count(), 0, 'an author never approves, so is not offered it')
    })
  })

  // proves: DASH-02, DOC-05
  it('an approver goes from one approval to the next, and sees what they signed and what they left', async () => {
    const titles = ['Series: balances', 'Series: pipettes', 'Series: scales', 'Series: timers']
    const series: { id: number; number: string }[] = []
    for (const title of titles) series.push(await submitted(title))
    const others = await world.rows<{ id: number }>('select id from documents where id <> all($1)', [
      series.map(({ id }) => id),
    ])
    await visits.visitAs('petra', '/', async page => {
      const waiting = page.getByRole('region', { name: 'Waiting for your decision' })
      await waiting.getByRole('link', { name: 'Series: timers' }).waitFor()
      const begin = page.getByRole('button', { name: /^Decide all \d+ in turn$/ })
      const count = Number(/\d+/.exec(await begin.innerText())![0])
      const place = (n: number) =>
        page.getByRole('region', { name: 'One approval after the other' }).getByText(`Approval ${n} of ${count}`)
      await begin.click()
      await place(1).waitFor()
      const bar = page.getByRole('region', { name: 'One approval after the other' })

      // What other tests left waiting is passed over.
      let at = 1
      while (others.some(({ id }) => page.url().endsWith(`/documents/${id}`))) {
        await bar.getByRole('button', { name: 'Skip' }).click()
        await place(++at).waitFor()
      }
      await page.getByRole('heading', { name: 'Series: balances' }).waitFor()
      await page.waitForFunction(`document.activeElement.textContent.startsWith('Approval ${at} of')`)

      const sign = async () => {
        await approve(page).click()
        const dialog = page.getByRole('dialog', { name: 'Sign your approval' })
        assert.equal(await dialog.getByLabel('Your password').inputValue(), '', 'each signature asks for the password')
        await dialog.getByLabel('Your password').fill(password)
        await page.keyboard.press('Enter')
        await dialog.waitFor({ state: 'detached' })
      }
      await sign()
      await bar.getByText('Signed').waitFor()
      await page.waitForFunction(`document.activeElement.textContent.startsWith('Next: ')`)
      await examine(page, 'one of a series')
      await page.keyboard.press('Enter')

      await page.getByRole('heading', { name: 'Series: pipettes' }).waitFor()
      await place(at + 1).waitFor()
      await page.reload()
      await bar.getByRole('button', { name: 'Skip' }).click()
      await page.getByRole('heading', { name: 'Series: scales' }).waitFor()
      await page.getByRole('button', { name: 'Reject' }).click()
      const rejecting = page.getByRole('dialog', { name: 'Reject this version' })
      await rejecting.getByLabel('What has to change').fill('Say how often')
      await rejecting.getByRole('button', { name: 'Reject' }).click()
      await bar.getByText('Rejected').waitFor()
      await bar.getByRole('button', { name: `Next: ${series[3]!.number}` }).click()
      await page.getByRole('heading', { name: 'Series: timers' }).waitFor()
      // Meanwhile somebody takes it back: there is nothing to sign, and it is left.
      await papers(world).move('alan', series[3]!.id, 'withdraw', 'Not ready')
      await bar.getByRole('button', { name: 'Skip and finish' }).click()

      await page.getByRole('heading', { name: 'Your decisions' }).waitFor()
      const left = page.getByRole('region', { name: 'Left' })
      await left.getByText('No longer waits for you').waitFor()
      await page.getByText(`You decided 2 of ${count}.`).waitFor()
      await page.getByRole('region', { name: 'Signed' }).getByRole('link', { name: 'Series: balances' }).waitFor()
      await page.getByRole('region', { name: 'Rejected' }).getByRole('link', { name: 'Series: scales' }).waitFor()
      assert.match(await left.getByRole('listitem').filter({ hasText: 'Series: pipettes' }).innerText(), /Skipped/)
      await examine(page, 'end of a series')
      await page.getByRole('button', { name: /^Decide the/ }).click()
      await bar.getByText(/^Approval 1 of/).waitFor()
      await page.goto(new URL('/approvals', page.url()).href)
      await page.getByRole('button', { name: 'Back to My work' }).click()
      await begin.or(page.getByText('Waiting for your decision')).first().waitFor()
      await page.goto(new URL('/approvals', page.url()).href)
      await page.getByText('No approvals in turn').waitFor()
    })
    const signed = await world.rows<{ id: number }>(
      `select v.document_id::integer as id from document_decisions d join users u on u.id = d.user_id
       join document_versions v on v.id = d.version_id
       where u.username = 'petra' and d.signature_id is not null and v.document_id = any($1)`,
      [series.map(({ id }) => id)],
    )
    assert.deepEqual(signed, [{ id: series[0]!.id }], 'one approval, one signature')
  })

  // proves: DASH-02
  it('whoever decided a single document goes on to what waits next', async () => {
    const first = await submitted('Alone: spill kit')
    await submitted('Alone: eye wash')
    await visits.visitAs('petra', `/documents/${first.id}`, async page => {
      await approve(page).click()
      const dialog = page.getByRole('dialog', { name: 'Sign your approval' })
      await dialog.getByLabel('Your password').fill(password)
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'detached' })
      const next = page.getByRole('button', { name: 'Go to the next' })
      await next.waitFor()
      await page.waitForFunction(`document.activeElement.textContent === 'Go to the next'`)
      await page.keyboard.press('Enter')
      await page.waitForURL(url => /\/documents\/\d+$/.test(url.pathname) && !url.pathname.endsWith(`/${first.id}`))
      await approve(page).waitFor()
      assert.equal(await next.count(), 0)
    })
  })

  it('nothing is signed that changed while it was open', async () => {
    const { id } = await submitted('Waste disposal')
    await visits.visitAs('petra', `/documents/${id}`, async page => {
      await approve(page).click()
      const dialog = page.getByRole('dialog', { name: 'Sign your approval' })
      await dialog.getByLabel('Remark').fill('Looks right')
      await dialog.getByLabel('Your password').fill(password)
      await papers(world).move('alan', id, 'withdraw', 'One page is missing')
      await papers(world).move('alan', id, 'submit')
      await world.seal()
      await page.getByText('Somebody changed this record.').waitFor()
      await dialog.getByRole('button', { name: 'Sign and approve' }).click()
      await page.getByRole('alert').getByText('Someone changed this record while you had it open').waitFor()
      await examine(page, 'conflict')
      await page.getByRole('button', { name: 'Show the current state' }).click()
      await approve(page).click()
      assert.equal(await dialog.getByLabel('Remark').inputValue(), 'Looks right', 'the remark is kept')
    })
    assert.deepEqual(
      await world.rows(
        `select d.id from document_decisions d join document_versions v on v.id = d.version_id where v.document_id = $1`,
        [id],
      ),
      [],
    )
  })

  // proves: DOC-05, SIG-02
  it('a deputy signs for the person who is away, and the signature says for whom', async () => {
    const { upload, move } = papers(world)
    const [petra, quentin] = [world.people.petra!.id, world.people.quentin!.id]
    const { id } = await upload({ title: 'Line clearance' }, file)
    ok(
      await world.as('ada').post(`/api/documents/${id}/configure-approval`, {
        ...{ transition: 'review', change_reason: 'Small team' },
        approvers: [{ kind: 'user', who: [petra] }],
      }),
    )
    await move('alan', id, 'submit')
    const today = world.clock.now().toISOString().slice(0, 10)
    const away = { deputy_id: quentin, starts_on: today, ends_on: today }
    const { id: deputyship } = ok(await world.as('petra').post('/api/deputies/', away))
    await visits.visitAs('quentin', '/', async page => {
      const waiting = page.getByRole('region', { name: 'Waiting for your decision' })
      await waiting.getByRole('listitem').filter({ hasText: 'Line clearance' }).getByText('For Petra Example').waitFor()
      await waiting.getByRole('link', { name: 'Line clearance' }).click()
      await page.waitForURL(new RegExp(`/documents/${id}\\?for=${petra}$`))
      await page.getByText('You act for Petra Example, whose deputy you are today.').waitFor()
      await approve(page).click()
      const dialog = page.getByRole('dialog', { name: 'Sign your approval' })
      await dialog.getByText('Signed as Quentin Example, QA, for Petra Example').waitFor()
      await examine(page, 'signature of a deputy')
      await dialog.getByLabel('Your password').fill(password)
      await dialog.getByRole('button', { name: 'Sign and approve' }).click()
      await page.getByRole('region', { name: 'Approval' }).getByText('for Petra Example', { exact: true }).waitFor()
    })
    const [signature] = ok(
      await world.as('quinn').get(`/api/signatures/?resource_type=document&resource_id=${id}`),
    ).items
    assert.deepEqual([signature.signer.username, signature.on_behalf_of.id], ['quentin', petra])
    ok(await world.as('petra').post(`/api/deputies/${deputyship}/end`, { end_reason: 'Back' }))
  })

  // proves: DOC-02
  it('somebody narrows the list, shares its address, and finds the same without a mouse', async () => {
    const { effective, upload } = papers(world)
    await effective({ title: 'Balance check' })
    const { id } = await upload({ title: 'Zebra crossing of fork lifts' })
    await visits.visit('/documents', async page => {
      await page.waitForURL(/\/sign-in\?to=\/documents$|\/sign-in\?to=%2Fdocuments$/)
      await logIn(page, 'petra')
      await page.getByRole('heading', { name: 'Documents' }).waitFor()
      await page.getByRole('rowheader', { name: 'Balance check' }).waitFor()

      await page.getByRole('button', { name: 'Status', exact: true }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Effective' }).click()
      await page.keyboard.press('Escape')
      await page.getByRole('button', { name: 'Sort by Number' }).click()
      await page.waitForURL(/\?status=effective&sort=number:asc$/)
      await page.locator('th[aria-sort=ascending]').waitFor()
      await page.getByRole('rowheader', { name: 'Zebra crossing of fork lifts' }).waitFor({ state: 'detached' })
      await examine(page, 'list')
      const shown = await page.getByRole('rowheader').allInnerTexts()
      await page.reload()
      await page.getByRole('rowheader').first().waitFor()
      assert.deepEqual(await page.getByRole('rowheader').allInnerTexts(), shown, 'the address holds the list')

      await page.getByRole('searchbox', { name: 'Number, title or keyword' }).fill('nothing is called this')
      await page.getByText('No document matches').waitFor()
      await examine(page, 'empty list')
      await page.getByRole('button', { name: 'Clear filters' }).last().click()
      await page.waitForURL(/\/documents$/)
      await page.getByRole('rowheader', { name: 'Zebra crossing of fork lifts' }).waitFor()
      assert.equal(await page.getByRole('searchbox').inputValue(), '')

      // From here on by keys alone.
      await page.keyboard.press('Control+k')
      await page.getByRole('dialog', { name: 'Search and commands' }).waitFor()
      await page.keyboard.type('zebra')
      await page.getByRole('menuitem', { name: /Zebra crossing/ }).waitFor()
      await examine(page, 'palette')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.waitForURL(new RegExp(`/documents/${id}$`))
      await page.getByRole('heading', { name: /Zebra crossing/ }).waitFor()
      await page.keyboard.press('Control+k')
      await page.keyboard.type('dark')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('Enter')
      await page.locator(':root[data-theme=dark]').waitFor({ state: 'attached' })
      await page.keyboard.press('Control+k')
      await page.keyboard.type('something')
      await page.keyboard.press('Escape')
      await page.getByRole('dialog').waitFor({ state: 'detached' })
    })
  })

  // proves: DOC-02
  it('somebody narrows the list by keywords, and finds one that is not listed at first', async () => {
    const { upload } = papers(world)
    await upload({ title: 'Water: sampling', keywords: 'water, sampling' })
    await upload({ title: 'Water: loop', keywords: 'water, loop "B"' })
    await visits.visitAs('petra', '/documents', async page => {
      await page.getByRole('button', { name: 'Keyword', exact: true }).click()
      await page.getByRole('menuitemcheckbox', { name: /^water/ }).click()
      await page.waitForURL(/\?keyword=water$/)
      await page.getByRole('searchbox', { name: 'Keyword', exact: true }).fill('loop')
      await page.getByRole('menuitemcheckbox', { name: /^sampling/ }).waitFor({ state: 'detached' })
      await page.getByRole('menuitemcheckbox', { name: /^loop "B"/ }).click()
      await page.waitForURL(/\?keyword=loop/)
      await page.keyboard.press('Escape')
      await page.getByRole('rowheader', { name: 'Water: loop' }).waitFor()
      await page.getByRole('rowheader', { name: 'Water: sampling' }).waitFor()
      assert.equal(await page.getByRole('rowheader').count(), 2)
      assert.equal(await page.getByRole('searchbox', { name: 'Number, title or keyword' }).inputValue(), '')
    })
  })

  it('the list is saved as a file, as it is narrowed', async () => {
    await papers(world).upload({ title: 'Exported to a table' })
    await visits.visitAs('petra', '/documents?q=Exported', async page => {
      await page.getByRole('button', { name: 'Export' }).click()
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'As CSV' }).click(),
      ])
      const chunks: Buffer[] = []
      for await (const chunk of await download.createReadStream()) chunks.push(chunk)
      const lines = Buffer.concat(chunks).toString().trim().split('\n')
      assert.equal(lines.length, 2)
      assert.match(lines[1]!, /Exported to a table/)
    })
  })

  it('a session that ends in the middle of a comment loses nothing of it', async () => {
    const { id } = await submitted('Swab places')
    await visits.visitAs('petra', `/documents/${id}?tab=comments`, async page => {
      await page.getByText('No comments on this version').waitFor()
      const box = page.getByRole('textbox', { name: 'Comment' })
      await box.fill('Which swab places are meant?')
      const moved_ms = world.clock.moved_ms
      world.clock.moved_ms += 40 * 60_000
      try {
        await page.getByRole('button', { name: 'Add comment' }).click()
        const dialog = page.getByRole('dialog', { name: 'Your session has ended' })
        await dialog.getByText('Log in again as Petra Example').waitFor()
        await examine(page, 'end of the session')
        await page.keyboard.press('Escape')
        await dialog.getByLabel('Password').fill(password)
        await dialog.getByRole('button', { name: 'Log in' }).click()
        await dialog.waitFor({ state: 'detached' })
        assert.equal(await box.inputValue(), 'Which swab places are meant?')
        await page.reload()
        assert.equal(await box.inputValue(), 'Which swab places are meant?', 'through a reload as well')
        await page.getByRole('button', { name: 'Add comment' }).click()
        await page.getByRole('listitem').getByText('Which swab places are meant?').waitFor()
        assert.equal(await box.inputValue(), '')
        await page.getByRole('tab', { name: 'Comments 1' }).waitFor()
        await examine(page, 'comments')

        await page.getByRole('button', { name: 'Resolve' }).click()
        const resolving = page.getByRole('dialog', { name: 'Resolve the comment' })
        await resolving.getByLabel('Reply').fill('Those of annex 2')
        await resolving.getByRole('button', { name: 'Resolve' }).click()
        await page.getByText('Resolved by Petra Example: Those of annex 2').waitFor()
      } finally {
        world.clock.moved_ms = moved_ms
      }
    })
  })
})
