// Search over everything and the assistant, in a real browser. The model is a real server that answers what it is told to.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { examine, openVisits } from '#test/browser/visits.ts'
import { cases } from '#test/builders/cases.ts'
import { ok } from '#test/builders/documents.ts'
import { pdfOf } from '#test/builders/text-files.ts'
import { told } from '#test/builders/told.ts'
import { type Openai, openOpenai } from '#test/fakes/openai.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

describe('search and assistant in a browser', () => {
  let world: World
  let model: Openai
  let visits: Awaited<ReturnType<typeof openVisits>>
  const quote = 'Gloves are changed every two hours, and after each intervention.'
  before(async () => {
    await buildWeb()
    model = await openOpenai()
    world = await openWorld(model.environment)
    const pages = ['This procedure is for everybody who enters the filling room.', `Gloves are disinfected. ${quote}`]
    const file = { bytes: await pdfOf(pages.map(text => page => page.text(text))), name: 'gowning.pdf' }
    await told(world).effective({ title: 'Gowning for the filling room', pages, file })
    await cases(world).deviation({ title: 'Torn gloves at the filling line' })
    visits = await openVisits(world)
  })
  after(async () => {
    await visits?.close()
    await world.close()
    await model.close()
  })

  /** The marked words of the pages, once there are some. */
  async function marked(page: Page): Promise<string[]> {
    for (let tries = 0; tries < 100; tries++) {
      const words = await page.evaluate<string[]>(`[...(CSS.highlights.get('wanted') ?? [])].map(String)`)
      if (words.length > 0) return words
      await page.waitForTimeout(50)
    }
    throw new Error('nothing is marked')
  }

  it('finds records and passages in one page, and opens a document where it says it', async () => {
    await visits.visitAs('alan', '/search', async page => {
      await page.getByRole('searchbox', { name: 'Words, number or title' }).fill('gloves')
      await page.getByRole('link', { name: 'Torn gloves at the filling line' }).waitFor()
      await page.getByRole('heading', { name: 'In the text of documents' }).waitFor()
      await examine(page, 'search')
      await page.getByRole('button', { name: 'Kind' }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Document', exact: true }).click()
      await page.keyboard.press('Escape')
      await page.getByRole('heading', { name: 'Records' }).waitFor({ state: 'detached' })
      await page.getByRole('link', { name: 'Gowning for the filling room' }).click()
      await page.waitForURL(/\/documents\/\d+\?version=1\.0&page=2&mark=gloves$/)
      const words = await marked(page)
      assert.deepEqual([...new Set(words)], ['Gloves'])
    })
  })

  // proves: AI-01
  it('answers with sources that open beside the answer, and says where there is none', async () => {
    await visits.visitAs('alan', '/assistant', async page => {
      const ask = async (question: string) => {
        await page.getByRole('textbox', { name: 'Your question' }).fill(question)
        await page.getByRole('button', { name: 'Ask', exact: true }).click()
      }
      await page.getByText('What do our documents say about').waitFor()
      model.answer(
        'Gloves are changed:\n\n- every **two hours** [1]\n- after each [site](https://elsewhere.example) <b>intervention</b> [1]',
      )
      await ask('How often are gloves changed?')
      const source = page.getByRole('button', { name: /^Source 1: / }).first()
      await source.waitFor()
      await page.getByText('Made by a machine. Check it').last().waitFor()
      assert.equal(await page.getByRole('link', { name: 'site' }).count(), 0)
      await examine(page, 'an answer')
      await source.click()
      const beside = page.getByRole('complementary', { name: /^Source 1: / })
      await beside.getByRole('heading', { name: 'Gowning for the filling room' }).waitFor()
      const [words] = await marked(page)
      assert.ok(quote.startsWith(words!.replaceAll(/\s+/g, ' ').slice(0, 20)), words)
      await examine(page, 'a source beside it')
      await beside.getByRole('button', { name: 'Close the source' }).click()

      model.answer('NOT_IN_SOURCES')
      await ask('Who won the football match?')
      await page.getByText('Your documents do not say this').waitFor()
      model.answer(() => ({ pieces: ['Wait ', 'for it '], drip_ms: 2000 }))
      await ask('How slow is the model?')
      await page.getByText('The answer is being written').waitFor()
      await page.getByRole('button', { name: 'Stop' }).click()
      await page.getByText('You stopped this answer.').waitFor()
      assert.equal(await page.getByRole('textbox', { name: 'Your question' }).inputValue(), 'How slow is the model?')
    })
  })

  it('examines a document, writes a draft, and says when it is off', async () => {
    await visits.visitAs('alan', '/assistant?tab=examine', async page => {
      await page.getByRole('button', { name: 'Examine', exact: true }).click()
      await page.getByText('Choose a document.').waitFor()
      await page.getByRole('combobox', { name: 'Document' }).fill('gowning')
      await page.getByRole('option', { name: /Gowning for the filling room/ }).click()
      await page.getByRole('textbox', { name: 'What shall be examined?' }).fill('How often are gloves changed?')
      model.answer('Every two hours [2].')
      await page.getByRole('button', { name: 'Examine', exact: true }).click()
      await page
        .getByRole('button', { name: /^Source 2: / })
        .first()
        .waitFor()

      await page.getByRole('tab', { name: 'Write a text' }).click()
      await page
        .getByRole('textbox', { name: 'What shall be written?' })
        .fill('A summary of the gowning for the filling room')
      await page.getByText('Make a draft of it').click()
      await page.getByRole('button', { name: /Document type/ }).click()
      await page.getByRole('option').first().click()
      await page.getByRole('textbox', { name: 'Title' }).fill('Gowning in short')
      await examine(page, 'to write a text')
      await page.getByRole('button', { name: 'Write', exact: true }).click()
      await page.getByRole('link', { name: /^Open / }).waitFor()
      const { items } = ok(await world.as('alan').get('/api/documents/?q=Gowning in short'))
      assert.equal(items.length, 1)

      ok(await world.as('ada').put('/api/ai/settings', { is_enabled: false, change_reason: 'Under review' }))
      await page.goto(`${visits.origin}/assistant`)
      await page.getByRole('heading', { name: 'The assistant is off' }).waitFor()
      await examine(page, 'the assistant is off')
    })
  })
})
