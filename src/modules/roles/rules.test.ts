import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { type Permission, tenantPermissions } from '#kernel/catalogue.ts'
import { AppError } from '#kernel/errors.ts'
import {
  chainOf,
  effectivePermissions,
  grantsOfSystemRole,
  inheritanceFlaw,
  linksOf,
  originsOf,
  platformRoleName,
  platformRoles,
  type RoleLink,
  refuseUnheld,
  systemRoles,
} from './rules.ts'

const link = (role: string, granted: string[], denied: string[] = []) => ({ role, granted, denied })
const held = (...permissions: Permission[]) => new Set(permissions)

describe('what a chain of roles allows (proves: ROLE-02)', () => {
  it('is what the nearest says, a denial winning at the same distance', () => {
    const held = effectivePermissions([
      link('far', ['search.use', 'ai.use', 'audit.read']),
      link('near', ['ai.manage'], ['ai.use', 'ai.manage']),
      link('user', ['ai.use']),
    ])
    assert.deepEqual([...held].sort(), ['account.manage_own', 'ai.use', 'audit.read', 'search.use'])
  })

  it('is the care of the own account at least, which nobody can take away', () => {
    assert.deepEqual([...effectivePermissions([link('near', [], ['account.manage_own'])])], ['account.manage_own'])
    assert.deepEqual([...effectivePermissions([])], ['account.manage_own'])
  })

  it('comes from the nearest that gives it, or from the person, in the order of the names', () => {
    assert.deepEqual(
      originsOf([
        link('far', ['search.use', 'ai.use']),
        link('near', ['ai.use']),
        { role: null, granted: ['roles.read'], denied: [] },
      ]),
      [
        { permission: 'account.manage_own', role: null },
        { permission: 'ai.use', role: 'near' },
        { permission: 'roles.read', role: null },
        { permission: 'search.use', role: 'far' },
      ],
    )
  })

  const chain = (length: number, last: number | null): Map<number, RoleLink> =>
    new Map(
      Array.from({ length }, (_, index) => [
        index + 1,
        {
          id: index + 1,
          name: `R${index + 1}`,
          inherits_role_id: index + 1 < length ? index + 2 : last,
          granted: [`p${index + 1}`],
          denied: [`d${index + 1}`],
        },
      ]),
    )

  it('is read from the farthest role to the role itself', () => {
    assert.deepEqual(
      chainOf(chain(3, null), 1).map(({ name }) => name),
      ['R1', 'R2', 'R3'],
    )
    assert.deepEqual(linksOf(chain(2, null), 1), [link('R2', ['p2'], ['d2']), link('R1', ['p1'], ['d1'])])
    assert.deepEqual(chainOf(chain(2, null), 9), [], 'of a role that is not there')
  })

  it('can end: no loop, and at most ten roles', () => {
    assert.equal(inheritanceFlaw(chain(10, null)), undefined)
    assert.match(inheritanceFlaw(chain(11, null))!.text, /R1 would inherit over more than 9 steps/)
    assert.equal(inheritanceFlaw(chain(3, 2))!.code, 'role_inherits_from_itself')
    assert.equal(chainOf(chain(3, 1), 1).length, 11, 'a loop is left')
  })
})

describe('the roles of every tenant (proves: ROLE-03, ROLE-05)', () => {
  const permissionsOf = (name: string) => {
    const chain: string[] = []
    for (let each: string | null = name; each; each = systemRoles[each]!.inherits) chain.unshift(each)
    return effectivePermissions(chain.map(grantsOfSystemRole))
  }

  it('go from the user over author, QA and QA Manager to the Admin, who holds all that there is; the auditor is beside', () => {
    assert.deepEqual(
      Object.entries(systemRoles).map(([name, { inherits }]) => `${name} < ${inherits}`),
      ['User < null', 'Author < User', 'QA < Author', 'QA Manager < QA', 'Auditor < User', 'Admin < QA Manager'],
    )
    assert.deepEqual([...permissionsOf('Admin')].sort(), [...tenantPermissions].sort())
  })

  it('let an auditor read everything, and change nothing but what is their own', () => {
    assert.deepEqual([...permissionsOf('Auditor')].sort(), [
      'account.manage_own',
      'audit.export',
      'audit.read',
      'capa.read',
      'configuration_changes.read',
      'dashboard.read',
      'dashboard.stats',
      'deputies.read',
      'deviations.read',
      'document_types.read',
      'documents.download',
      'documents.read',
      'documents.read_drafts',
      'documents.read_obsolete',
      'files.read_removals',
      'groups.read',
      'jobs.read',
      'migration.read',
      'notifications.manage',
      'notifications.read',
      'retention.read',
      'roles.read',
      'search.use',
      'settings.read',
      'signatures.read',
      'templates.read',
      'training.read_all',
      'training.read_own',
      'users.read',
      'users.read_logins',
      'workflow_templates.read',
    ])
  })

  it('keep from authors what the quality unit decides, and from it what its manager sets up', () => {
    const chain = ['User', 'Author', 'QA', 'QA Manager', 'Admin']
    const firstWith = (permission: Permission) => chain.find(name => permissionsOf(name).has(permission))
    assert.deepEqual(
      (
        [
          'deviations.create',
          'documents.create',
          'documents.approve',
          'workflow_templates.manage',
          'users.manage',
        ] as const
      ).map(firstWith),
      chain,
    )
  })

  it('say in words what they are for', () => {
    for (const [name, { description }] of Object.entries({ ...systemRoles, ...platformRoles }))
      assert.ok(name !== '' && description.length > 30, name)
  })

  it('let those who operate the platform see no record of any tenant', () => {
    assert.deepEqual([...effectivePermissions([grantsOfSystemRole(platformRoleName)])].sort(), [
      'account.manage_own',
      'platform.manage_tenants',
      'platform.read_status',
    ])
  })

  it('have nothing to say of a role that a tenant made', () => {
    assert.deepEqual(grantsOfSystemRole('Sampler'), { granted: [], denied: [] })
  })
})

describe('who gives permissions (proves: ROLE-04)', () => {
  const actor = { permissions: held('users.read', 'roles.read') }

  it('gives what they hold, and may leave what was there', () => {
    refuseUnheld(actor, held(), held('users.read', 'roles.read'))
    refuseUnheld(actor, held('audit.export'), held('audit.export', 'users.read'))
    refuseUnheld(actor, held('audit.export'), held())
  })

  it('is refused for what they do not hold, by names in their order', () => {
    assert.throws(
      () => refuseUnheld(actor, held('ai.use'), held('ai.use', 'search.use', 'users.read', 'audit.read')),
      (error: unknown) => {
        assert.ok(error instanceof AppError)
        assert.equal(error.status, 403)
        assert.equal(error.detail, 'You cannot give permissions that you do not hold: audit.read, search.use.')
        return true
      },
    )
  })
})
