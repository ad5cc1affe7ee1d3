// Who sees which page, and what the session keeps from others at the same machine.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type { Page } from 'playwright-core'
import { tryDialog, walk } from '#test/browser/keyboard.ts'
import { examine, logIn, openVisits } from '#test/browser/visits.ts'
import { capas } from '#test/builders/capas.ts'
import { deviations } from '#test/builders/deviations.ts'
import { papers } from '#test/builders/documents.ts'
import { migrationsOf } from '#test/builders/migrations.ts'
import { trainings } from '#test/builders/training.ts'
import { openWorld, type World } from '#test/world/world.ts'
import { buildWeb } from '../tools/build-web.ts'
import { adminPartsOf } from '../web/src/app/admin-parts.ts'

describe('pages and who may read them', () => {
  let world: World
  let visits: Awaited<ReturnType<typeof openVisits>>
  let effective: { id: number; title: string }
  let draft: { id: number; title: string }
  let deviation: { id: number }
  let capa: { id: number }
  let program: number
  let assignment: number
  let role: number
  let group: number
  let batch: number
  before(async () => {
    await buildWeb()
    world = await openWorld()
    visits = await openVisits(world)
    effective = await papers(world).effective({ title: 'Gowning' })
    draft = await papers(world).upload({ title: 'Draft of a plan' })
    deviation = await deviations(world).report()
    capa = await capas(world).draft()
    const { id } = await trainings(world).create({ title: 'Fire drill' })
    program = id
    assignment = await trainings(world).assign(id, ['quentin'])
    const { items } = (await world.as('ada').get('/api/roles/?page_size=100')).json()
    role = items.find((each: { name: string }) => each.name === 'QA').id
    group = (await world.as('ada').post('/api/groups/', { name: 'Night shift' })).json().id
    batch = await migrationsOf(world).begin()
  })
  after(async () => {
    await visits?.close()
    await world.close()
  })

  /** Whose pages are gone through by keyboard too: an Admin has the most of them. */
  const walker = 'ada'

  /** Each page, and whether somebody with these permissions may read it. */
  async function pagesOf(name: string) {
    const { permissions } = (await world.as(name).get('/api/auth/me')).json()
    const mayRead = async (id: number) => (await world.as(name).get(`/api/documents/${id}`)).statusCode === 200
    const may = (...any: string[]) => any.some(each => permissions.includes(each))
    const pages = [
      // The log-in ends at `/`.
      { path: '/notifications', heading: 'Notifications', isOpen: permissions.includes('notifications.read') },
      { path: '/', heading: 'My work', isOpen: permissions.includes('dashboard.read') },
      { path: '/account', heading: 'Account', isOpen: true },
      { path: '/documents', heading: 'Documents', isOpen: permissions.includes('documents.read') },
      { path: '/approvals', heading: 'Your decisions', isOpen: true },
      { path: '/search', heading: 'Search', isOpen: true },
      { path: `/documents/${effective.id}`, heading: /Gowning/, isOpen: await mayRead(effective.id) },
      { path: `/documents/${effective.id}/compare`, heading: /Gowning/, isOpen: await mayRead(effective.id) },
      { path: `/documents/${draft.id}`, heading: /Draft of a plan/, isOpen: await mayRead(draft.id) },
      { path: '/deviations', heading: 'Deviations', isOpen: permissions.includes('deviations.read') },
      { path: '/deviations/new', heading: 'Report a deviation', isOpen: permissions.includes('deviations.create') },
      { path: `/deviations/${deviation.id}`, heading: /Valve V-12/, isOpen: permissions.includes('deviations.read') },
      { path: '/capa', heading: 'CAPA', isOpen: permissions.includes('capa.read') },
      { path: '/capa/new', heading: 'Write a CAPA', isOpen: permissions.includes('capa.create') },
      { path: `/capa/${capa.id}`, heading: /Cleaning agent/, isOpen: permissions.includes('capa.read') },
      { path: '/documents/new', heading: 'Upload a document', isOpen: permissions.includes('documents.create') },
      {
        path: `/documents/${effective.id}/new-version`,
        heading: /^New version of SOP-/,
        isOpen: permissions.includes('documents.create') && (await mayRead(effective.id)),
      },
      { path: '/admin/set-up', heading: 'Set up', isOpen: permissions.includes('settings.read') },
      { path: '/metrics', heading: 'Metrics', isOpen: permissions.includes('dashboard.stats') },
      { path: '/signatures', heading: 'Signatures', isOpen: permissions.includes('signatures.read') },
      { path: '/audit', heading: 'Audit trail', isOpen: permissions.includes('audit.read') },
      {
        path: '/audit/reviews/new',
        heading: 'Review the audit trail',
        isOpen: permissions.includes('audit.review'),
      },
      ...(['Settings', 'AI', 'Jobs', 'Messages'] as const).map(heading => ({
        path: `/admin/${heading.toLowerCase()}`,
        heading,
        isOpen: heading === 'Jobs' ? permissions.includes('jobs.read') : permissions.includes('settings.read'),
      })),
      { path: '/admin/exports', heading: 'Export of all data', isOpen: may('tenant.export') },
      { path: '/access-review', heading: 'Access reviews', isOpen: permissions.includes('users.read_logins') },
      {
        path: '/access-review/new',
        heading: 'Begin a review',
        isOpen: permissions.includes('users.review_access'),
      },
      { path: '/training', heading: 'My training', isOpen: may('training.read_own') },
      { path: `/training/${program}`, heading: /Fire drill/, isOpen: may('training.read_all', 'training.assign') },
      { path: '/training/assignments', heading: 'Training assignments', isOpen: may('training.read_all') },
      { path: `/training/assignments/${assignment}`, heading: /Fire drill/, isOpen: may('training.read_all') },
      { path: '/training/matrix', heading: 'Training matrix', isOpen: may('training.read_all') },
      { path: '/training/programs', heading: 'Training programs', isOpen: may('training.read_own') },
      { path: '/training/programs/new', heading: 'New program', isOpen: may('training.manage') },
      { path: `/training/programs/${program}`, heading: /Fire drill/, isOpen: may('training.manage') },
      { path: '/training/curricula', heading: 'Curricula', isOpen: may('training.read_own') },
      { path: '/training/curricula/new', heading: 'New curriculum', isOpen: may('training.manage') },
      {
        path: `/training/records/${world.people.quentin!.id}`,
        heading: /Training record Quentin Example/,
        isOpen: may('training.read_all'),
      },
      { path: '/admin/document-types', heading: 'Document types', isOpen: may('document_types.read') },
      { path: '/admin/document-types/new', heading: 'New type', isOpen: may('document_types.manage') },
      { path: '/admin/forms/new', heading: 'New form', isOpen: may('deviations.manage_forms') },
      { path: '/admin/forms/1', heading: 'Deviation report', isOpen: may('deviations.read') },
      { path: '/admin/templates', heading: 'Content templates', isOpen: may('templates.read') },
      { path: '/admin/templates/new', heading: 'New template', isOpen: may('templates.manage') },
      { path: '/admin', heading: 'Administration', isOpen: adminPartsOf(permissions).length > 0 },
      { path: '/admin/users', heading: 'Users', isOpen: may('users.read') },
      { path: '/admin/users/new', heading: 'New user', isOpen: may('users.manage') },
      { path: `/admin/users/${world.people.quentin!.id}`, heading: 'Quentin Example', isOpen: may('users.read') },
      { path: '/admin/roles', heading: 'Roles', isOpen: may('roles.read') },
      { path: '/admin/roles/new', heading: 'New role', isOpen: may('roles.manage') },
      { path: `/admin/roles/${role}`, heading: 'QA', isOpen: may('roles.read') },
      { path: '/admin/groups', heading: 'Groups', isOpen: may('groups.read') },
      { path: `/admin/groups/${group}`, heading: 'Night shift', isOpen: may('training.read_all', 'groups.manage') },
      { path: '/admin/service-accounts', heading: 'Service accounts', isOpen: may('service_accounts.manage') },
      { path: '/admin/identity-providers', heading: 'Identity providers', isOpen: may('sso.manage') },
      { path: '/admin/identity-providers/new', heading: 'New provider', isOpen: may('sso.manage') },
    ]
    pages.push(
      { path: '/admin/workflows', heading: 'Workflows', isOpen: may('workflow_templates.read') },
      { path: '/admin/workflows/new', heading: 'New workflow', isOpen: may('workflow_templates.manage') },
      { path: '/admin/workflows/2', heading: 'GMP two-step approval', isOpen: may('workflow_templates.read') },
      { path: '/admin/retention', heading: 'Retention and disposal', isOpen: may('retention.read') },
      { path: '/admin/disposals', heading: 'Retention and disposal', isOpen: may('retention.read') },
      { path: '/admin/legal-holds', heading: 'Legal holds', isOpen: may('retention.read') },
      { path: '/admin/changes', heading: 'Changes to approve', isOpen: may('configuration_changes.read') },
      { path: '/admin/imports', heading: 'Imports', isOpen: may('migration.read') },
      { path: `/admin/imports/${batch}`, heading: /Documents of the file share/, isOpen: may('migration.read') },
    )
    return { pages, permissions: permissions as string[] }
  }
  /** As a link does it, without loading the program anew. What the page before says is marked, so that it proves nothing here. */
  const following = `path => {
    for (const each of document.querySelectorAll('main h1, main [role=alert]')) each.setAttribute('data-before', '')
    history.pushState(null, '', path)
  }`
  const follow = (page: Page, path: string) => page.evaluate(`(${following})(${JSON.stringify(path)})`)
  const isHere = (page: Page) => page.locator(':not([data-before])')

  /**
   * Goes through pages within the browser, and says what each that is not as it should be shows instead. Asked from outside for each
   * page, the browser would search it by role again and again until it is there, which costs more than the page itself.
   */
  const lookAt = (page: Page, pages: { path: string; heading: string | RegExp; isOpen: boolean }[]) => {
    const expected = pages.map(({ path, heading, isOpen }) =>
      isOpen
        ? { path, title: typeof heading === 'string' ? { text: heading } : { pattern: heading.source } }
        : { path, title: null },
    )
    return page.evaluate<string[]>(`(async pages => {
      const follow = ${following}
      const said = element => element.textContent.replaceAll(/\\s+/g, ' ').trim()
      const isSeen = element => element.checkVisibility({ visibilityProperty: true }) && !element.closest('[aria-hidden=true], [inert]')
      const find = selector => [...document.querySelectorAll(selector)].filter(isSeen)
      const isTitle = ({ text, pattern }) => element => pattern === undefined ? said(element).includes(text) : new RegExp(pattern).test(said(element))
      const refused = /^(You may not read this|There is no such page or record)$/
      const isThere = title => title
        ? find('main h1:not([data-before])').some(isTitle(title))
        : find('main [role=alert]:not([data-before])').some(alert => [alert, ...alert.querySelectorAll('*')].some(each => refused.test(said(each)) && isSeen(each)))
      const until = condition => new Promise(resolve => {
        const end = found => {
          observer.disconnect()
          resolve(found)
        }
        const observer = new MutationObserver(() => condition() && end(true))
        observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true })
        AbortSignal.timeout(30_000).addEventListener('abort', () => end(false))
        if (condition()) end(true)
      })
      const faults = []
      for (const { path, title } of pages) {
        follow(path)
        const main = () => said(document.querySelector('main'))
        if (!(await until(() => isThere(title)))) faults.push(path + ' says: ' + main())
        else if (!title && /Draft of a plan|Fire drill|Quentin/.test(main())) faults.push(path + ' gives away: ' + main())
      }
      return faults
    })(${JSON.stringify(expected)})`)
  }

  // proves: AUTH-05
  for (const name of ['ada', 'quinn', 'petra', 'alan', 'uma', 'otto'])
    it(`every page as ${name}: the page, or that it may not be read${name === walker ? '; each by keyboard alone' : ''}`, async () => {
      const { pages, permissions } = await pagesOf(name)
      await visits.visit('/sign-in', async page => {
        await logIn(page, name)
        await page.getByRole('navigation', { name: 'Main' }).waitFor()
        // Those that the walker goes through by keyboard are looked at there.
        const isWalked = ({ isOpen }: { isOpen: boolean }) => isOpen && name === walker
        assert.deepEqual(
          await lookAt(
            page,
            pages.filter(each => !isWalked(each)),
          ),
          [],
        )
        const faults: string[] = []
        for (const { path, heading } of pages.filter(isWalked)) {
          await follow(page, path)
          await page.getByRole('main').getByRole('heading', { name: heading, level: 1 }).and(isHere(page)).waitFor()
          faults.push(...(await walk(page)).map(fault => `${path}: ${fault}`))
        }
        assert.deepEqual(faults, [], 'by keyboard')
        const links = await page.getByRole('navigation', { name: 'Main' }).getByRole('link').count()
        const areas = [
          ...['dashboard.read', 'notifications.read', 'documents.read', 'deviations.read', 'capa.read'],
          ...['training.read_own', 'search.use', 'ai.use'],
          ...['dashboard.stats', 'signatures.read', 'audit.read', 'users.read_logins'],
        ].filter(each => permissions.includes(each))
        const isAdministrator = adminPartsOf(permissions).length > 0
        assert.equal(links, areas.length + Number(isAdministrator), 'an area is shown to who may read it')
      })
    })

  it('a dialog opened by keys holds the focus, is closed by Escape, and gives the focus back', async () => {
    const dialogs: [path: string, name: string | RegExp][] = [
      [`/admin/users/${world.people.quentin!.id}`, /^(Take away|Grant): Read effective documents/],
      ['/admin/groups', 'New group'],
      [`/admin/groups/${group}`, 'Add members'],
      ['/admin/service-accounts', 'New service account'],
      ['/admin/identity-providers', 'Add a domain'],
      ['/admin/document-types/1', 'Take out of use'],
      ['/admin/forms/1', 'Stop offering it'],
      ['/admin/settings', 'Change: Second factor for every signature'],
      ['/admin/ai', 'Change the settings'],
      ['/admin/legal-holds', 'Place a hold'],
      ['/admin/imports', 'New import'],
      ['/admin/exports', 'Request an export'],
      ['/training/assignments', 'Assign training'],
      [`/deviations/${deviation.id}`, 'Link'],
      [`/capa/${capa.id}`, 'Add an action'],
    ]
    await visits.visit('/sign-in', async page => {
      await logIn(page, walker)
      await page.getByRole('navigation', { name: 'Main' }).waitFor()
      const faults: string[] = []
      for (const [path, name] of dialogs) {
        await follow(page, path)
        await page.getByRole('main').getByRole('heading', { level: 1 }).and(isHere(page)).waitFor()
        faults.push(...(await tryDialog(page, name)).map(fault => `${path}: ${fault}`))
      }
      assert.deepEqual(faults, [])
    })
  })

  it('a platform user is let in, and shown no record', async () => {
    await visits.visitAs('pat', '/documents', async page => {
      await page.getByRole('alert').getByText('You may not read this').waitFor()
      assert.equal(await page.getByRole('navigation', { name: 'Main' }).getByRole('link').count(), 0)
    })
  })

  it('a log-out ends the session at the service, and leaves nothing for the next person', async () => {
    await visits.visitAs('petra', `/documents/${effective.id}?tab=comments`, async page => {
      await page.getByRole('textbox', { name: 'Comment' }).fill('Mine alone')
      const cookies = await page.context().cookies()
      const cookie = cookies.find(({ name }) => name === '__Host-attest')!
      assert.ok(cookie.httpOnly && cookie.secure && cookie.sameSite === 'Strict')
      assert.deepEqual(await page.evaluate('[document.cookie, localStorage.length]'), ['', 0])

      await page.getByRole('button', { name: 'Petra Example QA Account' }).click()
      await page.getByRole('menuitem', { name: 'Log out' }).click()
      await page.getByRole('heading', { name: 'Log in' }).waitFor()
      assert.equal(await page.evaluate('JSON.stringify(sessionStorage).includes("Mine")'), false)
      assert.equal((await page.context().cookies()).length, 0)
      const headers = { cookie: `__Host-attest=${cookie.value}` }
      assert.equal((await world.server.inject({ url: '/api/auth/me', headers })).statusCode, 401)
    })
  })

  it('a visit finds nothing that the one before it left in the same browser', async () => {
    const kept = `(async () => [
      document.cookie, localStorage.length, sessionStorage.length,
      (await indexedDB.databases()).map(({ name }) => name).filter(name => name === 'left'), (await caches.keys()).length,
    ])()`
    const isLoggedOut = async (page: Page) => page.getByRole('heading', { name: 'Log in' }).waitFor()
    await visits.visitAs('petra', '/documents', async page => {
      await page.getByRole('heading', { name: 'Documents', level: 1 }).waitFor()
      await page.evaluate(`(async () => {
        document.cookie = 'left=1'
        localStorage.setItem('left', '1')
        sessionStorage.setItem('left', '1')
        await caches.open('left')
        await new Promise(done => { indexedDB.open('left').onsuccess = done })
      })()`)
      assert.deepEqual(((await page.evaluate(kept)) as unknown[]).slice(0, 2), ['left=1', 1])
      assert.deepEqual(((await page.evaluate(kept)) as unknown[]).slice(3), [['left'], 1])
    })
    await visits.visit('/sign-in', async page => {
      await isLoggedOut(page)
      const [cookie, local, , databases, caches] = (await page.evaluate(kept)) as unknown[]
      assert.deepEqual([cookie, local, databases, caches], ['', 0, [], 0])
      assert.equal(await page.evaluate(`sessionStorage.getItem('left')`), null)
      await page.goto(`${visits.origin}/documents`)
      await isLoggedOut(page)
    })
  })

  it('warns before a session ends, and lets it go on', async () => {
    const set = async (session_idle_minutes: number) => {
      const { revision } = (await world.as('ada').get('/api/settings/')).json()
      const reply = await world.as('ada').put('/api/settings/', { session_idle_minutes, revision })
      assert.equal(reply.statusCode, 200, reply.body)
    }
    await set(5)
    try {
      await visits.visitAs('petra', '/documents', async page => {
        const warning = page.getByRole('status').filter({ hasText: /^Your session ends in (4|5) minutes\./ })
        await warning.waitFor()
        await examine(page, 'warning')
        const [extended] = await Promise.all([
          page.waitForResponse(response => response.url().endsWith('/api/auth/session/extend')),
          warning.getByRole('button', { name: 'Stay logged in' }).click(),
        ])
        assert.equal(extended.status(), 200)
      })
    } finally {
      await set(30)
    }
  })

  it('shows the pages before the log-in to everybody', async () => {
    for (const { path, heading } of [
      { path: '/forgot-password', heading: 'Forgotten password' },
      { path: '/reset-password', heading: 'Choose a password' },
      { path: '/first-start', heading: 'Set up Attest' },
    ])
      await visits.visit(path, async page => {
        await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
        await examine(page, path)
      })
    await visits.visitAs('petra', '/welcome?to=%2Fdocuments', async page => {
      // Nothing is left to do first.
      await page.getByRole('heading', { name: 'Documents', level: 1 }).waitFor()
    })
  })

  it('leads nowhere but to pages of its own after the log-in', async () => {
    for (const to of ['//elsewhere.example/', 'https://elsewhere.example/', '/\\elsewhere.example'])
      await visits.visit(`/sign-in?to=${encodeURIComponent(to)}`, async page => {
        await logIn(page, 'petra')
        await page.getByRole('heading', { name: 'My work' }).waitFor()
      })
  })

  it('says why a log-in at a provider let nobody in', async () => {
    await visits.visit('/sign-in?error=not_linked&reference=4b1d0c6e2f', async page => {
      await page.getByRole('alert').getByText('Your company account is not linked').waitFor()
      await page.getByRole('alert').getByText('Reference for support: 4b1d0c6e2f').waitFor()
      await examine(page, 'refused log-in')
    })
  })
})
