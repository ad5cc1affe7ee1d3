// The operator page in a real browser, each state with a picture: in TEST_PICTURES, else in a folder that is gone afterwards.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'
import { faultsOf } from '#test/browser/axe.ts'
import { fits } from '#test/browser/visits.ts'
import { accepted } from '#test/builders/samples.ts'
import { spellingModel } from '#test/fakes/spelling-model.ts'
import { openFaultProxy, openMailServer } from '#test/faults/fault-proxy.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

describe('the operator page', () => {
  let world: World
  let browser: Browser
  let origin: string
  let totp: TOTP
  let proxy: Awaited<ReturnType<typeof openFaultProxy>>
  let mail: Awaited<ReturnType<typeof openMailServer>>
  /** The status of its answers; 0 cuts the connection off. */
  const model = { status: 200 }
  const modelServer = createServer((request, response) => {
    if (model.status === 0) request.socket.destroy()
    else response.writeHead(model.status, { connection: 'close' }).end()
  })
  const pictures = process.env.TEST_PICTURES || mkdtempSync(join(tmpdir(), 'attest-pictures-'))

  before(async () => {
    mkdirSync(pictures, { recursive: true })
    await buildWeb()
    mail = await openMailServer()
    await new Promise<void>(done => modelServer.listen(0, '127.0.0.1', done))
    world = await openWorld(
      {
        AI_PROVIDER: 'openai',
        AI_MODEL: 'gpt-5-mini',
        AI_API_KEY: 'a-key',
        AI_BASE_URL: `http://127.0.0.1:${(modelServer.address() as AddressInfo).port}`,
        SMTP_URL: `smtp://127.0.0.1:${mail.port}`,
        MAIL_FROM: 'attest@example.com',
        BACKEND_RELEASE_SHA: '4d902bd',
        LOG_LEVEL: 'info',
      },
      {
        through: async app => {
          proxy = await openFaultProxy(app)
          return proxy.connection
        },
        embeddings: spellingModel,
      },
    )
    origin = await world.server.listen({ host: '127.0.0.1', port: 0 })
    const { secret } = (await accepted(world.as('pat').post('/api/auth/totp/enroll', { password }))).json()
    totp = new TOTP({ secret })
    await accepted(world.as('pat').post('/api/auth/totp/confirm', { otp: nextCode() }))
    browser = await chromium.launch({
      executablePath: process.env.TEST_CHROMIUM!,
      args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
    })
  })
  after(async () => {
    await browser?.close()
    await world.close()
    await proxy.close()
    await mail.close()
    await new Promise(done => modelServer.close(done))
    if (!process.env.TEST_PICTURES) rmSync(pictures, { recursive: true })
  })

  /** A code is good once, and the next one comes half a minute later. */
  function nextCode() {
    world.clock.moved_ms += 30_000
    return totp.generate({ timestamp: world.clock.now().getTime() })
  }

  /** A browser of somebody who was never here. What a page may not do, it must not even have tried. */
  async function visit<T>(work: (page: Page) => Promise<T>, options: BrowserContextOptions = {}) {
    const context = await browser.newContext({ viewport: { width: 1180, height: 860 }, ...options })
    const faults: string[] = []
    context.on('request', request => {
      if (new URL(request.url()).origin !== origin) faults.push(`asked for ${request.url()}`)
    })
    const page = await context.newPage()
    page.on('pageerror', error => faults.push(error.stack ?? error.message))
    page.on('console', message => {
      // The browser itself reports refusals of the service and failed connections.
      if (message.type() === 'error' && !/^Failed to load resource/.test(message.text())) faults.push(message.text())
    })
    // Texts, here and below: what runs in a browser knows other types than what runs here.
    await page.addInitScript({
      content: `document.addEventListener('securitypolicyviolation', event =>
        console.error('forbidden by the policy: ' + event.violatedDirective + ' ' + event.blockedURI))`,
    })
    // A test can let time pass, or stand still.
    await page.clock.install()
    try {
      await page.goto(`${origin}/control-panel/`)
      const result = await work(page)
      assert.deepEqual(faults, [])
      return result
    } finally {
      await context.close()
    }
  }

  async function examine(page: Page, name: string) {
    const path = join(pictures, `${name}.png`)
    await page.screenshot({ path, fullPage: true })
    assert.deepEqual(await faultsOf(page, 'everything'), [], name)
    await fits(page, name)
  }

  const fill = async (page: Page, username: string, code: string, secret = password) => {
    await page.getByLabel('User name or e-mail address').fill(username)
    await page.getByLabel('Password').fill(secret)
    await page.getByLabel('One-time code').fill(code)
  }
  const submit = (page: Page) => page.getByRole('button', { name: 'Sign in' }).click()
  const signIn = async (page: Page) => {
    await fill(page, 'pat', nextCode())
    await submit(page)
    await page.getByRole('heading', { name: 'Dependencies' }).waitFor()
  }
  const card = (page: Page, name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('heading', { name, exact: true }) })
  const answered = (page: Page) => page.waitForResponse(response => response.url().endsWith('/api/status'))
  const refreshNow = async (page: Page) => {
    const answer = answered(page)
    await page.getByRole('button', { name: 'Refresh now' }).click()
    await answer
  }

  it('asks who one is, and says that something was wrong without saying what', async () => {
    await visit(async page => {
      assert.equal(await page.title(), 'Sign in · Attest control panel')
      await examine(page, '01-sign-in')
      await fill(page, 'pat', '000000')
      await submit(page)
      const alert = page.getByRole('alert')
      await alert.getByText('is wrong').waitFor()
      assert.equal(await page.getByLabel('Password').inputValue(), '')
      assert.equal(await page.getByLabel('One-time code').inputValue(), '')
      assert.equal(await page.getByLabel('User name or e-mail address').inputValue(), 'pat')
      await examine(page, '02-wrong-code')
    })
  })

  // proves: HLTH-06
  it('shows each dependency, the provider and the model, and the clock of the service in UTC', async () => {
    await visit(async page => {
      await signIn(page)
      for (const name of ['Database', 'Vector store', 'AI integration', 'Storage', 'API endpoints', 'Email service']) {
        const text = await card(page, name).innerText()
        assert.match(text, /Operational/, name)
        assert.match(text, /Response time\s+[\d.]+ ms/, name)
        assert.match(text, /Since\s+\d{4}-\d\d-\d\d \d\d:\d\d:\d\d/, name)
      }
      assert.match(await card(page, 'Background workers').innerText(), /Not configured/)
      const text = await page.getByRole('main').innerText()
      assert.match(text, /6 of 7 dependencies are set up, and all of them work/)
      assert.match(text, /AI provider\s+openai/)
      assert.match(text, /AI model\s+gpt-5-mini/)
      const [, clock] = /Service clock (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d) UTC/.exec(text)!
      const apart_ms = Math.abs(Date.parse(`${clock!.replace(' ', 'T')}Z`) - world.clock.now().getTime())
      assert.ok(apart_ms < 10_000, `${apart_ms} ms apart from the clock of the service, not of this machine`)
      await examine(page, '03-all-operational')
    })
  })

  // proves: HLTH-06
  it('refreshes itself every 30 seconds and counts them down, and at once when asked to', async () => {
    await visit(async page => {
      await signIn(page)
      // From here on no second passes but those that the test lets pass, however busy the machine is.
      await page.clock.pauseAt(((await page.evaluate('Date.now()')) as number) + 1000)
      await refreshNow(page)
      let asked = 0
      page.on('request', request => {
        if (request.url().endsWith('/api/status')) asked += 1
      })
      await page.getByText('Next refresh in 30 s').waitFor()
      await page.clock.runFor(10_000)
      await page.getByText('Next refresh in 20 s').waitFor()
      await page.clock.runFor(19_000)
      assert.equal(asked, 0)
      const answer = answered(page)
      await page.clock.runFor(2000)
      assert.equal((await answer).status(), 200)
      assert.equal(asked, 1)
      await page.getByText(/Next refresh in (30|29) s/).waitFor()
      await refreshNow(page)
      assert.equal(asked, 2)
      await page.getByText('Next refresh in 30 s').waitFor()
    })
  })

  it('shows what is down and what is degraded, and since when', async () => {
    await visit(async page => {
      await signIn(page)
      model.status = 503
      await refreshNow(page)
      await page.getByText('AI integration is degraded.').waitFor()
      assert.match(await card(page, 'AI integration').innerText(), /Degraded\s+It answers with status 503/)
      await examine(page, '04-degraded')
      model.status = 0
      await refreshNow(page)
      model.status = 200
      await page.getByText('AI integration is down.').waitFor()
      assert.match(await card(page, 'AI integration').innerText(), /Down\s+The connection was cut off/)
      assert.match(await card(page, 'Database').innerText(), /Operational/)
      await examine(page, '05-one-down')
    })
  })

  // proves: HLTH-04
  it('shows that the database is down, also while it hangs, to an operator who is signed in', async () => {
    await visit(async page => {
      await signIn(page)
      proxy.swallow()
      try {
        await refreshNow(page)
        await page.getByText('Database and Vector store are down.').waitFor()
        await page.getByRole('heading', { name: 'Down', exact: true }).waitFor()
        await examine(page, '15-database-down')
      } finally {
        proxy.heal()
      }
      await refreshNow(page)
      await page.getByRole('heading', { name: 'Operational', exact: true }).waitFor()
    })
  })

  // proves: HLTH-06
  it('keeps the last good report with its age when a refresh fails, and goes on trying', async () => {
    await visit(async page => {
      await signIn(page)
      await page.context().setOffline(true)
      await page.clock.runFor(31_000)
      await page.getByRole('alert').getByText('The last refresh failed.').waitFor()
      await page.getByText('The service does not answer.').waitFor()
      await page.clock.runFor(20_000)
      await page.getByText(/This report is 5\d s old/).waitFor()
      await page.getByRole('heading', { name: 'Was operational' }).waitFor()
      assert.match(await card(page, 'Database').innerText(), /Operational/)
      await examine(page, '06-refresh-fails')
      await page.context().setOffline(false)
      const answer = answered(page)
      await page.clock.runFor(11_000)
      assert.equal((await answer).status(), 200)
      await page.getByText('The last refresh failed.').waitFor({ state: 'detached' })
    })
  })

  it('goes back to the sign-in when the session has ended', async () => {
    await visit(async page => {
      await signIn(page)
      const moved_ms = world.clock.moved_ms
      world.clock.moved_ms += 9 * 3_600_000
      try {
        await page.clock.runFor(31_000)
        await page.getByRole('status').getByText('Your session has ended').waitFor()
      } finally {
        world.clock.moved_ms = moved_ms
      }
      assert.equal(await page.getByRole('heading', { name: 'Dependencies' }).count(), 0)
      await examine(page, '07-session-ended')
    })
  })

  it('keeps no token where another could find it: a reload asks again', async () => {
    await visit(async page => {
      await signIn(page)
      const kept = await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie]')
      assert.deepEqual(kept, [0, 0, ''])
      await page.reload()
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
      await signIn(page)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('status').getByText('You are signed out.').waitFor()
    })
  })

  // proves: HLTH-06, AUTH-07
  it("explains to a tenant's user that it is not for them, and does not ask again", async () => {
    await visit(async page => {
      await fill(page, 'ada', '')
      await submit(page)
      await page.getByRole('heading', { name: 'This page is for the platform team' }).waitFor()
      assert.match(await page.getByRole('main').innerText(), /signed in as ada \(Admin\), a user of a tenant/)
      await examine(page, '08-not-for-tenants')
      let asked = 0
      page.on('request', () => {
        asked += 1
      })
      await page.clock.runFor(120_000)
      assert.equal(asked, 0)
    })
  })

  // proves: OPS-02
  it('creates a tenant whose Admin logs in, closes it, and says plainly what a check found', async () => {
    await visit(async page => {
      await signIn(page)
      const tab = (name: string) => page.getByRole('navigation', { name: 'Control panel' }).getByRole('link', { name })
      await tab('Tenants').click()
      await page.getByRole('heading', { name: 'Tenants', level: 1 }).waitFor()
      await page.getByRole('button', { name: 'Create a tenant' }).click()
      const dialog = page.getByRole('dialog')
      const create = dialog.getByRole('button', { name: 'Create a tenant' })
      await create.click()
      await dialog.getByText('Fill in the fields with a star.').first().waitFor()
      await dialog.getByRole('textbox', { name: /^Name/ }).fill('Birch Biologics')
      await dialog.getByRole('textbox', { name: /^User name/ }).fill('bea')
      await dialog.getByRole('textbox', { name: /^E-mail/ }).fill('bea@birch.example')
      await dialog.getByLabel('First password').fill('short')
      await create.click()
      await dialog.getByText(/at least 12 characters/).waitFor()
      await dialog.getByLabel('First password').fill(password)
      await examine(page, '16-create-tenant')
      await create.click()
      await dialog.waitFor({ state: 'detached' })
      const row = page.getByRole('row', { name: /Birch Biologics/ })
      assert.match(await row.innerText(), /Open.*0 B/s)
      await examine(page, '17-tenants')

      const logIn = async () => {
        const payload = { username: 'bea', password }
        return (await world.server.inject({ method: 'POST', url: '/api/auth/token', payload })).statusCode
      }
      assert.equal(await logIn(), 200)
      await row.getByRole('button', { name: 'Change the quota: Birch Biologics' }).click()
      await dialog.getByLabel('GiB').fill('2,5')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await row.getByText('0 B of 2.5 GiB').waitFor()
      await row.getByRole('button', { name: 'Close: Birch Biologics' }).click()
      await dialog.getByText('Everybody of this company is logged out at once').waitFor()
      await dialog.getByLabel('Reason').fill('The contract ended')
      await dialog.getByRole('button', { name: 'Close', exact: true }).last().click()
      await row.getByText('Closed').waitFor()
      assert.equal(await logIn(), 401)
      const [entry] = await world.rows(
        `select username, reason from audit_entries where action = 'tenant.updated' and reason is not null`,
      )
      assert.deepEqual(entry, { username: 'pat', reason: 'The contract ended' })

      await tab('Failed work').click()
      await page.getByRole('heading', { name: 'Nothing failed' }).waitFor()
      await tab('Installation').click()
      await page.getByText('No backup is known').waitFor()
      await examine(page, '18-installation')

      await tab('Checks').click()
      await page.getByText('Not examined since you signed in').waitFor()
      await world.superuser.query(`insert into storage_use (tenant_id, bytes, files)
        select id, 5, 1 from tenants where slug = 'acme' on conflict (tenant_id) do update set bytes = storage_use.bytes + 5`)
      await page.getByRole('button', { name: 'Examine now' }).click()
      const found = page.getByRole('row', { name: /^Failed projections/ })
      await found.getByText(/storage-use/).waitFor()
      await page
        .getByRole('status')
        .getByText(/^\d of \d+ checks failed\./)
        .waitFor()
      await page.getByText('signatures, audit trails and stored files (doctor --deep examines them)').waitFor()
      await examine(page, '19-checks')

      await page.getByRole('button', { name: 'Deutsch' }).click()
      await page.getByRole('heading', { name: 'Prüfungen', level: 1 }).waitFor()
      await page.getByRole('button', { name: 'English' }).click()
    })
  })

  it('is as readable in the dark', async () => {
    await visit(
      async page => {
        await examine(page, '09-dark-sign-in')
        await signIn(page)
        model.status = 500
        await refreshNow(page)
        model.status = 200
        await page.getByText('AI integration is degraded.').waitFor()
        await examine(page, '10-dark')
        await page.context().setOffline(true)
        await page.getByRole('button', { name: 'Refresh now' }).click()
        await page.getByRole('alert').getByText('The last refresh failed.').waitFor()
        await examine(page, '11-dark-refresh-fails')
      },
      { colorScheme: 'dark' },
    )
  })

  it('fits a telephone', async () => {
    await visit(
      async page => {
        await examine(page, '12-narrow-sign-in')
        await signIn(page)
        await examine(page, '13-narrow')
      },
      { viewport: { width: 340, height: 720 } },
    )
  })

  it('needs no mouse', async () => {
    await visit(async page => {
      const focused = () => page.evaluate('document.activeElement.textContent')
      const type = (text: string) => page.keyboard.type(text)
      // The page is ready when the cursor stands where one begins.
      await page.locator('input[name=username]:focus').waitFor()
      await type('pat')
      await page.keyboard.press('Tab')
      await type('wrong')
      await page.keyboard.press('Enter')
      await page.getByRole('alert').getByText('is wrong').waitFor()
      // The focus is where it goes on.
      await type(password)
      await page.keyboard.press('Tab')
      await type(nextCode())
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Dependencies' }).waitFor()
      assert.equal(await focused(), 'Service health')
      await page.keyboard.press('Tab')
      assert.equal(await focused(), 'Refresh now')
      await examine(page, '14-keyboard')
      const answer = answered(page)
      await page.keyboard.press('Enter')
      assert.equal((await answer).status(), 200)
      await page.keyboard.press('Shift+Tab')
      assert.equal(await focused(), 'Sign out')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Sign in' }).waitFor()
    })
  })
})
