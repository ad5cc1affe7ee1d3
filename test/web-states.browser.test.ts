// Every state of a list, a record and a form, each shown once: what stands there while nothing is there yet, or when the service refuses.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { examine, logIn, openVisits } from '#test/browser/visits.ts'
import { papers } from '#test/builders/documents.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

/** Lets no answer of the service through until `go` is called. */
async function hold(page: Page, pattern: RegExp) {
  let go = () => {}
  const gate = new Promise<void>(resolve => {
    go = resolve
  })
  await page.route(pattern, async route => {
    await gate
    await route.continue()
  })
  return async () => {
    go()
    await page.unrouteAll({ behavior: 'wait' })
  }
}

const alert = (page: Page) => page.getByRole('main').getByRole('alert')
const rowOf = (page: Page, name: string) => page.getByRole('rowheader', { name })

describe('states of lists, records and forms', () => {
  let world: World
  let visits: Awaited<ReturnType<typeof openVisits>>
  let gowning: { id: number; number: string }
  let hygiene: { id: number; number: string }
  before(async () => {
    await buildWeb()
    world = await openWorld()
    visits = await openVisits(world)
    gowning = await papers(world).effective({ title: 'Gowning' })
    hygiene = await papers(world).submitted({ title: 'Hand hygiene' })
  })
  after(async () => {
    await visits?.close()
    await world.close()
  })

  it('a list: loading, the page before while the next one loads, empty, no answer, and our fault', async () => {
    await visits.visit('/sign-in', async page => {
      await logIn(page, 'petra')
      await page.getByRole('heading', { name: 'My work' }).waitFor()
      const list = /\/api\/documents\/\?/
      const letFirst = await hold(page, list)
      await page.getByRole('link', { name: 'Documents', exact: true }).click()
      await page.getByRole('main').getByRole('status', { name: 'Loading' }).waitFor()
      await examine(page, 'list, loading')
      await letFirst()
      await rowOf(page, 'Gowning').waitFor()

      const letSorted = await hold(page, list)
      await page.getByRole('button', { name: 'Sort by Title' }).click()
      await page.locator('[aria-busy=true]').getByRole('rowheader', { name: 'Gowning' }).waitFor()
      await examine(page, 'list, the page before')
      await letSorted()
      await page.locator('[aria-busy=false] th[aria-sort=ascending]').waitFor()

      await page.getByRole('button', { name: 'Needs revision' }).click()
      await page.getByText('No document matches').waitFor()
      await examine(page, 'list, empty')
      await page.getByRole('button', { name: 'Clear filters' }).last().click()
      await rowOf(page, 'Gowning').waitFor()

      await page.context().setOffline(true)
      await page.getByRole('button', { name: 'Sort by Number' }).click()
      await alert(page).getByText('The service does not answer').waitFor()
      await page.getByRole('searchbox', { name: 'Number, title or keyword' }).waitFor()
      await examine(page, 'list, no answer')
      await page.context().setOffline(false)
      await page.getByRole('button', { name: 'Try again' }).click()
      await rowOf(page, 'Gowning').waitFor()

      // Nothing makes the service itself fail at will, so this answer is written here, as it writes one.
      const fault = { detail: 'Something went wrong on our side.', request_id: 'ref-4711' }
      await page.route(list, route => route.fulfill({ status: 500, json: fault }))
      await page.getByRole('button', { name: 'Sort by Owner' }).click()
      await alert(page).getByText('This could not be loaded').waitFor()
      await alert(page).getByText('Reference for support: ref-4711').waitFor()
      await examine(page, 'list, our fault')
      await page.unroute(list)
      await page.getByRole('button', { name: 'Try again' }).click()
      await rowOf(page, 'Gowning').waitFor()
    })
  })

  // proves: AUTH-05
  it('a list and a record that somebody may not read, and one that is not there', async () => {
    await visits.visitAs('pat', '/documents', async page => {
      await alert(page).getByText('You may not read this').waitFor()
      assert.equal(await page.getByText('Gowning').count(), 0)
      assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0, 'which would not help')
      await examine(page, 'list, refused')
      await page.goto(`${visits.origin}/documents/${gowning.id}`)
      await alert(page)
        .getByText(/^You may not read this$|^There is no such page or record$/)
        .waitFor()
      assert.equal(await page.getByText('Gowning').count(), 0)
    })
    await visits.visitAs('petra', '/documents/424242', async page => {
      await alert(page).getByText('There is no such page or record').waitFor()
      assert.equal(await page.getByRole('button', { name: 'Try again' }).count(), 0)
      await examine(page, 'record, not there')
    })
  })

  it('a record: loading, no answer, and without anything in one of its parts', async () => {
    await visits.visitAs('petra', '/documents', async page => {
      await rowOf(page, 'Gowning').waitFor()
      const record = new RegExp(`/api/documents/${gowning.id}(\\?|$)`)
      const letIt = await hold(page, record)
      await rowOf(page, 'Gowning').getByRole('link').click()
      await page.getByRole('main').getByRole('status', { name: 'Loading' }).waitFor()
      await examine(page, 'record, loading')
      await letIt()
      await page.getByRole('heading', { name: /Gowning/ }).waitFor()
      await page.getByRole('tab', { name: 'Comments' }).click()
      await page.getByText('No comments on this version').waitFor()
      await examine(page, 'record, a part without anything')

      await page.context().setOffline(true)
      await page.getByRole('tab', { name: 'Timeline' }).click()
      await alert(page).getByText('The service does not answer').waitFor()
      await page.getByRole('heading', { name: /Gowning/ }).waitFor()
      await examine(page, 'record, no answer')
      await page.context().setOffline(false)
      await page.getByRole('button', { name: 'Try again' }).click()
      await page.getByText('automatically').first().waitFor()
    })
  })

  it('a form: wrong input at its field, no answer, a conflict, a stale revision, and done', async () => {
    await visits.visitAs('petra', `/documents/${hygiene.id}`, async page => {
      const open = () => page.getByRole('button', { name: 'Approve', exact: true }).click()
      const dialog = page.getByRole('dialog', { name: 'Sign your approval' })
      const send = async () => {
        await dialog.getByLabel('Your password').fill(password)
        await dialog.getByRole('button', { name: 'Sign and approve' }).click()
      }
      await open()
      await dialog.getByLabel('Remark').fill('x'.repeat(2001))
      await send()
      await dialog.locator('[slot=errorMessage]').waitFor()
      assert.equal(await dialog.getByLabel('Remark').getAttribute('aria-invalid'), 'true')
      assert.equal(await dialog.getByLabel('Remark').inputValue(), 'x'.repeat(2001), 'what was typed stays')
      await examine(page, 'form, wrong input')

      await dialog.getByLabel('Remark').fill('Complete')
      await page.context().setOffline(true)
      await send()
      await dialog.getByRole('alert').getByText('The service does not answer').waitFor()
      await examine(page, 'form, no answer')
      await page.context().setOffline(false)
      assert.equal(await dialog.getByLabel('Remark').inputValue(), 'Complete')

      await papers(world).move('alan', hygiene.id, 'withdraw', 'One page is missing')
      await papers(world).move('alan', hygiene.id, 'submit')
      await send()
      await page.getByRole('alert').getByText('Someone changed this record while you had it open').waitFor()
      await examine(page, 'form, stale revision')
      await page.getByRole('button', { name: 'Show the current state' }).click()
      await open()
      assert.equal(await dialog.getByLabel('Remark').inputValue(), 'Complete', 'the remark is kept')
      await send()
      await page.getByRole('alertdialog').getByText(`${hygiene.number} is signed`).waitFor()
      await page.getByRole('main').getByText('In approval').first().waitFor()
    })
    const decisions = await world.rows(
      `select d.id from document_decisions d join document_versions v on v.id = d.version_id where v.document_id = $1`,
      [hygiene.id],
    )
    assert.equal(decisions.length, 1, 'nothing was sent twice')
  })

  it('a form whose record somebody else settled meanwhile says so beside the button', async () => {
    const { id } = await papers(world).effective({ title: 'Pest control' })
    await world.as('quinn').post(`/api/documents/${id}/comments`, { text: 'Which traps?', version: '1.0' })
    await visits.visitAs('petra', `/documents/${id}?tab=comments`, async page => {
      await page.getByRole('button', { name: 'Resolve' }).click()
      const dialog = page.getByRole('dialog', { name: 'Resolve the comment' })
      await dialog.getByLabel('Reply').fill('Those of annex 2')
      const [comment] = (await papers(world).get('quinn', id, '/comments')).items
      const reply = await world.as('quinn').post(`/api/documents/${id}/comments/${comment.id}/resolve`, {})
      assert.equal(reply.statusCode, 200, reply.body)
      await dialog.getByRole('button', { name: 'Resolve' }).click()
      await dialog.getByRole('alert').waitFor()
      assert.equal(await dialog.getByLabel('Reply').inputValue(), 'Those of annex 2')
      await examine(page, 'form, conflict')
    })
  })

  it('a list of work without anything in it says so once', async () => {
    await visits.visitAs('otto', '/', async page => {
      await page.getByRole('main').getByRole('heading', { name: 'My work' }).waitFor()
      await page.getByText('Nothing waits for you').waitFor()
      await page.getByText('You have read everything.').waitFor()
      await examine(page, 'my work, nothing waits')
    })
  })
})
