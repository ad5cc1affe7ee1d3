import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  appliedMappings,
  emailFrom,
  freshnessFault,
  groupsFrom,
  methodsFrom,
  namesSecondFactor,
  pathOfOurs,
  textOf,
  usernameFrom,
} from './rules.ts'

// proves: SSO-01
describe('what a provider says of a person', () => {
  it('becomes a user name of ours, or none', () => {
    for (const [claim, expected] of [
      ['ada.lovelace@example.com', 'ada.lovelace'],
      ['Ada Lovelace', 'Ada.Lovelace'],
      ['ärzte-büro', 'arzte-buro'],
      ['..x__', undefined],
      ['_ab', 'ab'],
      ['a', undefined],
      ['名前', undefined],
      ['CORP\\jane', 'CORP.jane'],
      ["robert'); drop table users;--", 'robert.drop.table.users'],
      ['a\u0000b', 'a.b'],
      ['x'.repeat(200), 'x'.repeat(60)],
      [42, undefined],
      [undefined, undefined],
    ] as const)
      assert.equal(usernameFrom(claim), expected, String(claim))
  })

  it('is text that the database stores, or nothing', () => {
    assert.equal(textOf('  Ada \u0000\u202e Lovelace\n', 200), 'Ada Lovelace')
    assert.equal(textOf('\ud800x', 200), '\ufffdx')
    assert.equal(textOf(' \u200b ', 200), undefined)
    assert.equal(textOf(['Ada'], 200), undefined)
    assert.equal(textOf('abc', 2), 'ab')
  })

  it('has an address only where it is one', () => {
    assert.equal(emailFrom('ada@example.com'), 'ada@example.com')
    for (const claim of [
      'ada',
      'ada@localhost',
      'a b@example.com',
      'a@b@example.com',
      `${'x'.repeat(250)}@example.com`,
      7,
    ])
      assert.equal(emailFrom(claim), undefined, String(claim))
  })

  it('has groups, none, or is silent about them where there are too many', () => {
    assert.deepEqual(groupsFrom({ groups: ['a', 7, 'b'] }, 'groups'), ['a', 'b'])
    assert.deepEqual(groupsFrom({ roles: 'a' }, 'roles'), ['a'])
    assert.deepEqual(groupsFrom({}, 'groups'), [])
    assert.equal(groupsFrom({ _claim_names: { groups: 'src1' } }, 'groups'), undefined)
    assert.equal(groupsFrom({ hasgroups: true }, 'groups'), undefined)
    assert.deepEqual(groupsFrom({ _claim_names: { roles: 'src1' }, groups: ['a'] }, 'groups'), ['a'])
  })

  it('says by which methods the person proved who they are, as far as it is readable', () => {
    assert.deepEqual(methodsFrom(['pwd', 'mfa', 3]), ['pwd', 'mfa'])
    assert.deepEqual(methodsFrom('pwd'), [])
  })
})

// proves: SSO-02
describe('mappings', () => {
  const of = (claim_value: string, gives: { role_id?: number; group_id?: number }, priority = 0) => ({
    ...{ claim_value, role_id: null, group_id: null, priority },
    ...gives,
  })
  const mappings = [
    of('qa', { role_id: 3 }, 10),
    of('authors', { role_id: 2 }, 5),
    of('labs', { role_id: 4 }, 10),
    of('site-a', { group_id: 7 }),
    of('qa', { group_id: 8 }),
  ]

  it('give the role with the highest priority, and of two with the same always the same', () => {
    assert.equal(appliedMappings(mappings, ['authors', 'qa']).role?.role_id, 3)
    assert.equal(appliedMappings(mappings, ['qa', 'labs']).role?.role_id, 4)
    assert.equal(appliedMappings(mappings.toReversed(), ['labs', 'qa']).role?.role_id, 4)
    assert.equal(appliedMappings(mappings, ['nobody']).role, undefined)
  })

  it('decide about the groups that they name, and no others', () => {
    const { joined, mapped } = appliedMappings(mappings, ['qa'])
    assert.deepEqual([joined, mapped], [[8], [7, 8]])
  })
})

// proves: SSO-01
describe('the page to return to', () => {
  it('is a path of our own, or the first page', () => {
    for (const path of ['/', '/documents/7', '/capa/1?tab=actions#top', '/a%2fb']) assert.equal(pathOfOurs(path), path)
    for (const path of [
      undefined,
      '',
      'documents',
      'https://evil.example/',
      '//evil.example',
      '/\\evil.example',
      '\\\\evil.example',
      '/\t/evil.example',
      '/ /evil.example',
      '/..//evil.example',
      'javascript:alert(1)',
      '/api/auth/logout',
      '/API/x',
      '/\u0000',
      '/ä',
      '/x\r\nset-cookie: a=b',
    ])
      assert.equal(pathOfOurs(path), '/', String(path))
  })
})

// proves: SSO-05
describe('a log-in for a signature', () => {
  const second = 1000
  const begun_ms = 1_700_000_000_500
  /** By a clock that is an hour ahead of ours. */
  const there = 1_700_003_600
  const honest = {
    ...{ auth_time: there + 8, iat: there + 10, answered_at: there + 10 },
    ...{ begun_ms, received_ms: begun_ms + 9.5 * second, last_auth_time: null },
  }

  it('is newer than the request by durations, whatever the clocks say', () => {
    assert.equal(freshnessFault(honest), undefined)
    assert.equal(freshnessFault({ ...honest, iat: there - 290 }), undefined, 'iat set back')
    assert.equal(freshnessFault({ ...honest, auth_time: there - 1 }), undefined, 'within the rounding of seconds')
  })

  it('is not one from before', () => {
    assert.equal(freshnessFault({ ...honest, auth_time: there - 2 }), 'log_in_old')
    assert.equal(freshnessFault({ ...honest, auth_time: there - 2, iat: there - 290 }), 'log_in_old')
    assert.equal(freshnessFault({ ...honest, auth_time: there - 2, answered_at: there - 290 }), 'log_in_old')
  })

  it('is not one that was known before', () => {
    assert.equal(freshnessFault({ ...honest, last_auth_time: there + 8 }), 'log_in_used')
    assert.equal(freshnessFault({ ...honest, last_auth_time: there + 7 }), undefined)
  })

  it('is none without its moment, or that of the answer', () => {
    for (const auth_time of [undefined, null, String(there), there + 0.5, Number.NaN])
      assert.equal(freshnessFault({ ...honest, auth_time }), 'log_in_unknown')
    for (const answered_at of [undefined, Number.NaN])
      assert.equal(freshnessFault({ ...honest, answered_at }), 'moment_unknown')
    assert.equal(freshnessFault({ ...honest, iat: undefined }), 'moment_unknown')
  })

  it('has a second factor where the provider names it as the company entered it', () => {
    assert.equal(namesSecondFactor(['mfa', 'otp'], { amr: ['pwd', 'otp'] }), true)
    assert.equal(namesSecondFactor(['gold'], { amr: ['pwd'], acr: 'gold' }), true)
    for (const sent of [{}, { amr: ['pwd'] }, { amr: 'mfa2' }, { acr: 'silver' }, { amr: [['mfa']] }, { acr: 5 }])
      assert.equal(namesSecondFactor(['mfa'], sent), false, JSON.stringify(sent))
    assert.equal(namesSecondFactor([], { amr: ['mfa'] }), false)
  })
})
