// People and access in a real browser: who is invited, who may do what and why, who leaves, and what machines may.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { TOTP } from 'otpauth'
import type { Page } from 'playwright-core'
import { addAuthenticator, examine, fits, freePort, logIn, openVisits } from '#test/browser/visits.ts'
import { deviations } from '#test/builders/deviations.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { openBrowser } from '#test/builders/sessions.ts'
import { addProvider } from '#test/builders/single-sign-on.ts'
import { openIdp, outboundHere } from '#test/fakes/oidc.ts'
import { openSmtp, type Smtp } from '#test/fakes/smtp.ts'
import { takeLetters } from '#test/world/mail-world.ts'
import { openWorld, password, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'

const tablet = { viewport: { width: 768, height: 1024 }, hasTouch: true, isMobile: true }
const telephone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true, locale: 'de-DE' }

describe('people and access in a browser', () => {
  let world: World
  let smtp: Smtp
  let idp: Awaited<ReturnType<typeof openIdp>>
  let visits: Awaited<ReturnType<typeof openVisits>>
  before(async () => {
    await buildWeb()
    const publicUrl = `http://localhost:${await freePort()}`
    smtp = await openSmtp()
    idp = await openIdp({ service: publicUrl })
    world = await openWorld(
      { PUBLIC_URL: publicUrl, SMTP_URL: `smtp://127.0.0.1:${smtp.port}`, MAIL_FROM: 'attest@qms.example' },
      { outbound: outboundHere() },
    )
    visits = await openVisits(world, { publicUrl, others: [idp.issuer] })
  })
  after(async () => {
    await visits?.close()
    await world.close()
    await smtp.close()
    await idp.close()
  })

  const idOf = (name: string) => world.people[name]!.id
  const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })
  const announced = (page: Page, text: string | RegExp) =>
    page.getByRole('alertdialog').getByText(text).first().waitFor()
  const inDialog = (page: Page) => page.getByRole('dialog')
  const choose = async (page: Page, label: string, option: string | RegExp) => {
    await page.getByRole('button', { name: label }).click()
    await page.getByRole('option', { name: option }).click()
  }
  const act = async (page: Page, name: string) => {
    await button(page, 'Actions').click()
    await page.getByRole('menuitem', { name }).click()
    await inDialog(page).waitFor()
  }
  const confirm = async (page: Page, submit: string, reason?: string) => {
    if (reason) await inDialog(page).getByLabel('Reason').fill(reason)
    await inDialog(page).getByRole('button', { name: submit, exact: true }).click()
    await inDialog(page).waitFor({ state: 'detached' })
  }

  // proves: AUTH-05
  it('an Admin invites a person, who chooses a password and is logged in', async () => {
    await takeLetters({ world, smtp })
    await visits.visitAs('ada', '/admin/users', async page => {
      await page.getByRole('link', { name: /Quinn Example/ }).waitFor()
      await examine(page, 'users')
      await button(page, 'Invite').click()
      await page.getByRole('heading', { name: 'New user' }).waitFor()
      await button(page, 'Invite').click()
      const missing = page.getByText('Fill this in.')
      await missing.nth(2).waitFor()
      assert.equal(await missing.count(), 3, 'each field says what is missing')
      await page.getByLabel('Full name').fill('Greta Lind')
      await page.getByLabel('User name').fill('quinn')
      await page.getByRole('textbox', { name: 'E-mail' }).fill('greta@example.org')
      await choose(page, 'Role', /^Author/)
      await button(page, 'Invite').click()
      await page.getByRole('alert').waitFor()
      await page.getByLabel('User name').fill('greta')
      await button(page, 'Invite').click()
      await announced(page, 'Greta Lind is invited')
      await page.getByRole('heading', { name: 'Greta Lind' }).waitFor()
    })
    const [letter] = await takeLetters({ world, smtp })
    const [link] = /\/reset-password#\S+/.exec(letter!.text)!
    await visits.visit(link, async page => {
      await page.getByRole('textbox', { name: 'New password' }).fill('Giraffe 4 umbrella moon')
      await button(page, 'Save the password').click()
      await page.getByRole('heading', { name: 'Log in' }).waitFor()
      await page.getByLabel('User name or e-mail').fill('greta')
      await page.getByRole('textbox', { name: 'Password' }).fill('Giraffe 4 umbrella moon')
      await button(page, 'Log in').click()
      await page.getByRole('heading', { name: 'My work' }).waitFor()
    })
  })

  it('a list of people is refused line by line, and nobody is invited before it is right', async () => {
    await takeLetters({ world, smtp })
    await visits.visitAs('ada', '/admin/users/new', async page => {
      await page.getByText('Invite many people').click()
      const list = page.getByLabel('List of people')
      const lines = [
        'username,email,full_name,role',
        'lara,lara@example.org,Lara Lind,Author',
        'leon,leon,Leon Ek,Cook',
      ]
      await list.fill(lines.join('\n'))
      await button(page, 'Invite 2 people').click()
      await page.getByText('1 line has a fault.').waitFor()
      const row = page.getByRole('row', { name: /leon/ })
      await row.getByRole('rowheader', { name: '3' }).waitFor()
      await examine(page, 'invite many')
      assert.equal((await takeLetters({ world, smtp })).length, 0)
      await list.fill(`${lines[0]}\n${lines[1]}\nleon,leon@example.org,Leon Ek,`)
      await button(page, 'Invite 2 people').click()
      await announced(page, '2 people are invited')
      await page.getByRole('link', { name: /Leon Ek/ }).waitFor()
    })
    assert.equal((await takeLetters({ world, smtp })).length, 2)
  })

  // proves: ROLE-02, ROLE-03
  it('why somebody may approve is said, and what is taken away is gone at once', async () => {
    const may = async () => {
      const { permissions } = (await world.as('petra').get('/api/auth/me')).json()
      return permissions.includes('documents.approve')
    }
    assert.equal(await may(), true)
    await visits.visitAs('ada', `/admin/users/${idOf('quinn')}`, async page => {
      await page.getByLabel('Find a permission').fill('reject documents')
      const line = page.getByRole('listitem').filter({ hasText: 'Approve or reject documents in workflows' })
      await line.getByText('From the role QA, inherited by QA Manager').waitFor()

      await page.goto(`${visits.origin}/admin/users/${idOf('petra')}`)
      await line.getByText('From the role QA', { exact: true }).waitFor()
      await page.getByRole('searchbox', { name: 'Find a permission' }).fill('documents')
      await page.getByRole('listitem').filter({ hasText: 'Read CAPAs' }).waitFor({ state: 'detached' })
      await examine(page, 'a person')
      await button(page, 'Take away: Approve or reject documents in workflows').click()
      await inDialog(page).getByRole('button', { name: 'Take away' }).click()
      await inDialog(page).getByText('Enter a reason.').waitFor()
      await confirm(page, 'Take away', 'Works in the warehouse for a month')
      await line.getByText('Denied to this person; the role QA would give it').waitFor()
      assert.equal(await may(), false)
      await button(page, 'Undo: Approve or reject documents in workflows').click()
      await confirm(page, 'Undo', 'Back at the bench')
      await line.getByText('From the role QA', { exact: true }).waitFor()
    })
    assert.equal(await may(), true)
    const entries = await world.rows<{ reason: string }>(
      `select reason from audit_entries where action = 'user.permissions_changed' and resource_id = $1 order by id`,
      [idOf('petra')],
    )
    assert.deepEqual(
      entries.map(({ reason }) => reason),
      ['Works in the warehouse for a month', 'Back at the bench'],
    )
  })

  // proves: ROLE-02
  it('a role is changed with the difference in sight, and deleted once nobody has it', async () => {
    const roles: Json = ok(await world.as('ada').get('/api/roles/?page_size=100'))
    const idOfRole = (name: string) => roles.items.find((each: Json) => each.name === name).id
    const lead: Json = ok(
      await world.as('ada').post('/api/roles/', {
        name: 'Shift lead',
        inherits_role_id: idOfRole('User'),
        granted: ['capa.read'],
      }),
    )
    const give = (role_id: number) => world.as('ada').put(`/api/users/${idOf('anna')}/role`, { role_id })
    ok(await give(lead.id))
    await visits.visitAs('ada', '/admin/roles', async page => {
      const row = page.getByRole('row', { name: /^Read CAPAs/ })
      await row.getByText('inherited from Author').first().waitFor()
      // A matrix of all permissions has thousands of cells for axe, each like the others.
      const find = (text: string) => page.getByRole('searchbox', { name: 'Find a permission' }).fill(text)
      await find('CAPAs')
      await page.getByRole('row', { name: /^Read deviations/ }).waitFor({ state: 'detached' })
      await examine(page, 'roles')
      await page
        .getByRole('columnheader', { name: /Shift lead/ })
        .getByRole('link')
        .click()
      const changes = page.getByRole('region', { name: 'What changes' })
      await changes.getByText('Nothing changes yet.').first().waitFor()
      await find('CAPAs')
      const set = (permission: string, state: string) =>
        page.getByRole('radiogroup', { name: permission, exact: true }).getByText(state).click()
      await set('Read CAPAs', 'Not set')
      await set('Create CAPAs', 'Given')
      await changes.getByText('1 person gains or loses permissions.').waitFor()
      await changes.getByText('Create CAPAs').waitFor()
      await changes.getByText('Read CAPAs').waitFor()
      await examine(page, 'a role')
      await button(page, 'Save changes').click()
      await inDialog(page).getByText('1 person gains or loses permissions.').waitFor()
      await confirm(page, 'Save role', 'Leads write CAPAs')
      await announced(page, 'The role Shift lead is saved')
      const { permissions } = ok(await world.as('ada').get(`/api/users/${idOf('anna')}/permissions`))
      assert.deepEqual([permissions.includes('capa.create'), permissions.includes('capa.read')], [true, false])
      assert.equal(await button(page, 'Delete').getAttribute('aria-disabled'), 'true', 'somebody has it')

      ok(await give(idOfRole('Author')))
      await page.reload()
      await button(page, 'Delete').click()
      await confirm(page, 'Delete')
      await page.getByRole('heading', { name: 'Roles', level: 1 }).waitFor()
      await page.getByRole('columnheader', { name: /Shift lead/ }).waitFor({ state: 'detached' })
    })
  })

  it('a changed role waits for a second person where the company wants one', async () => {
    const role: Json = ok(await world.as('ada').post('/api/roles/', { name: 'Archivist', granted: ['documents.read'] }))
    // Somebody else has to be able to approve it.
    const quentin = `/api/users/${idOf('quentin')}`
    ok(
      await world
        .as('ada')
        .put(`${quentin}/permissions`, { granted: ['roles.manage', 'configuration_changes.decide'], denied: [] }),
    )
    ok(await world.as('ada').put('/api/settings/', { configuration_needs_approval: true }))
    await visits.visitAs('ada', `/admin/roles/${role.id}`, async page => {
      await page.getByRole('radiogroup', { name: 'Read CAPAs', exact: true }).getByText('Given').click()
      await button(page, 'Save changes').click()
      await confirm(page, 'Save role', 'Reads CAPAs too')
      await page.getByRole('link', { name: 'See the change' }).waitFor()
      assert.deepEqual(ok(await world.as('ada').get(`/api/roles/${role.id}`)).granted, ['documents.read'])
    })
    const [change] = ok(await world.as('ada').get('/api/configuration-changes/?status=pending')).items
    ok(await world.as('ada').post(`/api/configuration-changes/${change.id}/withdraw`, {}))
  })

  // proves: DASH-01, AUD-01
  it('somebody leaves: what is open is in sight with who takes it, and is handed over', async () => {
    const report = await deviations(world).report()
    ok(await world.as('quinn').put(`/api/deviations/${report.id}`, { assigned_to: idOf('petra') }))
    const paper = await papers(world).upload({ by: 'petra', title: 'Plan of Petra' })
    await visits.visitAs('ada', `/admin/users/${idOf('petra')}?tab=work`, async page => {
      await page.getByRole('link', { name: /Plan of Petra/ }).waitFor()
      await examine(page, 'open work')
      await act(page, 'Deactivate')
      const rows = inDialog(page).getByRole('row')
      await rows.filter({ hasText: 'Documents owned' }).getByText('Nobody: it stays').waitFor()
      await inDialog(page).getByRole('combobox', { name: 'Who takes the work' }).fill('quentin')
      await page.getByRole('option', { name: /Quentin/ }).click()
      for (const kind of ['Documents owned', 'Deviations to investigate'])
        await rows.filter({ hasText: kind }).getByText('Quentin Example').waitFor()
      await examine(page, 'deactivation')
      await confirm(page, 'Deactivate', 'Leaves the company')
      await announced(page, /Petra Example is deactivated\. 2 items are being handed over/)
      await page.getByText('Inactive').first().waitFor()
    })
    await world.work()
    const { owner } = ok(await world.as('ada').get(`/api/documents/${paper.id}`))
    assert.equal(owner.username, 'quentin')
    await visits.visitAs(
      'ada',
      `/admin/users/${idOf('petra')}?tab=work`,
      async page => {
        await page.getByText('No work is open.').waitFor()
        await act(page, 'Reactivate')
        await confirm(page, 'Reactivate', 'Comes back')
        await announced(page, 'Petra Example is active again')
      },
      tablet,
    )
  })

  it('groups: many people are added at once, one is removed with a reason, and what uses the group is in sight', async () => {
    const group: Json = ok(await world.as('ada').post('/api/groups/', { name: 'Night shift' }))
    ok(await world.as('ada').post('/api/training/curricula/', { name: 'Of the night', group_ids: [group.id] }))
    await visits.visitAs('ada', '/admin/groups', async page => {
      await page.getByRole('link', { name: 'Night shift' }).click()
      await page.getByText('Of the night').waitFor()
      assert.equal(await button(page, 'Delete').getAttribute('aria-disabled'), 'true')
      await button(page, 'Add members').click()
      for (const name of ['Uma', 'Alan']) {
        await inDialog(page).getByRole('combobox', { name: 'People' }).fill(name)
        await page.getByRole('option', { name: new RegExp(name) }).click()
      }
      await confirm(page, 'Add members', 'New roster')
      await announced(page, '2 people are added')
      await button(page, 'Remove Uma Example').click()
      await confirm(page, 'Remove', 'Works by day')
      await button(page, 'Remove Uma Example').waitFor({ state: 'detached' })
      await button(page, 'Former members too').click()
      await page.getByRole('listitem').filter({ hasText: 'Uma Example' }).getByText(/Until/).waitFor()
      await examine(page, 'a group')
    })
  })

  it('a machine gets a key that is shown once and works, and it is ended', async () => {
    await visits.visitAs('ada', '/admin/service-accounts', async page => {
      await button(page, 'New service account').first().click()
      await inDialog(page).getByLabel('User name').fill('lims-3')
      await inDialog(page).getByLabel('What the machine is and does').fill('LIMS of line 3')
      await inDialog(page).getByRole('combobox', { name: 'Owner' }).fill('Quinn')
      await page.getByRole('option', { name: /Quinn/ }).click()
      await confirm(page, 'New service account')
      await page.getByRole('heading', { name: 'lims-3' }).waitFor()
      await button(page, 'New key').click()
      await inDialog(page).getByLabel('Where the key is used').fill('Server of line 3')
      await inDialog(page).getByText('Read deviations').click()
      assert.equal(await inDialog(page).getByText('Sign electronically').count(), 0, 'no machine signs')
      await inDialog(page).getByRole('button', { name: 'Issue key' }).click()
      await inDialog(page).getByText('It is shown this once').waitFor()
      await examine(page, 'the key')
      const key = (await inDialog(page).locator('code').innerText()).trim()
      const ask = () => world.server.inject({ url: '/api/deviations/', headers: { authorization: `Bearer ${key}` } })
      assert.equal((await ask()).statusCode, 200)
      await button(page, 'I have stored the key').click()
      await page.getByText('Live', { exact: true }).waitFor()
      assert.equal(await page.getByText(key).count(), 0, 'it is shown nowhere else')
      await examine(page, 'a service account')
      await button(page, 'End Server of line 3').click()
      await confirm(page, 'End key')
      await page.getByText('Ended', { exact: true }).waitFor()
      assert.equal((await ask()).statusCode, 401)
    })
  })

  it('an identity provider is read, gives a role to a group of its own, and is switched on', async () => {
    const provider = await addProvider(world, idp, { slug: 'company', is_active: false })
    await visits.visitAs('ada', `/admin/identity-providers/${provider.id}`, async page => {
      await button(page, 'Read metadata').click()
      await page.getByText('Algorithms').waitFor()
      await button(page, 'Add a group').click()
      await inDialog(page).getByLabel('Group at the provider').fill('qms-qa')
      await choose(page, 'Gives', /^Role QA$/)
      await confirm(page, 'Add')
      await page
        .getByRole('row', { name: /qms-qa/ })
        .getByText('Role QA')
        .waitFor()
      await examine(page, 'a provider')
      assert.equal(await button(page, 'Let people sign').getAttribute('aria-disabled'), 'true')
      await button(page, 'Switch on').click()
      await confirm(page, 'Switch on')
      await page.getByText('People can log in').waitFor()
    })
  })

  // proves: SSO-01, SSO-05
  it('the log-in and the signing of a provider are tested at the provider itself', async () => {
    const providers: Json[] = ok(await world.as('ada').get('/api/identity-providers/'))
    const provider = providers.find(({ slug }) => slug === 'company')
    idp.logsIn({ sub: 'subject-of-ada' })
    await visits.visitAs(
      'ada',
      `/admin/identity-providers/${provider.id}`,
      async page => {
        await button(page, 'Test log-in').click()
        await page.getByText('The provider answered. Nobody was logged in.').waitFor()
        await button(page, 'Test signing').click()
        await page.getByText('The provider tells new log-ins from old ones.').waitFor()
        await examine(page, 'a tested provider')
        assert.equal(await button(page, 'Let people sign').getAttribute('aria-disabled'), null)
        idp.nobodyLogsIn()
        await page.context().clearCookies({ domain: '127.0.0.1' })
        await button(page, 'Test log-in').click()
        await page.getByText('The test failed. The audit trail says why.').waitFor()
      },
      { ignoreHTTPSErrors: true },
    )
  })

  it('an Admin revokes the passkey of another person, which then logs in no more', async () => {
    await visits.visit('/account', async page => {
      await addAuthenticator(page)
      await logIn(page, 'petra')
      const own = page.getByRole('region', { name: 'Passkeys' })
      await own.getByRole('button', { name: 'Add a passkey' }).click()
      await inDialog(page).getByLabel('Name').fill('Laptop')
      await inDialog(page).getByRole('button', { name: 'Add a passkey' }).click()
      await own.getByText('Laptop').waitFor()
      const logOut = async () => {
        await page.getByRole('button', { name: /Account$/ }).click()
        await page.getByRole('menuitem', { name: 'Log out' }).click()
        await page.getByRole('heading', { name: 'Log in' }).waitFor()
      }
      await logOut()
      await page.goto(`${visits.origin}/admin/users/${idOf('petra')}`)
      await logIn(page, 'ada')
      await page.getByRole('tab', { name: 'Log-in' }).click()
      await button(page, 'Revoke Laptop').click()
      await inDialog(page).getByText('It logs in and signs no more.').waitFor()
      await examine(page, 'revoking a passkey')
      await inDialog(page).getByRole('button', { name: 'Revoke', exact: true }).click()
      await announced(page, 'The passkey is revoked')
      await logOut()
      await button(page, 'Log in with a passkey').click()
      await page.getByRole('alert').getByText('This passkey is not known here').waitFor()
    })
  })

  // proves: SSO-01
  it('a break-glass account is made, and alone gets in by a password once the company requires the provider', async () => {
    const { items: roles } = ok(await world.as('ada').get('/api/roles/?page_size=100'))
    const role_id = roles.find(({ name }: Json) => name === 'Admin').id
    ok(await world.as('ada').put(`/api/users/${idOf('quentin')}/role`, { role_id }))
    const own = await openBrowser(world, 'quentin')
    const { secret } = ok(await own.post('/api/auth/totp/enroll', { password }))
    ok(await own.post('/api/auth/totp/confirm', { otp: new TOTP({ secret }).generate() }))
    const providers: Json[] = ok(await world.as('ada').get('/api/identity-providers/'))
    const { id: provider_id } = providers.find(({ slug }) => slug === 'company')
    ok(await world.as('ada').post(`/api/users/${idOf('ada')}/identities`, { provider_id, subject: 'subject-of-ada' }))
    ok(await world.as('ada').put('/api/settings/', { configuration_needs_approval: false }))
    idp.logsIn({ sub: 'subject-of-ada' })
    await visits.visit(
      '/api/auth/oidc/acme/company/start',
      async page => {
        await page.getByRole('navigation', { name: 'Main' }).waitFor()
        await page.goto(`${visits.origin}/admin/users/${idOf('quentin')}`)
        await act(page, 'Make a break-glass account')
        await inDialog(page).getByText('there are three at most').waitFor()
        await examine(page, 'a break-glass account')
        await confirm(page, 'Make a break-glass account', 'If the provider fails')
        await announced(page, 'Quentin Example is a break-glass account')
        await page.goto(`${visits.origin}/admin/settings`)
        await button(page, 'Change: Log in by the provider only').click()
        await inDialog(page).getByRole('radio', { name: 'Yes' }).check({ force: true })
        await inDialog(page).getByText('break-glass accounts alone get in').waitFor()
        await inDialog(page).getByRole('button', { name: 'Save' }).click()
        await inDialog(page).waitFor({ state: 'detached' })
      },
      { ignoreHTTPSErrors: true },
    )
    try {
      await visits.visit('/sign-in', async page => {
        await logIn(page, 'anna')
        await page.getByRole('alert').waitFor()
        await page.getByLabel('User name or e-mail').fill('quentin')
        await page.getByLabel('Password').fill(password)
        await page.getByLabel('One-time code').fill(new TOTP({ secret }).generate({ timestamp: Date.now() + 30_000 }))
        await button(page, 'Log in').click()
        await page.getByRole('heading', { name: 'My work' }).waitFor()
      })
      const { items: told } = ok(await world.as('ada').get('/api/notifications/?page_size=100'))
      assert.ok(
        told.some(({ type }: Json) => /break_glass/.test(type)),
        'every Admin is told of the log-in',
      )
    } finally {
      await world.rows(
        `begin; set local session_replication_role = replica;
         update tenants set settings = settings - 'sso_required' where slug = 'acme'; commit`,
      )
    }
  })

  it('on a telephone in German, what is listed and what is said fits', async () => {
    await visits.visit(
      '/admin/users',
      async page => {
        await page.getByLabel('Benutzername oder E-Mail').fill('ada')
        await page.getByLabel('Passwort').fill(password)
        await page.getByRole('button', { name: 'Anmelden', exact: true }).click()
        await page.getByRole('heading', { name: 'Benutzer' }).waitFor()
        await examine(page, 'users, telephone')
        for (const [path, heading] of [
          [`/admin/users/${idOf('quinn')}`, 'Quinn Example'],
          ['/admin/roles', 'Rollen'],
          ['/admin/groups', 'Gruppen'],
          ['/admin/service-accounts', 'Dienstkonten'],
          ['/admin/identity-providers', 'Identitätsanbieter'],
        ] as const) {
          await page.goto(visits.origin + path)
          await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
          await page.getByRole('status', { name: 'Wird geladen' }).waitFor({ state: 'detached' })
          await fits(page, path)
        }
        await page
          .getByText('Kein Identitätsanbieter')
          .or(page.getByRole('link', { name: /company|Company/ }))
          .first()
          .waitFor()
      },
      telephone,
    )
  })
})
