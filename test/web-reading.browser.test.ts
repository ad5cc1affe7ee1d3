// Reading, discussing and comparing in a real browser: what a reviewer does before they sign.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { examine, fillDay, logIn, openVisits } from '#test/browser/visits.ts'
import { ok, papers } from '#test/builders/documents.ts'
import { pdfOf } from '#test/builders/text-files.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

const sheet = (text: string) => (page: { text(text: string): unknown }) => page.text(text)
const same = Array.from({ length: 12 }, (_, n) => `Step ${n}: nothing changes here.`)
/** One red point. */
const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR4nGP4z8AAAAMBAQDJ/pLvAAAAAElFTkSuQmCC',
  'base64',
)
const text = (name: string, ...paragraphs: string[]) => ({
  bytes: Buffer.from(`# Rinsing\n\n${paragraphs.join('\n\n')}\n`),
  name,
})

describe('reading and discussing in a browser', () => {
  let world: World
  let visits: Awaited<ReturnType<typeof openVisits>>
  let paper: ReturnType<typeof papers>
  before(async () => {
    await buildWeb()
    world = await openWorld()
    visits = await openVisits(world)
    paper = papers(world)
  })
  after(async () => {
    await visits?.close()
    await world.close()
  })

  const comment = async (by: string, id: number, body: object) =>
    ok(await world.as(by).post(`/api/documents/${id}/comments`, body))

  /** Selects the text of a line of the page, as a mouse or a finger does. */
  const select = (page: Page, words: string) =>
    page.evaluate(
      `(() => {
        const span = [...document.querySelectorAll('[data-page] span')].find(each => each.textContent.includes(${JSON.stringify(words)}))
        getSelection().selectAllChildren(span)
      })()`,
    )

  // proves: DOC-05
  it('a reviewer comments on a quote, the author answers, and it is resolved and reopened', async () => {
    const bytes = await pdfOf(['Rinse the vessel.', 'Dry it thoroughly.'].map(sheet))
    const { id } = await paper.upload({ title: 'Vessels' }, { bytes, name: 'vessels.pdf' })
    ok(await paper.move('alan', id, 'submit'))
    await visits.visitAs('petra', `/documents/${id}`, async page => {
      const sheets = page.getByRole('document', { name: 'Pages of the file' })
      await sheets.getByText('Dry it thoroughly.').waitFor()
      await select(page, 'Dry it thoroughly')
      await page.getByRole('button', { name: 'Comment', exact: true }).click()
      const box = page.getByRole('textbox', { name: 'Comment' })
      await page.getByRole('blockquote').getByText('Dry it thoroughly.').waitFor()
      await box.fill('For how long?')
      await page.getByRole('combobox', { name: 'Mention people' }).fill('quentin')
      await page.getByRole('option', { name: /quentin/i }).click()
      await page.getByRole('button', { name: /^Do not mention/ }).waitFor()
      await examine(page, 'comment on a quote')
      await page.getByRole('button', { name: 'Add comment' }).click()
      await page.getByText(/^Mentioned: /).waitFor()
      await page.getByRole('tab', { name: 'Comments 1' }).waitFor()
      await page.getByRole('link', { name: 'One open comment' }).waitFor()

      const focused = (text: string) => page.waitForFunction(`document.activeElement.innerText.includes('${text}')`)
      await focused('Petra Example')
      await page.getByRole('button', { name: 'Change' }).click()
      const changed = page.getByRole('listitem').getByRole('textbox', { name: 'Comment' })
      assert.equal(await changed.inputValue(), 'For how long?')
      await changed.fill('For how many minutes?')
      await page.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('paragraph').getByText('For how many minutes?').waitFor()
      await focused('Petra Example')

      const [{ id: thread }] = ok(await world.as('petra').get(`/api/documents/${id}/comments`)).items
      await comment('alan', id, { parent_id: thread, text: 'Ten' })
      await page.reload()
      await page.getByRole('list', { name: 'Replies' }).getByText('Ten').waitFor()
      const refused = page.getByRole('button', { name: 'Change', disabled: true })
      await page.mouse.move(0, 0)
      await refused.hover()
      await page.getByRole('tooltip').getByText('Somebody has replied').waitFor()
      await page.getByRole('tab', { name: 'Comments 1' }).waitFor()

      await page.getByRole('button', { name: 'Reply' }).click()
      await page.getByRole('textbox', { name: 'Reply' }).fill('Thank you')
      await page.getByRole('button', { name: 'Reply' }).click()
      await page.getByRole('list', { name: 'Replies' }).getByText('Thank you').waitFor()
      await focused('Petra Example')
      await examine(page, 'thread')

      await page.getByRole('button', { name: 'Approve', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Sign your approval' })
      await dialog.getByText('One comment is still open.').waitFor()
      await dialog.getByText(/^Recorded as: review of /).waitFor()
      await dialog.getByLabel('Remark').fill('Seen')
      await dialog.getByText('Recorded as: Seen').waitFor()
      await dialog.getByRole('button', { name: 'Cancel' }).click()

      await page.getByRole('button', { name: 'Resolve' }).click()
      await page.getByRole('dialog').getByRole('button', { name: 'Resolve' }).click()
      await page.getByText('Resolved by Petra Example').waitFor()
      await page.getByRole('button', { name: 'Reopen' }).click()
      await page.getByRole('dialog').getByLabel('Reason').fill('Not in the text yet')
      await page.getByRole('dialog').getByRole('button', { name: 'Reopen' }).click()
      await page.getByRole('button', { name: 'Resolve' }).waitFor()

      await page.getByRole('link', { name: 'Page 2' }).click()
      await page.getByText('Page 2 of 2', { exact: true }).waitFor()
      await sheets.getByText('Dry it thoroughly.').waitFor()
    })
    const seen = ok(await world.as('alan').get(`/api/documents/${id}/comments`)).items
    assert.deepEqual(
      seen.map(({ page, quote, text, mentions }: { [key: string]: unknown[] }) => [
        page,
        quote,
        text,
        mentions!.length,
      ]),
      [
        [2, 'Dry it thoroughly.', 'For how many minutes?', 1],
        [null, null, 'Ten', 0],
        [null, null, 'Thank you', 0],
      ],
    )
  })

  it('the open comments of others can be answered, and not resolved by everybody', async () => {
    const { id } = await paper.effective({ title: 'Scales' })
    await comment('petra', id, { text: 'Which scales?' })
    await visits.visitAs('uma', `/documents/${id}?tab=comments`, async page => {
      const resolve = page.getByRole('button', { name: 'Resolve', disabled: true })
      await page.mouse.move(0, 0)
      await resolve.hover()
      await page.getByRole('tooltip').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Change' }).count(), 0)
    })
  })

  // proves: DOC-03
  it('a reviewer sees word by word what changed since the effective version', async () => {
    const first = text('rinsing.md', 'Rinse for five minutes.', ...same, 'Sign the record.')
    const second = text('rinsing.md', 'Rinse for ten minutes.', ...same, 'Sign the record.', 'Dry the vessel.')
    const { id } = await paper.upload({ title: 'Rinsing' }, first)
    await paper.release(id)
    ok(await paper.addVersion(id, { title: 'Rinsing and drying', change_reason: 'It was too short' }, 'alan', second))
    ok(await paper.move('alan', id, 'submit'))
    await visits.visitAs('petra', `/documents/${id}`, async page => {
      await page.getByText('Rinse for ten minutes.').waitFor()
      await examine(page, 'preview of a text')
      await page.getByRole('link', { name: 'What changed since 1.0' }).click()
      await page.getByRole('note').or(page.getByText('is still being read')).first().waitFor()
    })
    await world.work()
    const address = `/documents/${id}/compare?from=1.0&to=1.1`
    await visits.visitAs('petra', address, async page => {
      const facts = page.getByRole('region', { name: 'Details that changed' })
      await facts.getByText('It was too short').waitFor()
      await facts.getByRole('insertion').getByText('Rinsing and drying').waitFor()
      const compared = page.getByRole('region', { name: 'Text' })
      await compared.getByText('2 passages differ.').waitFor()
      assert.deepEqual(await compared.getByRole('deletion').allInnerTexts(), ['five'])
      assert.deepEqual(await compared.getByRole('insertion').allInnerTexts(), ['ten', 'Dry the vessel.'])
      assert.equal(await compared.getByText(same[6]!).count(), 0, 'what is far from each change is folded')
      await examine(page, 'comparison')
      await compared.getByRole('button', { name: /^Show \d+ passages that are the same/ }).click()
      await compared.getByText(same[6]!).first().waitFor()

      await page.getByRole('button', { name: 'Newer version: Version 1.1' }).click()
      await page.getByRole('menuitemradio', { name: 'Version 1.0' }).click()
      await page.waitForURL(/from=1\.0&to=1\.0/)
      await page.getByText('No word differs').waitFor()
      await page.goto(`${visits.origin}/documents/${id}?tab=versions`)
      await page.getByRole('link', { name: 'Compare with 1.0' }).click()
      await page.waitForURL(/compare\?from=1\.0&to=1\.1/)
    })
    await visits.visit(
      '/sign-in',
      async page => {
        await logIn(page, 'petra')
        await page.getByRole('heading', { name: 'My work' }).waitFor()
        await page.evaluate(`localStorage.setItem('attest.language', 'de')`)
        await page.goto(visits.origin + address)
        await page.getByText('2 Stellen sind anders.').waitFor()
        await examine(page, 'comparison in German at 320')
        await page.goto(`${visits.origin}/documents/${id}?tab=comments`)
        await page.getByRole('combobox', { name: 'Personen erwähnen' }).waitFor()
        await examine(page, 'comments in German at 320')
      },
      { viewport: { width: 320, height: 640 } },
    )
  })

  // proves: DOC-03
  it('a picture is shown as a page; what cannot be is downloaded, with its signed copy and its dossier', async () => {
    const settings = { upload_types: ['pdf', 'html', 'md', 'png'], change_reason: 'For this test' }
    ok(await world.as('ada').put('/api/settings/', settings))
    const bytes = Buffer.from('<html><body>Rinse</body></html>')
    const { id, number } = await paper.upload({ title: 'A page' }, { bytes, name: 'a.html' })
    const picture = await paper.upload({ title: 'A picture' }, { bytes: png, name: 'swab.png' })
    await visits.visitAs('quinn', `/documents/${picture.id}`, async page => {
      await page.getByText('Page 1 of 1', { exact: true }).waitFor()
      await page.locator('[data-page="1"] canvas').waitFor()

      await page.goto(`${visits.origin}/documents/${id}`)
      await page.getByRole('heading', { name: 'This kind of file cannot be shown here' }).waitFor()
      await page.getByText('cannot be shown as pages').waitFor()
      await examine(page, 'no preview')
      const downloaded = async (button: Locator) => {
        const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
        const chunks: Buffer[] = []
        for await (const chunk of await download.createReadStream()) chunks.push(chunk)
        return { name: download.suggestedFilename(), begins: Buffer.concat(chunks).subarray(0, 4).toString() }
      }
      const file = await downloaded(page.getByRole('button', { name: 'Download the file' }))
      assert.deepEqual(file, { name: 'a.html', begins: '<htm' })
      const more = page.getByRole('button', { name: 'More actions' })
      await more.click()
      const copy = await downloaded(page.getByRole('menuitem', { name: 'Download the signed copy' }))
      assert.deepEqual([copy.begins, copy.name.startsWith(number), copy.name.endsWith('.pdf')], ['%PDF', true, true])
      await more.click()
      const dossier = await downloaded(page.getByRole('menuitem', { name: /dossier/i }))
      assert.deepEqual([dossier.begins, dossier.name.includes(number)], ['PK\u0003\u0004', true])
    })
  })

  // proves: AUD-01
  it('an earlier version has its approvals, and a document can be seen as it was', async () => {
    const { id } = await paper.effective({ title: 'Gowning' })
    const then = new Date().toISOString()
    ok(await paper.addVersion(id, { title: 'Gowning and undressing' }))
    await paper.release(id)
    await visits.visitAs('otto', `/documents/${id}?version=1.0`, async page => {
      const panel = page.getByRole('region', { name: 'Approval' })
      await panel.getByText('Petra Example').waitFor()
      await panel.getByText('Quentin Example').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Approve', exact: true }).count(), 0)

      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: 'Show as it was on a day' }).click()
      const dialog = page.getByRole('dialog', { name: 'Show the document as it was' })
      await fillDay(dialog, 'Day', then.slice(0, 10))
      await dialog.getByText('Choose a day before today.').waitFor()
      await examine(page, 'day')
      // A day that is copied from elsewhere.
      await page.evaluate(`{
        const clipboardData = new DataTransfer()
        clipboardData.setData('text', ' 29.02.2020')
        document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
      }`)
      assert.deepEqual(await dialog.getByRole('spinbutton').allInnerTexts(), ['29', '02', '2020'])
      await dialog.getByRole('button', { name: 'Show' }).click()
      await page.getByRole('note').getByText('As it was on 29 Feb 2020').waitFor()
      await page.getByRole('alert').waitFor()

      await page.goto(`${visits.origin}/documents/${id}?as_of=${then}`)
      await page.getByRole('heading', { name: /Gowning$/, level: 1 }).waitFor()
      await page
        .getByRole('note')
        .getByText(/^As it was on /)
        .waitFor()
      await page.getByText('Effective', { exact: true }).first().waitFor()
      assert.equal(await page.getByRole('tab').count(), 0)
      assert.equal(await page.getByRole('button', { name: /Approve|More actions/ }).count(), 0)
      await examine(page, 'as it was')
      await page.getByRole('link', { name: 'Back to today' }).click()
      await page.getByRole('heading', { name: /Gowning and undressing/ }).waitFor()
    })
  })
})
