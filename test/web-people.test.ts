// The pure functions of the pages of people and access.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { groupsSearch } from '../web/src/features/people/groups/search.ts'
import { providerSearch } from '../web/src/features/people/identity-providers/search.ts'
import { chainOf, markOf } from '../web/src/features/people/roles/marks.ts'
import { newRoleSearch } from '../web/src/features/people/roles/search.ts'
import { accountsSearch } from '../web/src/features/people/service-accounts/search.ts'
import { whyInWords } from '../web/src/features/people/users/explain.ts'
import { faultsOf, linesOf } from '../web/src/features/people/users/lines.ts'
import { searchOfView, userSearch, usersSearch, viewOf } from '../web/src/features/people/users/search.ts'
import { en } from '../web/src/features/people/words.en.ts'

type Role = Parameters<typeof chainOf>[0]

describe('people and access, in the pages', () => {
  // proves: ROLE-02
  it('a role is marked with what it gives, inherits and denies: the nearest that says something decides', () => {
    const role = (id: number, name: string, inherits: Role['inherits'], granted: string[], denied: string[] = []) =>
      ({ id, name, inherits, granted, denied }) as Role
    const user = role(1, 'User', null, ['documents.read', 'documents.comment'])
    const auditor = role(2, 'Auditor', { id: 1, name: 'User' }, ['audit.read'], ['documents.comment'])
    const chief = role(3, 'Chief auditor', { id: 2, name: 'Auditor' }, ['audit.export'])
    const chain = chainOf(chief, [user, auditor, chief])
    assert.deepEqual(
      chain.map(({ name }) => name),
      ['Chief auditor', 'Auditor', 'User'],
    )
    assert.deepEqual(
      ['audit.export', 'audit.read', 'documents.read', 'documents.comment', 'capa.read'].map(each =>
        markOf(each, chain),
      ),
      [
        { mark: 'own' },
        { mark: 'inherited', from: 'Auditor' },
        { mark: 'inherited', from: 'User' },
        { mark: 'none' },
        { mark: 'none' },
      ],
    )
    assert.deepEqual(markOf('documents.comment', chainOf(auditor, [user, auditor])), { mark: 'denied' })
  })

  // proves: ROLE-03
  it('why somebody has a permission, or not, is a sentence', () => {
    const roles = ['QA Manager', 'QA', 'Author', 'User']
    const why = (is_held: boolean, ...steps: [string | null, 'granted' | 'denied'][]) =>
      whyInWords(
        {
          ...{ permission: 'capa.read', is_held, restricted_by: null },
          steps: steps.map(([role, effect]) => ({ role, effect })),
        },
        roles,
        en.explain,
      )
    assert.equal(why(true, ['QA Manager', 'granted']), 'From the role QA Manager')
    assert.equal(why(true, ['Author', 'granted']), 'From the role Author, inherited by QA, then QA Manager')
    assert.equal(why(true, ['Author', 'granted'], [null, 'granted']), 'Granted to this person')
    assert.equal(why(false, ['QA', 'granted'], [null, 'denied']), 'Denied to this person; the role QA would give it')
    assert.equal(why(false, ['User', 'granted'], ['QA', 'denied']), 'Denied by the role QA; User would give it')
    assert.equal(why(false), 'No role of this person gives it')
    assert.equal(why(true), 'Everybody has it')
  })

  it('a pasted list is shown by its lines, whatever stands between its cells', () => {
    const csv = linesOf(
      'username;email;full_name\n\nada;a@x.example;"Lovelace; Ada ""the first"""\r\nbo;b@x.example;Bo\n',
    )
    assert.deepEqual(csv.header, ['username', 'email', 'full_name'])
    assert.deepEqual(csv.people, [
      { line: 3, cells: ['ada', 'a@x.example', 'Lovelace; Ada "the first"'] },
      { line: 4, cells: ['bo', 'b@x.example', 'Bo'] },
    ])
    assert.deepEqual(linesOf('\uFEFFa\tb\nc\td').people, [{ line: 2, cells: ['c', 'd'] }])
    assert.deepEqual(linesOf('  \n'), { header: [], people: [] })
    const faults = faultsOf([
      { loc: ['body', 'csv', 3, 'email'], msg: 'Enter an address.' },
      { loc: ['body', 'csv', 3, 'role'], msg: 'There is no such role.' },
      { loc: ['body', 'csv'], msg: 'The column email is missing.' },
    ])
    assert.deepEqual(faults.get(3), ['Enter an address.', 'There is no such role.'])
    assert.deepEqual(faults.get(0), ['The column email is missing.'])
  })

  it('an address says what is listed, and what makes no sense in it is left out', () => {
    const given = {
      ...{ q: 'lind', role: 'QA,Author', active: 'true', invitation: 'sent,lost', locked: 'true', source: 'magic' },
      ...{ sort: 'password:asc', page: '2' },
    }
    const read = { q: 'lind', role: ['QA', 'Author'], active: true, invitation: ['sent'], locked: true, page: 2 }
    assert.deepEqual(usersSearch(given), read)
    const { page: _page, ...view } = read
    assert.deepEqual(searchOfView(viewOf(usersSearch(given))), view, 'a view keeps no page')
    assert.deepEqual(usersSearch({ active: 'maybe', page: '0', sort: 'full_name:asc' }), {})
    assert.deepEqual([userSearch({ tab: 'login' }), userSearch({ tab: 'secrets' })], [{ tab: 'login' }, {}])
    assert.deepEqual(groupsSearch({ type: 'site,planet', sort: 'name:desc' }), { type: ['site'], sort: 'name:desc' })
    assert.deepEqual(accountsSearch({ active: 'false', page: 'x' }), { active: false })
    assert.deepEqual([newRoleSearch({ inherits: '3' }), newRoleSearch({ inherits: 'QA' })], [{ inherits: 3 }, {}])
    assert.deepEqual(providerSearch({ single_sign_on: 'tested' }), { single_sign_on: 'tested' })
    assert.deepEqual(providerSearch({ single_sign_on: '<b>' }), {})
  })
})
