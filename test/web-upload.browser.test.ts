// What authors and the quality unit do with documents in a real browser: upload, submit, delegate, review, make obsolete.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { examine, fillDay, logIn, openVisits } from '#test/browser/visits.ts'
import { ok, papers } from '#test/builders/documents.ts'
import { pdfOf } from '#test/builders/pdf.ts'
import { trainings } from '#test/builders/training.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

describe('documents that are uploaded and changed in a browser', () => {
  let world: World
  let visits: Awaited<ReturnType<typeof openVisits>>
  let sheet: Buffer
  before(async () => {
    await buildWeb()
    world = await openWorld()
    visits = await openVisits(world)
    sheet = await pdfOf(1)
  })
  after(async () => {
    await visits?.close()
    await world.close()
  })

  const effective = async (title: string) => {
    const { upload, release } = papers(world)
    const { id } = await upload({ title }, { bytes: sheet, name: 'procedure.pdf' })
    return (await release(id)) as { id: number; number: string }
  }
  const submitted = async (title: string) => {
    const { upload, move } = papers(world)
    const { id, number } = await upload({ title }, { bytes: sheet, name: 'procedure.pdf' })
    ok(await move('alan', id, 'submit'))
    return { id, number } as { id: number; number: string }
  }
  const pdfFile = (name: string, buffer = sheet) => ({ name, mimeType: 'application/pdf', buffer })
  /** The menu of the document, and one of its acts. */
  const act = async (page: Page, name: string) => {
    await page.getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name, exact: true }).click()
  }
  const choose = async (page: Page, label: string, name: string) => {
    // What scrolls under a list closes it, and the page tells of its scrolling with its next picture.
    const box = page.getByRole('combobox', { name: label })
    await box.scrollIntoViewIfNeeded()
    await page.evaluate('new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))')
    await box.fill(name)
    // As a screen reader clicks: a mouse that misses a line which still moves would scroll to it.
    await page.getByRole('option', { name: new RegExp(name) }).dispatchEvent('click')
  }
  const announced = (page: Page, text: string) => page.getByRole('alertdialog').getByText(text).waitFor()

  // proves: DOC-01, DOC-07
  it('an author uploads by the keyboard alone, sees what follows, and submits', async () => {
    await visits.visit('/documents/new', async page => {
      const files = [
        { name: 'sampling_of-water.exe', mimeType: 'application/octet-stream', buffer: sheet },
        pdfFile('sampling.pdf'),
      ]
      page.on('filechooser', chooser => void chooser.setFiles(files.shift()!))
      await logIn(page, 'alan')
      await page.getByRole('heading', { name: 'Upload a document' }).waitFor()
      await page.getByRole('button', { name: 'Upload', exact: true }).focus()
      await page.keyboard.press('Enter')
      for (const missing of ['Choose a file.', 'Choose a type.', 'Enter a title.'])
        await page.getByText(missing, { exact: true }).waitFor()
      await examine(page, 'form with missing fields')

      // A file that the tenant does not accept is refused before a byte of it is sent, and nothing that was typed is lost.
      const chooseFile = page.getByRole('button', { name: /^Choose a/ }).first()
      await chooseFile.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('alert').getByText('sampling_of-water.exe has a type that your company does not').waitFor()
      const title = page.getByRole('textbox', { name: 'Title' })
      assert.equal(await title.inputValue(), 'Sampling of water', 'the file names the document')

      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByRole('listbox').waitFor()
      await page.keyboard.type('SOP')
      await page.keyboard.press('Enter')
      const follows = page.getByRole('region', { name: 'What follows' })
      await follows.getByText('GMP two-step approval').waitFor()
      await follows.getByRole('heading', { name: 'Review' }).waitFor()
      await follows.getByRole('heading', { name: 'Approval' }).waitFor()
      await follows
        .getByText(/Petra Example/)
        .first()
        .waitFor()
      assert.equal(await follows.getByText(/Alan Example/).count(), 1, 'the author drafts, and decides nothing')

      await page.keyboard.press('Tab')
      await page.keyboard.press('Tab')
      await page.keyboard.type('Utilities')
      await page.keyboard.press('Tab')
      await page.keyboard.type('water, sampling')
      await page.reload()
      await follows.getByRole('heading', { name: 'Review' }).waitFor()
      assert.equal(await title.inputValue(), 'Sampling of water', 'the draft survives a reload')
      assert.equal(await page.getByRole('textbox', { name: 'Keywords' }).inputValue(), 'water, sampling')

      await chooseFile.focus()
      await page.keyboard.press('Enter')
      await page.getByText('sampling.pdf').waitFor()
      assert.equal(await title.inputValue(), 'Sampling of water', 'a title is not overwritten')
      await examine(page, 'form and what follows')
      await title.focus()
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: /Sampling of water/, level: 1 }).waitFor()
      await page.waitForURL(/\/documents\/\d+$/)

      await page.getByRole('button', { name: 'Submit for approval' }).focus()
      await page.keyboard.press('Enter')
      const dialog = page.getByRole('dialog', { name: 'Submit this version' })
      await dialog.waitFor()
      await examine(page, 'submission')
      await dialog.getByRole('button', { name: 'Submit for approval' }).focus()
      await page.keyboard.press('Enter')
      await dialog.waitFor({ state: 'detached' })
      await page.getByText('In review').first().waitFor()
      // The form is empty for the next document.
      await page.goto(`${visits.origin}/documents/new`)
      await page.getByRole('heading', { name: 'Upload a document' }).waitFor()
      assert.equal(await title.inputValue(), '')
    })
    const [stored] = await world.rows<{ category: string; keywords: string[]; status: string }>(
      `select category, keywords, status from document_versions where title = 'Sampling of water'`,
    )
    assert.deepEqual(stored, { category: 'Utilities', keywords: ['water', 'sampling'], status: 'in_review' })
  })

  // proves: TMPL-01
  it('an author begins from a template, sees what it will read, and makes the draft', async () => {
    const { number } = await submitted('Sampling plan of the loop')
    const variable = (name: string, type: string, label: string, more: object = {}) => ({
      ...{ name, type, label, required: true },
      ...more,
    })
    const variables = [
      variable('task', 'text', 'Task', { help: 'In one line' }),
      variable('steps', 'long_text', 'Steps'),
      variable('runs', 'number', 'Number of runs'),
      variable('from', 'date', 'Valid from'),
      variable('lead', 'user', 'Responsible person'),
      variable('plan', 'document', 'Sampling plan'),
      variable('room', 'select', 'Room', { options: ['Grade C', 'Grade D'] }),
      variable('note', 'text', 'Note', { required: false }),
    ]
    const body = `# {{title}}\n\n| Room | Runs |\n|---|---|\n| {{room}} | {{runs}} |\n\n## Task\n\n{{task}}, from {{from}}, by {{lead}}, see {{plan}}. {{note}}\n\n{{steps}}\n`
    const given = {
      name: 'Sampling instruction',
      description: 'For each loop.',
      category: 'Utilities',
      body,
      variables,
    }
    const template = ok(await world.as('ada').post('/api/templates/', given))
    await visits.visitAs('alan', '/documents/new', async page => {
      await page.getByRole('link', { name: 'Begin from a template' }).click()
      await page.getByRole('button', { name: /^Choose a template/ }).click()
      await page.getByRole('option', { name: /^Sampling instruction/ }).click()
      await page.waitForURL(new RegExp(`from=template&template=${template.id}$`))
      const create = page.getByRole('button', { name: 'Create the draft' })
      await create.click()
      await page.getByText('Enter a title.').waitFor()
      assert.equal(await page.getByText('Fill in this field.').count(), 7, 'each required field says so')
      await page.waitForFunction(`document.activeElement.matches('input[aria-invalid=true]')`)
      await examine(page, 'template with missing fields')

      await page.getByLabel('Title').fill('Sampling *of* loop 2')
      await page.getByRole('button', { name: /^Choose a type/ }).click()
      await page.getByRole('option', { name: /^SOP/ }).click()
      await page.getByRole('region', { name: 'What follows' }).getByRole('heading', { name: 'Review' }).waitFor()
      await page.getByLabel('Task').fill('Take <b>samples</b>')
      await page.getByLabel('Steps').fill('1. Flush\nWait\n\nFill the bottle')
      await page.getByLabel('Number of runs').fill('three')
      await fillDay(page, 'Valid from', '2027-03-05')
      await choose(page, 'Responsible person', 'Petra Example')
      await choose(page, 'Sampling plan', number)
      await page.getByRole('button', { name: /^Choose one/ }).click()
      await page.getByRole('option', { name: 'Grade C' }).click()
      const preview = page.getByRole('button', { name: 'Preview' })
      await preview.click()
      await page.getByText('Enter a number such as 12 or 0.5.').waitFor()
      await page.reload()
      assert.equal(await page.getByLabel('Task').inputValue(), 'Take <b>samples</b>', 'the draft survives a reload')
      assert.equal(await page.getByRole('combobox', { name: 'Responsible person' }).inputValue(), 'Petra Example')
      await page.getByLabel('Number of runs').fill('3')
      await preview.click()
      const dialog = page.getByRole('dialog', { name: 'Preview' })
      await dialog.getByRole('heading', { name: 'Sampling *of* loop 2' }).waitFor()
      await dialog.getByRole('cell', { name: 'Grade C' }).waitFor()
      await dialog.getByText(`Take <b>samples</b>, from 2027-03-05, by Petra Example`).waitFor()
      await dialog.getByText('1. Flush').waitFor()
      await examine(page, 'preview of a template')
      await dialog.getByRole('button', { name: 'Create the draft' }).click()
      await page.getByRole('heading', { name: /Sampling \*of\* loop 2/, level: 1 }).waitFor()
      await page.waitForURL(/\/documents\/\d+$/)
      await page.getByRole('document', { name: 'Pages of the file' }).getByText('Fill the bottle').waitFor()
      await page.goto(`${visits.origin}/documents/new?from=template&template=${template.id}`)
      assert.equal(await page.getByLabel('Task').inputValue(), '', 'the form is empty for the next document')
    })
    const [made] = await world.rows<{ status: string; category: string }>(
      `select status, category from document_versions where title = 'Sampling *of* loop 2'`,
    )
    assert.deepEqual(made, { status: 'draft', category: 'Utilities' })
  })

  // proves: DOC-07
  it('a file that the service refuses, and an upload that is cancelled, keep the form', async () => {
    await visits.visitAs('alan', '/documents/new', async page => {
      const input = page.locator('input[type=file]')
      await input.setInputFiles(pdfFile('holding_time.pdf', Buffer.from('this is no PDF')))
      await page.getByRole('button', { name: /^Choose a type/ }).click()
      await page.getByRole('option', { name: /^SOP/ }).click()
      const submit = page.getByRole('button', { name: 'Upload', exact: true })
      await submit.click()
      await page.getByRole('alert').waitFor()
      const title = page.getByRole('textbox', { name: 'Title' })
      assert.equal(await title.inputValue(), 'Holding time')
      await page.getByText('holding_time.pdf').waitFor()
      await examine(page, 'refused file')

      // Slow enough that somebody can change their mind.
      const cdp = await page.context().newCDPSession(page)
      await cdp.send('Network.enable')
      const pace = (uploadThroughput: number) =>
        cdp.send('Network.emulateNetworkConditions', {
          offline: false,
          latency: 0,
          downloadThroughput: -1,
          uploadThroughput,
        })
      await pace(200_000)
      await input.setInputFiles(pdfFile('holding_time.pdf', pdf('x'.repeat(4_000_000))))
      await submit.click()
      const progress = page.getByRole('progressbar', { name: 'Uploading' })
      await progress.waitFor()
      await page.locator('[role=progressbar]:not([aria-valuenow="0"])').waitFor()
      await examine(page, 'upload under way')
      await page.getByRole('button', { name: 'Cancel the upload' }).click()
      await page.getByText('The upload was cancelled. Nothing was stored.').waitFor()
      assert.equal(await title.inputValue(), 'Holding time')
      await pace(-1)
      assert.deepEqual(await world.rows(`select id from document_versions where title = 'Holding time'`), [])

      await submit.click()
      await page.getByRole('heading', { name: /Holding time/, level: 1 }).waitFor()
    })
  })

  it('an author adds a version, and says what changed and who reads it anew', async () => {
    const { id, number } = await effective('Weighing')
    await visits.visitAs('alan', `/documents/${id}`, async page => {
      await page.getByRole('heading', { name: /Weighing/ }).waitFor()
      await act(page, 'New version')
      await page.getByRole('heading', { name: `New version of ${number}` }).waitFor()
      assert.equal(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Weighing')
      await page.locator('input[type=file]').setInputFiles(pdfFile('weighing-2.pdf'))
      await page.getByRole('radio', { name: /^Minor change/ }).check({ force: true })
      assert.equal(await page.getByRole('radio', { name: /^Only people who have not/ }).isChecked(), true)
      await page.getByRole('radio', { name: /^Everyone/ }).check({ force: true })
      await page.getByRole('button', { name: 'Upload the new version' }).click()
      await page.getByText('Enter what changed and why.').waitFor()
      await examine(page, 'new version')
      await page.getByLabel('What changed, and why').fill('The balance has another range')
      await page.getByRole('button', { name: 'Upload the new version' }).click()
      await announced(page, `Version 1.1 of ${number} is uploaded`)
      await page.getByText('Version 1.1').first().waitFor()
    })
    const [stored] = await world.rows<{ change_reason: string; training_impact: string }>(
      `select change_reason, training_impact from document_versions where document_id = $1 and minor = 1`,
      [id],
    )
    assert.deepEqual(stored, { change_reason: 'The balance has another range', training_impact: 'reassign_all' })
  })

  // proves: DOC-06
  it('an approver delegates the decision, ends that, and names other approvers', async () => {
    const { id, number } = await submitted('Line clearance')
    await visits.visitAs('petra', `/documents/${id}`, async page => {
      await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
      await act(page, 'Delegate the decision')
      const dialog = page.getByRole('dialog', { name: 'Delegate the decision' })
      await dialog.getByRole('button', { name: 'Delegate', exact: true }).click()
      await dialog.getByText('Choose a person.').waitFor()
      await choose(page, 'Delegate to', 'Quentin')
      await dialog.getByLabel('Reason').fill('On leave')
      await examine(page, 'delegation')
      await dialog.getByRole('button', { name: 'Delegate', exact: true }).click()
      await announced(page, `The decision on ${number} is delegated`)
      assert.equal((await papers(world).get('petra', id, '/workflow')).delegations[0].to.username, 'quentin')

      await act(page, 'End the delegation')
      const ending = page.getByRole('dialog', { name: 'End the delegation' })
      await ending.getByText('Petra Example decides again').waitFor()
      await ending.getByRole('button', { name: 'End the delegation' }).click()
      await announced(page, `The delegation of ${number} has ended`)

      await act(page, 'Configure the approval')
      const configuring = page.getByRole('dialog', { name: 'Configure the approval' })
      await configuring.getByRole('radio', { name: 'People that I name' }).check({ force: true })
      await choose(page, 'Add a person', 'Quinn')
      await configuring.getByLabel('Reason').fill('Quinn knows the line')
      await examine(page, 'configuration of the approval')
      await configuring.getByRole('button', { name: 'Save' }).click()
      await announced(page, `The approval of ${number} is configured`)
      await page.getByText('Waits for Quinn Example').waitFor()
    })
  })

  // proves: DOC-04
  // proves: DOC-05
  it('an approver takes their approval back, signed as it was given', async () => {
    const { id, number } = await submitted('Label control')
    ok(await papers(world).approve('petra', id))
    await visits.visitAs('petra', `/documents/${id}`, async page => {
      await page.getByText('In approval').first().waitFor()
      await act(page, 'Take back my approval')
      const dialog = page.getByRole('dialog', { name: 'Take back your approval' })
      await dialog.getByText('My earlier signature no longer counts').waitFor()
      await dialog.getByLabel('Reason').fill('I read an older version')
      await dialog.getByLabel('Your password').fill(password)
      await dialog.getByRole('button', { name: 'Take it back' }).click()
      await announced(page, `Your approval of ${number} is taken back`)
      await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
      await page.getByRole('tab', { name: 'Timeline' }).click()
      await page.getByText('I read an older version').first().waitFor()
    })
    const [decision] = await world.rows<{ is_void: boolean }>(
      `select d.is_void from document_decisions d
       join document_versions v on v.id = d.version_id where v.document_id = $1 and d.decision = 'approve'`,
      [id],
    )
    assert.deepEqual(decision, { is_void: true })
  })

  it('metadata change with a reason, unless somebody else was quicker', async () => {
    const { id, number } = await submitted('Gowning')
    await visits.visitAs('alan', `/documents/${id}`, async page => {
      await page.getByRole('heading', { name: /Gowning/ }).waitFor()
      await act(page, 'Edit the details')
      const dialog = page.getByRole('dialog', { name: 'Edit the details' })
      await dialog.getByLabel('Title').fill('Gowning in zone C')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('Enter a reason.').waitFor()
      await dialog.getByLabel('Reason for the change').fill('The zone was missing')
      ok(await papers(world).move('alan', id, 'withdraw'))
      await dialog.getByRole('button', { name: 'Save' }).click()
      await page.getByRole('alert').getByText('Someone changed this record while you had it open').waitFor()
      await page.getByRole('button', { name: 'Show the current state' }).click()
      await act(page, 'Edit the details')
      assert.equal(await dialog.getByLabel('Title').inputValue(), 'Gowning in zone C', 'what was typed stays')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await announced(page, `The details of ${number} are saved`)
      await page.getByRole('heading', { name: /Gowning in zone C/ }).waitFor()
    })
  })

  // proves: SIG-01
  it('the quality unit records a periodic review and makes a document obsolete, each signed', async () => {
    const { id, number } = await effective('Pest control')
    await visits.visitAs('quinn', `/documents/${id}`, async page => {
      await page.getByRole('heading', { name: /Pest control/ }).waitFor()
      await page.getByRole('button', { name: 'More actions' }).click()
      await page.getByRole('menuitem', { name: /^Delegate the decision No approval is pending/ }).waitFor()
      await examine(page, 'menu')
      await page.keyboard.press('Escape')

      await act(page, 'Record the periodic review')
      const review = page.getByRole('dialog', { name: 'Record the periodic review' })
      await review.getByRole('radio', { name: 'It stays effective as it is' }).check({ force: true })
      await review.getByText('it stays in use unchanged').waitFor()
      await review.getByLabel('What the review found').fill('Still complete')
      await review.getByLabel('Your password').fill('not the password')
      await review.getByRole('button', { name: 'Sign the review' }).click()
      await review.getByRole('alert').waitFor()
      assert.equal(await review.getByLabel('What the review found').inputValue(), 'Still complete')
      await examine(page, 'periodic review')
      await review.getByLabel('Your password').fill(password)
      await review.getByRole('button', { name: 'Sign the review' }).click()
      await announced(page, `The review of ${number} is recorded`)

      await act(page, 'Make obsolete')
      const dialog = page.getByRole('dialog', { name: 'Make this document obsolete' })
      await dialog.getByText('This version must not be used any more.').waitFor()
      await dialog.getByLabel('Why it is no longer needed').fill('The building was sold')
      await dialog.getByLabel('Your password').fill(password)
      await examine(page, 'obsolescence')
      await dialog.getByRole('button', { name: 'Sign and make obsolete' }).click()
      await announced(page, `${number} is signed`)
      await page.getByText('Obsolete').first().waitFor()
    })
    const signed = await world.rows<{ type: string; signer: string }>(
      `select s.signature_type as type, u.username as signer from signatures s join users u on u.id = s.signer_id
       where s.document_id = $1 and s.signature_type in ('obsolescence', 'review') order by s.id desc limit 2`,
      [id],
    )
    assert.deepEqual(signed, [
      { type: 'obsolescence', signer: 'quinn' },
      { type: 'review', signer: 'quinn' },
    ])
  })

  it('the quality unit issues, prints, hands on, recalls and reconciles a controlled copy, and sees who has read the document', async () => {
    const { id, number } = await effective('Swab test')
    const { create, assign } = trainings(world)
    await assign((await create({ type: 'read_and_understand', document_id: id })).id, ['uma'])
    await visits.visitAs('petra', `/documents/${id}?tab=copies`, async page => {
      await page.getByText('No controlled copies were issued').waitFor()
      await page.getByRole('button', { name: 'Issue a copy' }).click()
      const dialog = page.getByRole('dialog', { name: 'Issue a controlled copy' })
      await choose(page, 'Holder', 'Anna')
      await dialog.getByLabel('Where it is kept').fill('Line 1')
      await dialog.getByRole('button', { name: 'Issue', exact: true }).click()
      await announced(page, 'is issued')
      await page.getByText('not printed yet').waitFor()
      const menu = page.getByRole('button', { name: /^Actions for/ })
      await menu.click()
      const [print] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'Print', exact: true }).click(),
      ])
      assert.match(print.suggestedFilename(), new RegExp(`^${number}.*\\.pdf$`))
      await page.getByText('printed once').waitFor()
      await menu.click()
      await page.getByRole('menuitem', { name: 'Name another holder' }).click()
      const transfer = page.getByRole('dialog', { name: 'Name another holder' })
      await choose(page, 'New holder', 'Uma')
      await transfer.getByLabel('Reason').fill('Anna changes the line')
      await transfer.getByRole('button', { name: 'Transfer' }).click()
      await announced(page, 'has another holder')
      await page.getByRole('listitem').getByText('Uma Example').waitFor()
      await menu.click()
      await page.getByRole('menuitem', { name: 'Recall' }).click()
      const recall = page.getByRole('dialog', { name: 'Recall the copy' })
      await recall.getByLabel('Reason').fill('The line is closed')
      await recall.getByRole('button', { name: 'Recall' }).click()
      await page.getByText('Recalled', { exact: true }).waitFor()
      await examine(page, 'copies')

      await page.getByRole('tab', { name: 'Training' }).click()
      await page.getByText('0 of 1 person has completed it').waitFor()
      await page.getByText('Uma Example').waitFor()
      await examine(page, 'training')
    })
    await visits.visitAs('uma', `/documents/${id}`, async page => {
      await page.getByRole('heading', { name: /Swab test/ }).waitFor()
      assert.equal(await page.getByRole('tab', { name: 'Training' }).count(), 0, 'a reader sees no reading of others')
      await act(page, 'Controlled copies')
      await page.getByRole('button', { name: /^Actions for/ }).click()
      await page.getByRole('menuitem', { name: 'Report what became of it' }).click()
      const dialog = page.getByRole('dialog', { name: 'Report what became of the copy' })
      await dialog.getByRole('radio', { name: 'Returned' }).check({ force: true })
      await dialog.getByRole('button', { name: 'Report' }).click()
      await page.getByText('Uma Example reported: Returned').waitFor()
    })
    await visits.visitAs('petra', `/documents/${id}?tab=copies`, async page => {
      await page.getByRole('button', { name: /^Actions for/ }).click()
      await page.getByRole('menuitem', { name: 'Reconcile' }).click()
      const dialog = page.getByRole('dialog', { name: 'Reconcile the copy' })
      await dialog.getByLabel('Reason').fill('Received and shredded')
      await dialog.getByRole('button', { name: 'Reconcile' }).click()
      await page.getByText(/^Reconciled by Petra Example/).waitFor()
    })
  })

  it('in German, on a narrow telephone', async () => {
    const { id } = await submitted('Reinraum')
    await visits.visit(
      '/documents/new',
      async page => {
        await page.getByLabel('Benutzername oder E-Mail').fill('petra')
        await page.getByLabel('Passwort').fill(password)
        await page.getByRole('button', { name: 'Anmelden' }).click()
        await page.getByRole('heading', { name: 'Dokument hochladen' }).waitFor()
        await page.locator('input[type=file]').setInputFiles({ ...pdfFile('x'), name: 'ein_sehr-langer-Name.exe' })
        await page.getByRole('button', { name: /^Art wählen/ }).click()
        await page.getByRole('option', { name: /^SOP/ }).click()
        await page.getByRole('heading', { name: 'Prüfung' }).waitFor()
        await examine(page, 'upload, German and narrow')
        await page.goto(`${visits.origin}/documents/${id}`)
        await page.getByRole('button', { name: 'Freigeben', exact: true }).waitFor()
        await page.getByRole('button', { name: 'Weitere Aktionen' }).click()
        await page.getByRole('menuitem', { name: 'Freigabe festlegen' }).click()
        await page.getByRole('dialog', { name: 'Freigabe festlegen' }).waitFor()
        await examine(page, 'configuration, German and narrow')
      },
      { locale: 'de-DE', viewport: { width: 320, height: 640 } },
    )
  })
})
