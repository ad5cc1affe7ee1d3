// Training in a real browser: a person learns and signs, a trainer assigns, writes, verifies and looks over everybody.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { examine, logIn, openVisits } from '#test/browser/visits.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { pdfOf } from '#test/builders/pdf.ts'
import { questions, trainings } from '#test/builders/training.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

/** A tablet that is held upright, and touched. */
const tablet = { viewport: { width: 768, height: 1024 }, hasTouch: true, isMobile: true }

describe('training in a browser', () => {
  let world: World
  let visits: Awaited<ReturnType<typeof openVisits>>
  let procedure: { id: number; number: string }
  let reading: Json
  let quiz: Json
  let onTheJob: Json
  before(async () => {
    await buildWeb()
    world = await openWorld()
    visits = await openVisits(world)
    const training = trainings(world)
    const { upload, release } = papers(world)
    const { id } = await upload({ title: 'Gowning' }, { bytes: await pdfOf(3), name: 'gowning.pdf' })
    procedure = await release(id)
    reading = await training.create({
      title: 'Read: gowning',
      type: 'read_and_understand',
      document_id: procedure.id,
      questions,
      max_attempts: 2,
    })
    quiz = await training.create({ title: 'Hygiene questions', type: 'quiz', questions })
    onTheJob = await training.create({
      title: 'Gowning under supervision',
      type: 'on_the_job',
      requires_verification: true,
    })
  })
  after(async () => {
    await visits?.close()
    await world.close()
  })

  const announced = (page: Page, text: string) => page.getByRole('alertdialog').getByText(text).waitFor()
  const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
  const sign = async (page: Page, submit: string) => {
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Your password').fill(password)
    await dialog.getByRole('button', { name: submit }).click()
  }
  const toTheEnd = (page: Page) =>
    page.evaluate(`{
      const pages = document.querySelector('main [role=document]')
      pages.scrollTo(0, pages.scrollHeight)
    }`)
  /** The answers of the form of `questions` in sight say of themselves whether they are right. */
  const answer = async (page: Page, isRight: boolean) => {
    const options = page.getByRole('main').locator('label')
    const fitting = isRight ? options.filter({ hasText: '(right)' }) : options.filter({ hasNotText: '(right)' })
    await fitting.first().waitFor()
    for (const option of await fitting.all()) await option.tap()
  }
  const pick = async (page: Page, label: string, text: string, option: RegExp | string = text) => {
    await page.getByRole('combobox', { name: label }).fill(text)
    await page.getByRole('option', { name: option }).click()
  }

  // proves: TRN-02
  it('on a tablet, somebody reads to the last page, does not pass at first, and signs', async () => {
    await trainings(world).assign(reading.id, ['uma'])
    const visit = async (page: Page) => {
      await logIn(page, 'uma')
      await page.getByRole('heading', { name: 'You are trained in everything' }).waitFor({ state: 'detached' })
      await page.getByRole('heading', { name: 'Later' }).waitFor()
      await examine(page, 'my training')
      await page.getByRole('link', { name: 'Read: gowning' }).tap()
      const pages = page.getByRole('document', { name: 'Pages of the file' })
      await pages.getByText('The original, sheet 1').waitFor()
      await page.getByText('In progress').waitFor()
      const onwards = button(page, 'Go to the questions')
      await examine(page, 'reading')
      assert.equal(await onwards.getAttribute('aria-disabled'), 'true', 'not before the last page')
      await toTheEnd(page)
      await page.getByText('You reached the last page.').waitFor()
      await onwards.tap()

      await page.getByText('Question 1 of 2').waitFor()
      assert.doesNotMatch(
        await page.getByRole('main').innerText(),
        /It is Hood|explanation/i,
        'nothing says what is right',
      )
      const option = (await page.locator('main label').first().boundingBox())!
      assert.ok(option.height >= 44, `an answer is ${option.height} px high`)
      await examine(page, 'question')
      await answer(page, false)
      await button(page, 'Next question').tap()
      await page.getByText('Question 2 of 2').waitFor()
      await answer(page, false)
      await page.reload()
      await page.getByText('Question 2 of 2').waitFor()
      await button(page, 'Go to the signature').tap()
      await page.getByText('You read').waitFor()
      await examine(page, 'summary')
      await button(page, 'Sign').tap()
      await page.getByRole('dialog').getByText('I have read version 1.0 and understood it.').waitFor()
      await examine(page, 'signature of a training')
      await sign(page, 'Sign and hand in the answers')

      const failed = page.getByRole('region', { name: 'Not passed this time' })
      await failed.getByText('One attempt is left.').waitFor()
      await examine(page, 'not passed')
      await failed.getByRole('button', { name: 'Try again' }).tap()
      await page.getByText('Question 1 of 2').waitFor()
      await answer(page, true)
      await button(page, 'Next question').tap()
      await answer(page, true)
      await button(page, 'Go to the signature').tap()
      await button(page, 'Sign').tap()
      await sign(page, 'Sign and hand in the answers')
      await page.getByRole('region', { name: 'Completed' }).getByText('You count as trained.').waitFor()
      await examine(page, 'completed')
    }
    await visits.visit('/training', visit, tablet)
    const [signed] = await world.rows<{ intent: string; score: number; attempts: number; opened: boolean }>(
      `select s.intent, a.score, a.attempts, a.opened_at is not null as opened from training_assignments a
       join signatures s on s.id = a.signature_id where a.program_id = $1 and a.status = 'completed'`,
      [reading.id],
    )
    assert.deepEqual(signed, {
      intent: 'I have read and understood version 1.0 of Read: gowning',
      score: 100,
      attempts: 2,
      opened: true,
    })
  })

  // proves: TRN-02
  it('a version that came meanwhile is said, and read again before anything is signed', async () => {
    const { addVersion, upload, release } = papers(world)
    const { id } = await upload({ title: 'Line clearance' }, { bytes: await pdfOf(1), name: 'line.pdf' })
    await release(id)
    const program = await trainings(world).create({
      title: 'Read: line clearance',
      type: 'read_and_understand',
      document_id: id,
    })
    await trainings(world).assign(program.id, ['alan'])
    await visits.visitAs('alan', `/training/${program.id}`, async page => {
      const pages = page.getByRole('document', { name: 'Pages of the file' })
      await pages.getByText('The original, sheet 1').waitFor()
      await toTheEnd(page)
      await page.getByText('You reached the last page.').waitFor()
      await button(page, 'Go to the signature').click()
      await button(page, 'Sign').click()
      await page.getByRole('dialog').getByLabel('Your password').fill(password)
      const second = { bytes: await pdfOf(2), name: 'line.pdf' }
      ok(await addVersion(id, { change_type: 'major', training_impact: 'reassign_all' }, 'alan', second))
      await release(id)
      await world.work()
      await page.getByRole('dialog').getByRole('button', { name: 'Sign and complete' }).click()
      await page.getByRole('alert').getByText('Version 2.0 has replaced version 1.0').waitFor()
      await pages.getByRole('group', { name: 'Page 2 of 2' }).waitFor()
      await toTheEnd(page)
      await page.getByText('You reached the last page.').waitFor()
      await button(page, 'Go to the signature').click()
      await button(page, 'Sign').click()
      await page.getByRole('dialog').getByText('I have read version 2.0').waitFor()
      await sign(page, 'Sign and complete')
      await page.getByRole('region', { name: 'Completed' }).waitFor()
    })
  })

  // proves: TRN-01, TRN-02
  it('a trainer writes a program, orders it in a curriculum, assigns it, and sees a circle refused', async () => {
    await visits.visitAs('quinn', '/training/programs', async page => {
      await page.getByRole('rowheader', { name: 'Hygiene questions' }).waitFor()
      await examine(page, 'programs')
      await button(page, 'New program').click()
      await button(page, 'Create').click()
      await page.getByText('Enter a title.').waitFor()
      await page.getByLabel('Title').fill('Cleanroom basics')
      await page.getByRole('radio', { name: /^Quiz/ }).check({ force: true })
      for (const [text, right] of [
        ['What comes first?', 'Hands'],
        ['What comes last?', 'Gloves'],
      ] as const) {
        await button(page, 'Add a question').click()
        const dialog = page.getByRole('dialog', { name: 'Add a question' })
        await dialog.getByRole('textbox', { name: 'Question' }).fill(text)
        await dialog.getByRole('textbox', { name: 'Answer 1' }).fill(right)
        await dialog.getByRole('textbox', { name: 'Answer 2' }).fill('Shoes')
        await dialog.getByRole('button', { name: 'Apply' }).click()
        await dialog.getByText('Mark exactly one answer as right.').waitFor()
        await dialog.getByText('Right', { exact: true }).first().click()
        if (right === 'Gloves') await examine(page, 'question dialog')
        await dialog.getByRole('button', { name: 'Apply' }).click()
      }
      // By keys alone: the last question before the first.
      await page.getByRole('dialog').waitFor({ state: 'detached' })
      await button(page, 'Add a question').focus()
      for (const key of ['Tab', 'ArrowDown', 'Tab', 'Enter']) await page.keyboard.press(key)
      const isAt = (name: RegExp) => page.locator(':focus').and(page.getByRole('button', { name })).waitFor()
      await isAt(/^Insert after/)
      await page.keyboard.press('ArrowUp')
      await isAt(/^Insert between/)
      await page.keyboard.press('ArrowUp')
      await isAt(/^Insert before/)
      await page.keyboard.press('Enter')
      await page.getByRole('row').first().getByText('What comes last?').waitFor()
      await examine(page, 'program')
      await button(page, 'Create').click()
      await page.getByText('questions version 1').waitFor()

      await button(page, 'Assign').click()
      await pick(page, 'People', 'anna', /^Anna/)
      await page.getByRole('dialog').getByRole('button', { name: 'Assign training' }).click()
      await page.getByRole('dialog').getByText('One person is assigned.').waitFor()
      await page.getByRole('dialog').getByRole('button', { name: 'Close' }).last().click()
    })
    const [made] = await world.rows<{ id: number }>(
      `select id::int from training_programs where title = 'Cleanroom basics'`,
    )
    const { questions: stored } = await trainings(world).get('quinn', made!.id)
    assert.deepEqual(
      stored.map(({ text }: Json) => text),
      ['What comes last?', 'What comes first?'],
    )

    ok(
      await world.as('quinn').post('/api/training/curricula/', {
        name: 'Before',
        programs: [{ training_id: quiz.id, is_prerequisite: true }, { training_id: made!.id }],
      }),
    )
    await visits.visitAs('quinn', '/training/curricula/new', async page => {
      await page.getByRole('textbox', { name: 'Name', exact: true }).fill('Newcomers')
      await pick(page, 'Roles', 'Author')
      await pick(page, 'Add a program', 'Cleanroom', /Cleanroom basics/)
      await pick(page, 'Add a program', 'Hygiene', /Hygiene questions/)
      await page
        .getByRole('button', { name: /^Prerequisite: / })
        .first()
        .click()
      await button(page, 'Create').click()
      await page.getByRole('alert').getByText('Nobody could begin these programs').waitFor()
      await page.getByRole('alert').getByText('in Newcomers').waitFor()
      await examine(page, 'a circle')
      await page
        .getByRole('button', { name: /^Prerequisite: / })
        .first()
        .click()
      await page
        .getByRole('button', { name: /^Actions for TRN/ })
        .last()
        .click()
      await page.getByRole('menuitem', { name: 'Move up' }).click()
      await page
        .getByRole('button', { name: /^Prerequisite: / })
        .first()
        .click()
      await page.getByText('after').waitFor()
      await button(page, 'Create').click()
      await announced(page, 'Newcomers is created')
      await page.goto(`${visits.origin}/training/curricula`)
      await page.getByRole('rowheader', { name: 'Newcomers' }).waitFor()
      await examine(page, 'curricula')
    })
    await world.tick()
    await visits.visitAs('anna', `/training/${made!.id}`, async page => {
      await page.getByRole('heading', { name: 'Something else comes first' }).waitFor()
      await page.getByRole('link', { name: /Hygiene questions/ }).waitFor()
      await page.goto(`${visits.origin}/training`)
      await page.getByText(/Complete TRN-\d+ Hygiene questions first/).waitFor()
    })
  })

  // proves: TRN-03
  it('a trainer verifies one after the other, each with a signature, waives and cancels', async () => {
    const training = trainings(world)
    await training.assign(onTheJob.id, ['uma', 'anna', 'alan', 'petra'])
    for (const name of ['uma', 'anna']) ok(await training.complete(name, onTheJob.id))
    await visits.visitAs('quinn', '/training/assignments', async page => {
      await page.getByRole('rowheader', { name: 'Gowning under supervision' }).first().waitFor()
      await examine(page, 'assignments')
      await page.getByRole('link', { name: 'To verify', exact: true }).click()
      await button(page, 'Verify these 2').click()
      const dialog = page.getByRole('dialog', { name: 'Verify this training' })
      await dialog.getByText('1 of 2').waitFor()
      await examine(page, 'verification')
      await sign(page, 'Sign and verify')
      await dialog.getByText('2 of 2').waitFor()
      assert.equal(await dialog.getByLabel('Your password').inputValue(), '', 'each signature asks for it')
      await sign(page, 'Sign and verify')
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('Nothing waits for verification').waitFor()

      const open = async (name: string) => {
        await page.goto(`${visits.origin}/training/assignments?program=${onTheJob.id}`)
        await page
          .getByRole('rowheader', { name: new RegExp(name) })
          .getByRole('link')
          .click()
      }
      await open('Alan')
      await button(page, 'Waive').click()
      await page.getByRole('dialog').getByRole('button', { name: 'Waive' }).click()
      await page.getByText('Enter a reason.').waitFor()
      await page.getByLabel('Reason').fill('He teaches it')
      await page.getByRole('dialog').getByRole('button', { name: 'Waive' }).click()
      await page.getByText('He teaches it').waitFor()
      await examine(page, 'assignment')
      await open('Petra')
      await button(page, 'Remind').click()
      await page.getByLabel('What you want to say').fill('The shift plan needs you')
      await page.getByRole('dialog').getByRole('button', { name: 'Remind' }).click()
      await announced(page, 'Petra Example is reminded')
      // Once a day.
      await page.getByRole('button', { name: 'Remind', disabled: true }).waitFor()
      await button(page, 'Cancel the assignment').click()
      await page.getByLabel('Reason').fill('Not needed')
      await page.getByRole('dialog').getByRole('button', { name: 'Cancel the assignment' }).click()
      await announced(page, 'The assignment of Petra Example is cancelled')
    })
    const found = await world.rows<{ username: string; status: string; is_signed: boolean }>(
      `select u.username, a.status, a.verification_signature_id is not null as is_signed
       from training_assignments a join users u on u.id = a.user_id where a.program_id = $1 order by 1`,
      [onTheJob.id],
    )
    assert.deepEqual(
      found.map(({ username, status, is_signed }) => [username, status, is_signed]),
      [
        ['alan', 'waived', false],
        ['anna', 'completed', true],
        ['petra', 'cancelled', false],
        ['uma', 'completed', true],
      ],
    )
  })

  it('the matrix is gone through by keys, narrowed by its address, opened from a cell, and printed with its heads', async () => {
    await visits.visitAs('otto', '/training/matrix', async page => {
      const grid = page.getByRole('grid', { name: 'Training matrix' })
      const cellOf = (person: string, program: string) =>
        grid.getByRole('row', { name: new RegExp(person) }).getByTitle(new RegExp(`^${program}: `))
      await grid.getByRole('rowheader', { name: /Uma Example/ }).waitFor()
      assert.equal(await grid.getAttribute('aria-rowcount'), '9')
      assert.match((await cellOf('Uma Example', reading.number).getAttribute('aria-label'))!, /^Trained/)
      await examine(page, 'matrix')

      await grid.locator('[tabindex="0"]').focus()
      await page.keyboard.press('Control+End')
      await page.keyboard.press('Control+Home')
      await page.keyboard.press('ArrowDown')
      await page.keyboard.press('ArrowRight')
      const focused =
        'document.activeElement.closest("[role=row]").ariaRowIndex + " " + document.activeElement.ariaColIndex'
      assert.equal(await page.evaluate(focused), '3 2')

      await page.emulateMedia({ media: 'print' })
      await page.evaluate('window.print = () => {}')
      await page.emulateMedia({ media: 'screen' })
      await button(page, 'Print').click()
      await page.locator('body > div > table').waitFor({ state: 'attached' })
      await page.emulateMedia({ media: 'print' })
      const sheets = await page.evaluate<string[]>(
        '[...document.querySelectorAll("body > div > table")].map(table => getComputedStyle(table.tHead).display)',
      )
      assert.deepEqual(sheets, ['table-header-group'], 'the browser repeats its head on each page')
      assert.equal(await page.getByRole('main').isVisible(), false, 'the table alone is printed')
      await page.emulateMedia({ media: 'screen' })
      await page.evaluate('dispatchEvent(new Event("afterprint"))')

      await page.getByRole('button', { name: 'Standing', exact: true }).click()
      await page.getByRole('menuitemcheckbox', { name: 'Waived' }).click()
      await page.keyboard.press('Escape')
      await page.waitForURL(/standing=waived/)
      await grid.getByRole('rowheader', { name: /Alan Example/ }).waitFor()
      await grid.getByRole('rowheader', { name: /Uma Example/ }).waitFor({ state: 'detached' })
      await cellOf('Alan Example', onTheJob.number).click()
      await page.getByRole('heading', { name: /Gowning under supervision/ }).waitFor()
      await page.getByRole('link', { name: 'Training record of Alan Example' }).click()
      await page.getByRole('heading', { name: /Training record Alan Example/ }).waitFor()
      await examine(page, 'record of a person')
      const [file] = await Promise.all([page.waitForEvent('download'), button(page, 'PDF').click()])
      assert.match(file.suggestedFilename(), /^Training record alan .*\.pdf$/)
    })
  })

  it('a message leads to the training, in German too, on a telephone', async () => {
    const assignment = await trainings(world).assign(quiz.id, ['uma'])
    await visits.visit(
      `/training/assignments/${assignment}`,
      async page => {
        await page.getByRole('textbox').first().fill('uma')
        await page.locator('input[type=password]').fill(password)
        await page.keyboard.press('Enter')
        await page.getByRole('heading', { name: 'Hygiene questions' }).waitFor()
        await page.waitForURL(new RegExp(`/training/${quiz.id}$`))
        await page.getByText('Frage 1 von 2').waitFor()
        await examine(page, 'German question')
        await page.goto(`${visits.origin}/training`)
        await page.getByRole('heading', { name: 'Meine Schulungen' }).waitFor()
        await page.getByRole('link', { name: 'Hygiene questions' }).waitFor()
        await examine(page, 'German training')
      },
      { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale: 'de-DE' },
    )
  })
})
