// From an empty folder to an effective SOP, in a browser alone: nobody opens a terminal but to read the setup code.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { examine, freePort, logIn, openBrowser } from '#test/browser/visits.ts'
import { openSmtp, partsOf, type Smtp, subjectOf } from '#test/fakes/smtp.ts'
import { type ServiceProcess, startService } from '#test/processes/service-process.ts'
import { until } from '#test/world/background.ts'
import { pdf } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

const passwords = { ada: 'Harbour-lights-of-1952', mara: 'Thirteen-quiet-pigeons', jonas: 'Copper-kettle-whistles' }

describe('the first company', () => {
  let folder: string
  let smtp: Smtp
  let service: ServiceProcess
  let visits: Awaited<ReturnType<typeof openBrowser>>
  before(async () => {
    await buildWeb()
    folder = mkdtempSync(join(tmpdir(), 'attest-company-'))
    smtp = await openSmtp()
    const port = await freePort()
    const publicUrl = `http://localhost:${port}`
    service = await startService({
      ...{ DATA_DIR: folder, PORT: String(port), PUBLIC_URL: publicUrl, SIGNATURE_REAUTH_MINUTES: '0' },
      ...{ SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'attest@northwind.example' },
    })
    visits = await openBrowser(publicUrl)
  })
  after(async () => {
    await visits?.close()
    service?.child.kill('SIGTERM')
    await service?.ended
    await smtp?.close()
    rmSync(folder, { recursive: true })
  })

  const step = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`${name} (Done|To do):`) })
  const open = async (page: Page, name: string) => {
    if ((await step(page, name).getAttribute('aria-expanded')) === 'false') await step(page, name).click()
    return page.getByRole('region', { name })
  }
  const isDone = (page: Page, name: string) => page.getByRole('button', { name: new RegExp(`${name} Done:`) }).waitFor()
  const choose = async (page: Page, label: string, option: string) => {
    await page.getByRole('button', { name: new RegExp(`^Choose a .* ${label}`) }).click()
    await page
      .getByRole('option', { name: new RegExp(`\\b${option}(?! Manager)`) })
      .first()
      .click()
  }
  /** The link of the invitation, as soon as it has come. */
  async function linkTo(address: string): Promise<string> {
    const ofInvitation = () => smtp.received.find(each => each.to.includes(address) && /invited/.test(subjectOf(each)))
    await until(() => ofInvitation() !== undefined)
    return /http:\/\/localhost\S+/.exec(partsOf(ofInvitation()!)['text/plain']!)![0]
  }

  it('is made with the code of the log, filled with people, and has an effective SOP in the end', async () => {
    const [line] = service.lines.filter(({ msg }) => /setup code/.test(String(msg)))
    const code = /code ([2-9A-Z-]{24})/.exec(String(line!.msg))![1]!
    const path = await visits.visit('/', async page => {
      await page.getByRole('heading', { name: 'Set up Attest' }).waitFor()
      await examine(page, 'first start')
      await page.getByLabel('Setup code').fill('AAAA-BBBB-CCCC-DDDD-EEEE')
      await page.getByLabel('Name of the company').fill('Northwind Pharma')
      await page.getByLabel('Your full name').fill('Ada Lind')
      await page.getByLabel('User name').fill('ada')
      await page.getByLabel('E-mail').fill('ada@northwind.example')
      await page.getByRole('textbox', { name: 'New password' }).fill(passwords.ada)
      await page.getByRole('button', { name: 'Make the company' }).click()
      await page.getByText('This setup code does not work').waitFor()
      await page.getByLabel('Setup code').fill(code)
      await page.getByRole('button', { name: 'Make the company' }).click()

      await page.getByRole('heading', { name: 'Set up', exact: true }).waitFor()
      await page.getByText('6 steps are left.').waitFor()
      await examine(page, 'set up')
      const company = await open(page, 'Company')
      await company.getByRole('button', { name: 'Save' }).click()
      await isDone(page, 'Company')

      // Each step says what is left, and what the mail server says.
      const mail = await open(page, 'Test e-mail')
      smtp.behaviour.recipient = () => [550, 'no such mailbox']
      await mail.getByRole('button', { name: 'Send a test e-mail' }).click()
      await mail.getByRole('alert').getByText('no such mailbox').waitFor()
      smtp.behaviour.recipient = undefined
      await mail.getByRole('button', { name: 'Send a test e-mail' }).click()
      await mail.getByText('The mail server took the e-mail to ada@northwind.example').waitFor()
      await isDone(page, 'Test e-mail')

      const roles = await open(page, 'Roles')
      await roles.getByText(/SOP, SPEC/).waitFor()
      const people = await open(page, 'People')
      await people.getByLabel('Full name').fill('Mara Holm')
      await people.getByLabel('User name').fill('mara')
      await people.getByLabel('E-mail').fill('mara@northwind.example')
      await choose(page, 'Role', 'QA')
      await people.getByRole('button', { name: 'Invite', exact: true }).click()
      await page.getByRole('button', { name: /People To do: 2 people/ }).waitFor()
      await people.getByText('A list').click()
      const lines = people.getByLabel('People, one on each line')
      await lines.fill('jonas; jonas@northwind.example; Jonas Weber; QQ')
      await people.getByRole('button', { name: 'Invite all' }).click()
      await people.getByText(/Line 1: .*QQ/).waitFor()
      await lines.fill('jonas; jonas@northwind.example; Jonas Weber; QA')
      await people.getByRole('button', { name: 'Invite all' }).click()
      await isDone(page, 'People')
      await isDone(page, 'Roles')
      await examine(page, 'people')

      const types = await open(page, 'Document types')
      await types.getByLabel('Name').fill('Procedure')
      await types.getByLabel('Prefix').fill('pro')
      await choose(page, 'Workflow', 'GMP two-step approval')
      await types.getByRole('button', { name: 'Add the type' }).click()
      await isDone(page, 'Document types')
      await page.getByText('One step is left.').waitFor()
      await page.reload()
      await (await open(page, 'First document')).getByRole('link', { name: 'Upload a document' }).click()

      await page.locator('input[type=file]').setInputFiles({
        ...{ name: 'Cold store.pdf', mimeType: 'application/pdf', buffer: pdf('Keep goods at 2 to 8 degrees') },
      })
      await choose(page, 'Type', 'Procedure')
      await page.getByRole('button', { name: 'Upload', exact: true }).click()
      await page.getByRole('heading', { name: /Cold store/, level: 1 }).waitFor()
      await page.getByRole('button', { name: 'Submit for approval' }).click()
      const dialog = page.getByRole('dialog', { name: 'Submit this version' })
      await dialog.getByRole('button', { name: 'Submit for approval' }).click()
      await dialog.waitFor({ state: 'detached' })
      return new URL(page.url()).pathname
    })

    for (const name of ['mara', 'jonas'] as const) {
      const link = await linkTo(`${name}@northwind.example`)
      await visits.visit(link.slice(visits.origin.length), async page => {
        await page.getByRole('textbox', { name: 'New password' }).fill(passwords[name])
        await page.getByRole('button', { name: 'Save the password' }).click()
        await page.getByRole('alertdialog').waitFor()
        await page.goto(visits.origin + path)
        await logIn(page, name, passwords[name])
        await page.getByRole('button', { name: 'Approve', exact: true }).click()
        const dialog = page.getByRole('dialog', { name: 'Sign your approval' })
        await dialog.getByLabel('Your password').fill(passwords[name])
        await dialog.getByRole('button', { name: 'Sign and approve' }).click()
        await dialog.waitFor({ state: 'detached' })
        if (name === 'jonas') await page.getByText('Effective').first().waitFor()
      })
    }

    await visits.visit('/first-start', async page => {
      await page.getByText('This installation has a company already.').waitFor()
      await page.getByRole('link', { name: 'Log in' }).click()
      await logIn(page, 'ada', passwords.ada)
      await page.getByRole('heading', { name: 'My work' }).waitFor()
      await page.goto(`${visits.origin}/admin/set-up`)
      await page.getByText('Every step is done.').waitFor()
      await page.getByRole('button', { name: /First document Done: 1 uploaded, 1 effective/ }).waitFor()
    })
  })
})
