// How people get in, prove who they are, and keep their account and their notifications in order, in a real browser.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { systemActor } from '#modules/accounts'
import { confirmDomain } from '#modules/identity-providers'
import { addAuthenticator, examine, freePort, logIn, openVisits } from '#test/browser/visits.ts'
import { papers } from '#test/builders/documents.ts'
import { admitSigning, inTheNextSecond } from '#test/builders/provider-signing.ts'
import { accepted } from '#test/builders/samples.ts'
import { addProvider, linkUser } from '#test/builders/single-sign-on.ts'
import { type Idp, openIdp, outboundHere } from '#test/fakes/oidc.ts'
import { openSmtp, type Smtp } from '#test/fakes/smtp.ts'
import { codeIn, takeLetters } from '#test/world/mail-world.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

const inGerman = { locale: 'de-DE', viewport: { width: 320, height: 640 }, hasTouch: true, isMobile: true }

describe('log-in, account and notifications in a browser', () => {
  let world: World
  let smtp: Smtp
  let idp: Idp
  let visits: Awaited<ReturnType<typeof openVisits>>
  before(async () => {
    await buildWeb()
    const publicUrl = `http://localhost:${await freePort()}`
    smtp = await openSmtp()
    idp = await openIdp({ service: publicUrl })
    world = await openWorld(
      {
        PUBLIC_URL: publicUrl,
        SMTP_URL: `smtp://127.0.0.1:${smtp.port}`,
        MAIL_FROM: 'attest@qms.example',
      },
      { outbound: outboundHere() },
    )
    visits = await openVisits(world, { publicUrl, others: [idp.issuer] })
  })
  after(async () => {
    await visits?.close()
    await world.close()
    await smtp.close()
    await idp.close()
    assert.deepEqual(idp.failures, [])
  })

  const set = async (change: object) => {
    const { revision } = (await world.as('ada').get('/api/settings/')).json()
    await accepted(world.as('ada').put('/api/settings/', { ...change, revision }))
  }
  const submitted = async (title: string) => {
    const { upload, move } = papers(world)
    const { id, number } = await upload({ title })
    await move('alan', id, 'submit')
    return { id, number } as { id: number; number: string }
  }
  const signaturesOf = (id: number) =>
    world.rows<{ signer: string; method: string }>(
      `select u.username as signer, s.method from document_decisions d join users u on u.id = d.user_id
       join signatures s on s.id = d.signature_id join document_versions v on v.id = d.version_id where v.document_id = $1`,
      [id],
    )
  const home = (page: Page) => page.getByRole('heading', { name: 'My work', level: 1 }).waitFor()

  // proves: AUTH-04, AUTH-07
  it('a temporary password is changed first, and then the second factor is set up that the company wants', async () => {
    const roles = (await world.as('ada').get('/api/roles/')).json().items as { id: number; name: string }[]
    await accepted(
      world.as('ada').post('/api/users/', {
        ...{ username: 'nina', email: 'nina@example.com', full_name: 'Nina Example', password },
        role_id: roles.find(({ name }) => name === 'Author')!.id,
      }),
    )
    await set({ signature_otp_required: true })
    try {
      await visits.visit('/documents', async page => {
        await page.getByLabel('User name or e-mail').fill('nina')
        await page.getByLabel('Password').fill(password)
        await page.getByRole('button', { name: 'Log in', exact: true }).click()
        await page.getByRole('heading', { name: 'Choose your own password' }).waitFor()
        await page.goto(`${visits.origin}/account`)
        await page.getByRole('heading', { name: 'Choose your own password' }).waitFor()
        await page.goto(`${visits.origin}/documents`)
        await page.getByText('At least 12 characters').waitFor()
        await examine(page, 'change of a temporary password')
        await page.getByLabel('Temporary password').fill(password)
        await page.getByRole('textbox', { name: 'New password' }).fill('nina')
        await page.getByRole('button', { name: 'Change the password' }).click()
        const next = page.getByRole('textbox', { name: 'New password' })
        await page
          .getByText(/at least 12 characters/)
          .last()
          .waitFor()
        assert.equal(await next.getAttribute('aria-invalid'), 'true')
        assert.equal(await page.getByLabel('Temporary password').inputValue(), password)
        await next.fill('Willow lamp 93 river')
        await page.getByRole('button', { name: 'Change the password' }).click()

        await page.getByRole('heading', { name: 'Set up your second factor' }).waitFor()
        await page.getByRole('button', { name: 'Show the QR code' }).click()
        await page.getByRole('img', { name: 'QR code for the authenticator app' }).waitFor()
        await page.getByText('The app cannot scan it').click()
        await examine(page, 'second factor')
        const secret = (await page.locator('details code').innerText()).replaceAll(' ', '')
        await page.getByLabel('Code of the app').fill('000000')
        await page.getByRole('button', { name: 'Confirm' }).click()
        await page.getByText('Enter the current code.').waitFor()
        await page.getByLabel('Code of the app').fill(new TOTP({ secret }).generate())
        await page.getByRole('button', { name: 'Confirm' }).click()
        await page.getByRole('heading', { name: 'Documents', level: 1 }).waitFor()

        await page.goto(`${visits.origin}/account`)
        const factor = page.getByRole('region', { name: 'Second factor' })
        await factor.getByText('An authenticator app is set up').waitFor()
        await factor.getByRole('button', { name: 'Remove' }).click()
        const dialog = page.getByRole('dialog', { name: 'Remove the second factor' })
        await dialog.getByLabel('Current password').fill('Willow lamp 93 river')
        await dialog.getByLabel('One-time code').fill('000000')
        await dialog.getByRole('button', { name: 'Remove' }).click()
        await dialog.getByRole('alert').waitFor()
        assert.equal(await dialog.getByLabel('Current password').inputValue(), '')
      })
    } finally {
      await set({ signature_otp_required: false })
    }
  })

  // proves: SES-01, SSO-05
  it('a passkey is added, logs in, signs in the place of the password, and is revoked', async () => {
    const text = 'My signature means what my handwriting means.'
    await set({ signature_statement: { text } })
    const { id, number } = await submitted('Hand hygiene')
    try {
      await visits.visit('/account', async page => {
        const { session, authenticatorId } = await addAuthenticator(page)
        await logIn(page, 'petra')
        const passkeys = page.getByRole('region', { name: 'Passkeys' })
        await passkeys.getByText('You have no passkey.').waitFor()
        await passkeys.getByRole('button', { name: 'Add a passkey' }).click()
        const dialog = page.getByRole('dialog', { name: 'Add a passkey' })
        await dialog.getByLabel('Name').fill('Laptop')
        await examine(page, 'new passkey')
        await dialog.getByRole('button', { name: 'Add a passkey' }).click()
        await passkeys.getByText('Laptop').waitFor()
        await passkeys.getByRole('button', { name: 'Rename Laptop' }).click()
        await page.getByRole('dialog').getByLabel('Name').fill('Office laptop')
        await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click()
        await passkeys.getByText('Office laptop').waitFor()
        await examine(page, 'account')

        await page.getByRole('button', { name: 'Petra Example QA Account' }).click()
        await page.getByRole('menuitem', { name: 'Log out' }).click()
        // Nobody unlocks the device.
        await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: false })
        await page.getByRole('button', { name: 'Log in with a passkey' }).click()
        await page.getByRole('alert').getByText('Your device did not confirm').waitFor()
        await session.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified: true })
        await page.getByRole('button', { name: 'Log in with a passkey' }).click()
        await home(page)

        await page.goto(`${visits.origin}/documents/${id}`)
        await page.getByRole('button', { name: 'Approve', exact: true }).click()
        const first = page.getByRole('dialog', { name: 'Before you sign' })
        await first.getByText(text).waitFor()
        await examine(page, 'signature statement')
        await first.getByRole('button', { name: 'Accept the statement' }).click()
        const sign = page.getByRole('dialog', { name: 'Sign your approval' })
        await sign.getByLabel('Remark').fill('By my own key')
        await sign.getByRole('button', { name: 'Sign with a passkey' }).waitFor()
        await examine(page, 'signature with a passkey')
        await sign.getByRole('button', { name: 'Sign with a passkey' }).click()
        await page.getByRole('alertdialog').getByText(`${number} is signed`).waitFor()
        assert.deepEqual(await signaturesOf(id), [{ signer: 'petra', method: 'passkey' }])

        // Where the company wants more than a password, a passkey is enough, and who has neither is told what to do.
        const other = await submitted('Waste water')
        await set({ signature_otp_required: true })
        await page.goto(`${visits.origin}/documents/${other.id}`)
        await page.getByRole('button', { name: 'Approve', exact: true }).click()
        await sign.getByText('You confirm this signature with your passkey.').waitFor()
        assert.equal(await sign.getByLabel('Your password').count(), 0)
        await sign.getByRole('button', { name: 'Sign and approve' }).click()
        await page.getByRole('alertdialog').getByText(`${other.number} is signed`).waitFor()
        const third = await submitted('Lighting')
        await page.goto(`${visits.origin}/account`)
        await passkeys.getByRole('button', { name: 'Revoke Office laptop' }).click()
        await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click()
        await passkeys.getByText('You have no passkey.').waitFor()
        await page.goto(`${visits.origin}/documents/${third.id}`)
        await page.getByRole('heading', { name: 'Set up your second factor' }).waitFor()
        await page.getByRole('button', { name: 'Later' }).click()
        await page.getByRole('button', { name: 'Approve', exact: true }).click()
        await sign.getByText('Signing needs a second factor here, and you have none.').waitFor()
        assert.equal(await sign.getByRole('button', { name: 'Sign and approve' }).count(), 0)
        await examine(page, 'signature without a second factor')
        await sign.getByRole('button', { name: 'Cancel' }).click()
        await page.getByRole('button', { name: 'Petra Example QA Account' }).click()
        await page.getByRole('menuitem', { name: 'Log out' }).click()
        await page.getByRole('button', { name: 'Log in with a passkey' }).click()
        await page.getByRole('alert').getByText('This passkey is not known here').waitFor()
        await examine(page, 'unknown passkey')
      })
    } finally {
      await set({ signature_statement: null, signature_otp_required: false })
    }
  })

  // proves: SSO-01, SSO-05
  it('somebody logs in by the provider of their company, and signs by it', async () => {
    const provider = await addProvider(world, idp)
    await linkUser(world, 'quentin', provider.id, 'subject-of-quentin')
    await admitSigning(world, idp, provider.id)
    await accepted(world.as('ada').post('/api/sso-domains/', { domain: 'example.com' }))
    const operator = systemActor(world.people.ada!.tenant_id)
    const origin = { requestId: 'confirm', clientAddr: '127.0.0.1' }
    await world.services.runner.run(confirmDomain, operator, { body: { domain: 'example.com' } }, { origin })
    const { id, number } = await submitted('Pest control')
    await visits.visit(
      '/documents',
      async page => {
        idp.logsIn({ sub: 'a stranger' })
        const byProvider = page.getByRole('button', { name: 'Log in with Company ID' })
        await page.getByLabel('User name or e-mail').fill('quentin@example.com')
        await byProvider.waitFor()
        await examine(page, 'log-in with a provider')
        await byProvider.click()
        await page.getByRole('alert').getByText('Your company account is not linked').waitFor()
        await page.context().clearCookies()

        idp.logsIn({ sub: 'subject-of-quentin' })
        await page.goto(`${visits.origin}/documents`)
        await page.getByLabel('User name or e-mail').fill('quentin@example.com')
        await byProvider.click()
        await page.getByRole('rowheader', { name: 'Pest control' }).waitFor()

        await page.goto(`${visits.origin}/documents/${id}`)
        const sign = page.getByRole('dialog', { name: 'Sign your approval' })
        const begin = async () => {
          await page.getByRole('button', { name: 'Approve', exact: true }).click()
          await inTheNextSecond()
          await sign.getByRole('button', { name: 'Sign with Company ID' }).click()
          await page.getByRole('heading', { name: 'Your signature' }).waitFor()
        }
        idp.logsIn({ sub: 'a stranger' })
        await begin()
        await page.getByRole('alert').getByText('nothing was signed').waitFor()
        await examine(page, 'refused by the provider')
        await page.getByRole('button', { name: 'Back to the record' }).click()
        assert.deepEqual(await signaturesOf(id), [])

        idp.logsIn({ sub: 'subject-of-quentin' })
        await begin()
        await page.getByText(`${number} Pest control · Version 1.0`).waitFor()
        await examine(page, 'confirmed by the provider')
        assert.deepEqual(await signaturesOf(id), [], 'the address alone signs nothing')
        await page.getByRole('button', { name: 'Sign and approve' }).click()
        await page.getByRole('alertdialog').getByText(`${number} is signed`).waitFor()
        assert.deepEqual(await signaturesOf(id), [{ signer: 'quentin', method: 'provider' }])
        await page.goto(`${visits.origin}/signing`)
        await page.getByText('No signature waits here').waitFor()
      },
      { ignoreHTTPSErrors: true },
    )
  })

  // proves: AUTH-04
  it('a new person chooses their first password by the link of the invitation', async () => {
    await takeLetters({ world, smtp })
    const email = 'greta@example.org'
    const invited = { username: 'greta', email, full_name: 'Greta Example' }
    await accepted(world.as('ada').post('/api/users/invite', invited))
    const [letter] = await takeLetters({ world, smtp })
    await visits.visit(`/reset-password#${codeIn(letter!.text)}`, async page => {
      await page.getByRole('heading', { name: 'Choose a password' }).waitFor()
      await page.getByRole('textbox', { name: 'New password' }).fill('Willow lamp 47 river')
      await page.getByRole('button', { name: 'Save the password' }).click()
      await page.getByRole('heading', { name: 'Log in' }).waitFor()
      await page.getByLabel('User name or e-mail').fill(email)
      await page.getByRole('textbox', { name: 'Password' }).fill('Willow lamp 47 river')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'My work' }).waitFor()
      await page.getByRole('button', { name: /^Greta Example / }).waitFor()
    })
    assert.ok(letter!.text.includes(`${visits.origin}/reset-password#`), 'the mail leads there')
  })

  it('who is logged in already is not asked to log in, unless a provider refused', async () => {
    await visits.visit('/sign-in', async page => {
      await page.getByRole('heading', { name: 'Log in' }).waitFor()
      await logIn(page, 'uma')
      await home(page)
      await page.goto(`${visits.origin}/sign-in`)
      await home(page)
      await page.goto(`${visits.origin}/sign-in?to=%2Fdocuments`)
      await page.getByRole('heading', { name: 'Documents', level: 1 }).waitFor()
      await page.goto(`${visits.origin}/sign-in?error=not_linked`)
      await page.getByRole('heading', { name: 'Log in' }).waitFor()
    })
  })

  it('a forgotten password is chosen anew by the link of the e-mail, once', async () => {
    await takeLetters({ world, smtp })
    await visits.visit(
      '/sign-in',
      async page => {
        await page.getByRole('link', { name: 'Passwort vergessen' }).click()
        await page.getByLabel('Benutzername oder E-Mail').fill('uma')
        await examine(page, 'forgotten password, German')
        await page.getByRole('button', { name: 'Link senden' }).click()
        await page.getByRole('status').getByText('Wenn es dieses Konto gibt').waitFor()
        const [letter] = await takeLetters({ world, smtp })
        const link = `${visits.origin}/reset-password#${codeIn(letter!.text)}`
        assert.ok(letter!.text.includes(link))
        await page.goto(link)
        const next = page.getByRole('textbox', { name: 'Neues Passwort' })
        await next.fill('password')
        assert.equal(await page.evaluate('location.hash'), '', 'the code is in no history')
        await page.getByRole('button', { name: 'Passwort speichern' }).click()
        await page.locator('input[aria-invalid="true"]').waitFor()
        await examine(page, 'choice of a password, German')
        await next.fill('Willow lamp 93 river')
        await page.getByRole('button', { name: 'Passwort speichern' }).click()
        await page.getByRole('heading', { name: 'Anmelden' }).waitFor()

        await page.goto('about:blank')
        await page.goto(link)
        await next.fill('Another lamp 93 river')
        await page.getByRole('button', { name: 'Passwort speichern' }).click()
        await page.getByRole('link', { name: 'Neuen Link anfordern' }).waitFor()

        await page.goto(`${visits.origin}/account`)
        await page.getByLabel('Benutzername oder E-Mail').fill('uma')
        await page.getByLabel(/^Passwort/).fill('Willow lamp 93 river')
        await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
        await page.getByRole('heading', { name: 'Konto', level: 1 }).waitFor()
        await page.getByText('diese hier').waitFor()
        await examine(page, 'account, German')
        await page.goto(`${visits.origin}/notifications?tab=preferences`)
        await page.getByRole('rowheader', { name: 'Ein Dokument wurde freigegeben' }).waitFor()
        await examine(page, 'preferences, German')
      },
      inGerman,
    )
  })

  // proves: AUTH-04, SES-01
  it('the password is changed, and other sessions are ended, by their owner', async () => {
    await visits.visitAs('quinn', '/account', async page => {
      await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
      const payload = { username: 'quinn', password }
      const elsewhere = async () => {
        const reply = await world.server.inject({ method: 'POST', url: '/api/auth/token', payload })
        return { authorization: `Bearer ${reply.json().access_token}` }
      }
      const statusOf = async (headers: { authorization: string }) =>
        (await world.server.inject({ url: '/api/auth/me', headers })).statusCode
      const others = [await elsewhere(), await elsewhere(), await elsewhere()]
      await page.reload()
      const sessions = page.getByRole('region', { name: 'Sessions' })
      const ends = sessions.getByRole('button', { name: /^End the session/ })
      await ends.nth(2).waitFor()
      await ends.first().click()
      await page.getByText('One session has ended').waitFor()
      await ends.nth(2).waitFor({ state: 'detached' })
      await sessions.getByRole('button', { name: 'End all others' }).click()
      await page.getByText('2 sessions have ended').waitFor()
      assert.deepEqual(await Promise.all(others.map(statusOf)), [401, 401, 401])

      await page.getByRole('button', { name: 'Change the password' }).click()
      const dialog = page.getByRole('dialog', { name: 'Change the password' })
      await dialog.getByLabel('Current password').fill('not the password')
      await dialog.getByRole('textbox', { name: 'New password' }).fill('Willow lamp 93 river')
      await dialog.getByRole('button', { name: 'Change the password' }).click()
      await dialog.getByText('Incorrect password.').waitFor()
      await dialog.getByLabel('Current password').fill(password)
      await dialog.getByRole('textbox', { name: 'New password' }).fill('Willow lamp 93 river')
      await examine(page, 'change of the password')
      await dialog.getByRole('button', { name: 'Change the password' }).click()
      await page.getByText('Your password is changed').waitFor()
      assert.equal(await page.getByRole('dialog', { name: 'Your session has ended' }).count(), 0)

      const [kept] = await Promise.all([
        page.waitForResponse(
          response => response.url().endsWith('/api/auth/preferences') && response.request().method() === 'PUT',
        ),
        // Chosen once its words are there.
        page.getByRole('radio', { name: 'Deutsch' }).click({ force: true }),
      ])
      assert.equal((await kept.json()).language, 'de')
      await page.getByRole('heading', { name: 'Konto', level: 1 }).waitFor()
    })
    // In another browser, which speaks English, what was chosen holds too.
    await visits.visit('/account', async page => {
      await logIn(page, 'quinn', 'Willow lamp 93 river')
      await page.getByRole('heading', { name: 'Konto', level: 1 }).waitFor()
    })
  })

  // proves: NOTE-01
  it('notifications are read one by one and all at once, and chosen by kind', async () => {
    await submitted('Gowning')
    await submitted('Cleaning')
    await visits.visitAs('petra', '/', async page => {
      await page.getByRole('link', { name: /^Notifications .* unread$/ }).click()
      await page.getByRole('heading', { name: 'Notifications', level: 1 }).waitFor()
      await page.getByRole('heading', { name: 'Today', level: 3 }).first().waitFor()
      const unread = page.getByRole('region', { name: /^Unread/ })
      const marks = unread.getByRole('button', { name: /^Mark as read/ })
      const before = await marks.count()
      assert.ok(before >= 2, `${before} unread`)
      await examine(page, 'notifications')
      await marks.first().click()
      await page.getByRole('region', { name: /^Read/ }).getByRole('listitem').first().waitFor()
      await marks.nth(before - 1).waitFor({ state: 'detached' })
      assert.equal(await marks.count(), before - 1)
      await unread.getByRole('button', { name: 'Mark all as read' }).click()
      await unread.getByText('You have read everything.').waitFor()
      // Its number is gone.
      await page.getByRole('link', { name: 'Notifications', exact: true }).waitFor()

      await page.getByRole('tab', { name: 'Preferences' }).click()
      const approved = page.getByRole('row', { name: /^A document was approved/ })
      await approved.getByRole('combobox').selectOption('immediate')
      await page.getByRole('button', { name: 'Restore the defaults' }).waitFor()
      await examine(page, 'preferences')
      const requested = page.getByRole('row', { name: /^A document waits for your approval/ })
      await requested.getByText('Always').waitFor()
      assert.equal(await requested.getByRole('checkbox').count(), 0, 'it cannot be switched off')
      await approved.getByRole('checkbox').click()
      await approved.getByRole('checkbox', { checked: false }).waitFor()
      const stored = (await world.as('petra').get('/api/notifications/preferences')).json()
      const { in_app, email } = stored.preferences.find((each: { type: string }) => each.type === 'document_approved')
      assert.deepEqual({ in_app, email }, { in_app: false, email: 'none' })
      await page.getByRole('button', { name: 'Restore the defaults' }).click()
      await approved.getByRole('checkbox', { checked: true }).waitFor()
    })
  })
})
