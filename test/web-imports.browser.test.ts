// A company brings in its records in a real browser: from the template to the release.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { examine, fits, openVisits } from '#test/browser/visits.ts'
import { ok } from '#test/builders/documents.ts'
import { csv, documents, migrationsOf, versions } from '#test/builders/migrations.ts'
import { zipOf } from '#test/faults/hostile-files.ts'
import { openWorld, password, pdf, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

const main = (page: Page) => page.getByRole('main')
const heading = (page: Page, name: string | RegExp, level = 2) => main(page).getByRole('heading', { name, level })
const choose = (within: Locator, at: number, ...files: [name: string, buffer: Buffer][]) =>
  within
    .locator('input[type=file]')
    .nth(at)
    .setInputFiles(files.map(([name, buffer]) => ({ name, buffer, mimeType: 'application/octet-stream' })))

describe('an import in a browser', () => {
  let world: World
  let visits: Awaited<ReturnType<typeof openVisits>>
  before(async () => {
    await buildWeb()
    world = await openWorld()
    visits = await openVisits(world)
  })
  after(async () => {
    await visits?.close()
    await world.close()
  })

  const paths = ['FS-1', 'FS-2'].flatMap(each => [`${each}/1.0.pdf`, `${each}/2.0.pdf`])
  const archive = zipOf([
    ...paths.map(name => ({ name, content: pdf(name).toString('latin1') })),
    { name: 'setup.exe', content: 'MZ' },
  ])
  /** With a heading that nobody knows, an owner who is not there, and a day that the calendar does not have. */
  const sheetWith = (owner: string) =>
    csv('SOP-Nr.;title;type;owner', 'FS-1;Cleaning;SOP;alan', `FS-2;Weighing;SOP;${owner}`)
  const wrongVersions = Buffer.from(versions('FS-1', 'FS-2').toString().replace('2021-03-01', '2021-02-31'))

  // proves: MIG-01
  it('is prepared, corrected and rehearsed by one person, accepted, loaded and released by another', async () => {
    let address = ''
    await visits.visitAs('ada', '/admin/imports', async page => {
      await heading(page, 'No imports yet').waitFor()
      await examine(page, 'no imports')
      await main(page).getByRole('button', { name: 'Template' }).click()
      const [template] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'Workbook for Excel (XLSX)' }).click(),
      ])
      assert.match(template.suggestedFilename(), /\.xlsx$/)
      await main(page).getByRole('button', { name: 'New import' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('button', { name: 'Start the import' }).click()
      await dialog.getByText('Enter a title.').waitFor()
      await dialog.getByLabel('Title').fill('SOPs of the file share')
      await dialog.getByLabel('Source').fill('File share Q:')
      await dialog.getByRole('button', { name: 'Start the import' }).click()

      await heading(page, 'Describe').waitFor()
      address = new URL(page.url()).pathname
      await main(page)
        .getByRole('radio', { name: /^Give new numbers/ })
        .check({ force: true })
      await main(page).getByRole('button', { name: 'Save', exact: true }).click()
      await main(page).getByRole('button', { name: 'Save', exact: true }).waitFor({ state: 'detached' })
      await examine(page, 'the description')
      await main(page).getByRole('button', { name: 'Next: Upload' }).click()

      await heading(page, 'Upload').waitFor()
      await choose(main(page), 0, ['list.csv', sheetWith('nobody')], ['versions.csv', wrongVersions])
      await main(page).getByText('Choose the sheet that this CSV file is').waitFor()
      await main(page)
        .getByRole('button', { name: /This CSV file is the sheet/ })
        .click()
      await page.getByRole('option', { name: 'Documents' }).click()
      await main(page).getByRole('button', { name: 'Upload again' }).click()
      await choose(main(page), 1, ['files.zip', archive], ['notes.txt', Buffer.from('x')])
      await main(page).getByText('4 files kept').waitFor()
      await main(page)
        .getByText(/setup\.exe.*Files that end in \.exe cannot be brought in/)
        .waitFor()
      await main(page).getByText('The type of this file does not fit here. Choose ZIP.').waitFor()
      await main(page)
        .getByRole('row', { name: /Documents 2 list\.csv/ })
        .waitFor()
      await examine(page, 'what was uploaded')
      await main(page).getByRole('button', { name: 'Next: Columns' }).click()

      await heading(page, 'Columns').waitFor()
      await main(page).getByText('Columns that are not read: SOP-Nr.').waitFor()
      await main(page)
        .getByRole('button', { name: /Field number is read from/ })
        .click()
      await page.getByRole('option', { name: 'SOP-Nr.', exact: true }).click()
      await main(page).getByText('Chosen by hand').waitFor()
      await main(page).getByRole('button', { name: 'Save the columns' }).click()
      await main(page).getByText('Every column of this sheet is read.').waitFor()
      await examine(page, 'the columns')
      await main(page).getByRole('button', { name: 'Next: Check' }).click()

      await main(page).getByRole('button', { name: 'Check the rows' }).click()
      await main(page).getByRole('progressbar', { name: 'Check' }).waitFor()
      await world.work()
      await main(page)
        .getByRole('row', { name: /FS-2.*owner:.*nobody/ })
        .waitFor()
      await main(page)
        .getByRole('row', { name: /FS-1.*effective_date:.*2021-02-31/ })
        .waitFor()
      await examine(page, 'what was found')
      await main(page)
        .getByRole('row', { name: /owner:/ })
        .getByRole('link')
        .first()
        .click()
      await dialog.getByRole('heading', { name: 'The record as it will be' }).waitFor()
      await dialog.getByText('Weighing').first().waitFor()
      await examine(page, 'a row')
      await page.keyboard.press('Escape')
      await dialog.waitFor({ state: 'detached' })
      const [report] = await Promise.all([
        page.waitForEvent('download'),
        (async () => {
          await main(page).getByRole('button', { name: 'Report' }).click()
          await page.getByRole('menuitem', { name: 'CSV' }).click()
        })(),
      ])
      assert.match(report.suggestedFilename(), /^Migration report MIG-.*\.csv$/)

      await choose(main(page), 0, ['documents.csv', sheetWith('alan')], ['versions.csv', versions('FS-1', 'FS-2')])
      await main(page).getByText('Read', { exact: true }).nth(1).waitFor()
      await main(page).getByRole('button', { name: 'Check the rows' }).click()
      await main(page).getByRole('progressbar', { name: 'Check' }).waitFor()
      await world.work()
      await main(page).getByRole('button', { name: 'Next: Rehearse' }).click()
      await main(page).getByRole('button', { name: 'Rehearse the load' }).click()
      await main(page).getByRole('progressbar', { name: 'Rehearsal' }).waitFor()
      await world.work()
      await main(page).getByText('Rehearsed: all 6 rows can be loaded.').waitFor()
      await examine(page, 'a rehearsal')
      await main(page).getByRole('button', { name: 'Next: Accept and load' }).click()
      await main(page)
        .getByText(/started this import, so another person/)
        .waitFor()
      assert.equal(await main(page).getByRole('button', { name: 'Accept the import' }).count(), 0)
    })
    await visits.visitAs('quinn', address, async page => {
      await heading(page, 'Compare samples').waitFor()
      await main(page)
        .getByRole('link', { name: /^Compare FS-1/ })
        .first()
        .click()
      const dialog = page.getByRole('dialog')
      await dialog.getByRole('radio', { name: 'Differs from the source' }).check({ force: true })
      await dialog.getByRole('button', { name: 'Record the finding' }).click()
      await dialog.getByText('Enter what differs.').waitFor()
      await examine(page, 'a comparison')
      await dialog.getByRole('radio', { name: 'Same as the source' }).check({ force: true })
      await dialog.getByRole('button', { name: 'Record the finding' }).click()
      await main(page)
        .getByRole('cell', { name: /Same as the source/ })
        .waitFor()
      await examine(page, 'the samples')
      await main(page)
        .getByRole('link', { name: /Accept and load/ })
        .click()
      await main(page)
        .getByText(/^1 of \d proposed samples/)
        .waitFor()
      await examine(page, 'before the acceptance')
      await main(page).getByRole('button', { name: 'Accept the import' }).click()
      await dialog.getByLabel('Password').fill(password)
      await dialog.getByRole('button', { name: 'Sign and accept' }).click()
      await main(page).getByRole('progressbar', { name: 'Load' }).waitFor()
      await examine(page, 'a load')
      await world.work()
      await main(page).getByText('Every row is loaded.').waitFor()
      await main(page)
        .getByRole('link', { name: /Release/ })
        .click()
      await main(page).getByText('Every record is the same as its row').waitFor()
      await examine(page, 'the comparison')
      await main(page).getByRole('button', { name: 'Release the import' }).click()
      await dialog.getByLabel('Password').fill(password)
      await dialog.getByRole('button', { name: 'Sign and release' }).click()
      await main(page).getByText('Released by').waitFor()
      await main(page).getByRole('link', { name: 'Open the record of FS-1', exact: true }).click()
      await heading(page, /Cleaning/, 1).waitFor()
    })
  })

  // proves: MIG-01, MIG-02
  it('leaves approvals of before as history, and cases with their old numbers and what was done about them', async () => {
    const imports = migrationsOf(world)
    const id = await imports.begin({ keep_numbers: false })
    const sheets = {
      documents: documents('QM 7-Alt'),
      versions: versions('QM 7-Alt'),
      approvals: csv(
        'number;version;person;role;meaning;approved_on;evidence;evidence_file',
        'QM 7-Alt;1.0;Dr. Weiß;Head of QA;Approved;;;',
        'QM 7-Alt;2.0;Anna Öztürk;Author;Written;2023-04-20;;',
        'QM 7-Alt;2.0;Dr. Weiß;Head of QA;Approved;2023-04-28;Binder 3, page 17;scans/signed page.pdf',
      ),
      capas: csv(
        'number;title;description;type;source;priority;state;assigned_to;opened_on;due_date;root_cause',
        'KP 3/24;Seal replaced;Replace the seal;corrective;deviation;low;in_progress;quinn;2024-02-02;2030-01-31;Wear',
      ),
      capa_actions: csv(
        'capa;position;description;assigned_to;state;due_date;completed_on;completed_by;verified_on;verified_by;evidence',
        'KP 3/24;1;Order the seal;alan;done;;2024-03-01;Hr. Öztürk;2024-03-02;Dr. Weiß;Order 77',
        'KP 3/24;2;Train the crew;alan;open;2030-01-15;;;;;',
      ),
    }
    for (const [name, bytes] of Object.entries(sheets)) ok(await imports.manifest(id, `${name}.csv`, bytes))
    const scanned = ['QM 7-Alt/1.0.pdf', 'QM 7-Alt/2.0.pdf', 'scans/signed page.pdf']
    ok(await imports.files(id, zipOf(scanned.map(name => ({ name, content: pdf(name).toString('latin1') })))))
    await imports.step(id, 'check')
    await imports.step(id, 'rehearse')
    ok(await imports.accept(id))
    await world.work()
    const { number } = await imports.read(id)
    const of = async (sheet: string) => (await imports.rows(id, `&sheet=${sheet}`))[0]!.record.id as number

    await visits.visitAs('quinn', `/documents/${await of('documents')}?tab=timeline`, async page => {
      const section = page.getByRole('region', { name: 'Approved before migration, as recorded in File share' })
      await section.getByText('History, not electronic signatures.').waitFor()
      await section.getByText(`Imported by ${number}, which Quinn Example accepted with a signature`).waitFor()
      assert.deepEqual(
        (await section.getByRole('listitem').allInnerTexts()).map(text => text.replaceAll(/\s+/g, ' ')),
        [
          'Version 1.0 Approved: Dr. Weiß, Head of QA No date recorded',
          'Version 2.0 Written: Anna Öztürk, Author 20 Apr 2023',
          'Version 2.0 Approved: Dr. Weiß, Head of QA · Binder 3, page 17 signed page.pdf 28 Apr 2023',
        ],
      )
      await examine(page, 'approvals of before')
      const [scan] = await Promise.all([
        page.waitForEvent('download'),
        section.getByRole('link', { name: 'Scan: signed page.pdf' }).click(),
      ])
      assert.equal(scan.suggestedFilename(), 'signed page.pdf')
      await main(page).getByText('Old number').waitFor()
      await main(page).getByText('QM 7-Alt', { exact: true }).waitFor()
    })
    await visits.visitAs('quinn', `/capa/${await of('capas')}`, async page => {
      await main(page).getByText('KP 3/24', { exact: true }).waitFor()
      await main(page).getByText(`File share, by ${number}`).waitFor()
      await main(page).getByText('done 1 Mar 2024 by Hr. Öztürk, before the import', { exact: true }).waitFor()
      await main(page).getByText('verified 2 Mar 2024 by Dr. Weiß, before the import', { exact: true }).waitFor()
      await examine(page, 'a CAPA that was imported')
    })
  })

  // proves: MIG-01
  it('that nobody accepted is discarded with what is lost, and stays to be read', async () => {
    const imports = migrationsOf(world)
    const id = await imports.begin()
    ok(await imports.manifest(id, 'documents.csv', documents('FS-9')))
    await visits.visit(`/admin/imports/${id}`, async page => {
      await page.evaluate(`localStorage.setItem('attest.language', 'de')`)
      await page.reload()
      await page.getByLabel('Benutzername oder E-Mail').fill('ada')
      await page.getByLabel('Passwort').fill(password)
      await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
      await main(page).getByRole('button', { name: 'Verwerfen' }).click()
      const dialog = page.getByRole('dialog')
      await dialog.getByText('Kein Datensatz geht verloren').waitFor()
      await dialog.getByRole('button', { name: 'Datenübernahme verwerfen' }).click()
      await dialog.getByText('Geben Sie eine Begründung ein.').waitFor()
      await dialog.getByLabel('Warum sie verworfen wird').fill('Die falsche Liste')
      await dialog.getByRole('button', { name: 'Datenübernahme verwerfen' }).click()
      await main(page)
        .getByText(/^Verworfen von .*“Die falsche Liste”$/)
        .waitFor()
      await main(page)
        .getByRole('row', { name: /Zeile 2 von Dokumente/ })
        .waitFor()
      assert.equal(
        await main(page)
          .getByRole('button', { name: /prüfen/ })
          .count(),
        0,
      )
      await page.setViewportSize({ width: 360, height: 780 })
      await page.goto(`${visits.origin}/admin/imports`)
      await main(page).getByRole('link', { name: 'SOPs of the file share' }).waitFor()
      await fits(page, 'the list of imports, on a telephone')
    })
  })
})
