// The pure functions of the pages.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Problem } from '../web/src/api/problem.ts'
import { pageOf, readSearch, strictly, writeSearch } from '../web/src/app/addresses.ts'
import { programOf } from '../web/src/features/account/programs.ts'
import { documentSearch } from '../web/src/features/documents/document-search.ts'
import { documentsSearch, filtersOf, isNarrowed, queryOf } from '../web/src/features/documents/search.ts'
import { byDay } from '../web/src/features/notifications/days.ts'
import { notificationsSearch } from '../web/src/features/notifications/search.ts'
import { base64url, bytesFrom } from '../web/src/features/session/base64url.ts'
import { timeLeft } from '../web/src/features/session/ends.ts'
import { isAddress, signInSearch, signingSearch } from '../web/src/features/session/search.ts'
import { de } from '../web/src/words/de.ts'
import { en } from '../web/src/words/en.ts'

describe('the address of the list of documents', () => {
  it('holds what the list shows, and is the same when it is read again', () => {
    const search = {
      q: 'a & b',
      status: ['draft', 'effective'],
      type: [3, 7],
      mine: true as const,
      sort: 'number:asc',
      page: 2,
    }
    const text = writeSearch(search)
    assert.equal(text, '?q=a+%26+b&status=draft,effective&type=3,7&mine=true&sort=number:asc&page=2')
    assert.deepEqual(documentsSearch(readSearch(text)), search)
  })

  it('leaves out what makes no sense, and never fails', () => {
    const given = {
      status: 'draft,<b>,,draft',
      type: '3,-1,x,1e400',
      mine: 'yes',
      overdue: 'true',
      sort: 'password:asc',
      page: '-3',
      q: 'x'.repeat(500),
      other: '1',
    }
    const { q, ...rest } = documentsSearch(given)
    assert.equal(q!.length, 200)
    assert.deepEqual(rest, { status: ['draft'], type: [3], overdue: true })
    assert.deepEqual(documentsSearch({ page: 1, sort: 'updated_at:desc', status: [] }), {}, 'what is so anyway')
  })

  it('becomes what the service is asked for', () => {
    const search = documentsSearch({ mine: 'true', status: 'draft', page: '3' })
    assert.deepEqual(
      Object.entries(queryOf(search, 17)).filter(([, value]) => value !== undefined),
      Object.entries({ status: ['draft'], owner_id: [17], sort: 'updated_at:desc', page: 3, page_size: 25 }),
    )
    assert.equal('page' in filtersOf(search, 17), false, 'a file has no pages')
    assert.ok(isNarrowed(search))
    assert.ok(!isNarrowed({ sort: 'number:asc', page: 2, q: undefined, status: [] }))
  })
})

describe('other addresses', () => {
  it('of a document: a tab that there is, and a version that is one', () => {
    assert.deepEqual(documentSearch({ tab: 'timeline', version: '2.0' }), { tab: 'timeline', version: '2.0' })
    assert.deepEqual(documentSearch({ tab: 'read', version: '../1' }), {})
  })

  it('after the log-in: pages of ours alone', () => {
    for (const to of ['/', '/documents/3?tab=timeline', '/documents?q=//'])
      assert.deepEqual(signInSearch({ to }), { to })
    for (const to of [
      '//e.example',
      '/\\e.example',
      'https://e.example',
      'javascript:alert(1)',
      '',
      '/\t/e.example',
      7,
    ])
      assert.deepEqual(signInSearch({ to }), {}, String(to))
    assert.deepEqual(signInSearch({ error: 'made up', reference: '<b>' }), { error: 'refused' })
  })

  it('of a signature by the provider: an outcome that there is', () => {
    assert.deepEqual(signingSearch({ single_sign_on: 'proved' }), { outcome: 'proved' })
    const refused = { outcome: 'refused', reference: '4b1d' }
    assert.deepEqual(signingSearch({ single_sign_on: 'refused', reference: '4b1d' }), refused)
    assert.deepEqual(signingSearch(signingSearch(refused) as Record<string, unknown>), refused, 'read again')
    assert.deepEqual(signingSearch({ single_sign_on: '<b>', reference: '<b>' }), {})
  })

  it('of notifications: the preferences, or a page of what was read', () => {
    assert.deepEqual(notificationsSearch({ tab: 'preferences' }), { tab: 'preferences' })
    assert.deepEqual(notificationsSearch({ page: '3' }), { page: 3 })
    for (const given of [{ page: '1' }, { page: '-1' }, { page: '1.5' }, { page: 'x' }, { tab: 'other' }])
      assert.deepEqual(notificationsSearch(given), {})
  })

  it('of people: enough of one to ask how its domain logs in', () => {
    for (const text of ['ada@example.com', 'ada.b@a.example']) assert.ok(isAddress(text), text)
    for (const text of ['ada', 'ada@', 'ada@example', 'ada@example.c', 'a b@example.com', ''])
      assert.ok(!isAddress(text), text)
  })

  it('hand on nothing that is left out', () => {
    assert.deepEqual(strictly(signInSearch)({ to: '//e.example', other: 1 }), { to: undefined, other: undefined })
  })

  it('of a record, by its address in the API: only where there is a page', () => {
    assert.equal(pageOf('/api/documents/3/workflow'), '/documents/3')
    assert.equal(pageOf('/api/documents/31'), '/documents/31')
    for (const link of ['/api/deviations/3', '/api/documents/', null]) assert.equal(pageOf(link), undefined)
  })
})

describe('the end of a session', () => {
  const now = Date.parse('2026-11-25T10:00:00Z')

  it('is the earlier of the two, and only before the absolute one a press is enough to stay', () => {
    const ends_at = '2026-11-25T18:00:00Z'
    assert.deepEqual(timeLeft({ idle_ends_at: '2026-11-25T10:04:01Z', ends_at }, now), { minutes: 5, canStay: true })
    const last = { idle_ends_at: '2026-11-25T10:30:00Z', ends_at: '2026-11-25T10:02:00Z' }
    assert.deepEqual(timeLeft(last, now), { minutes: 2, canStay: false })
    assert.deepEqual(timeLeft({ idle_ends_at: null, ends_at: '2026-11-25T09:00:00Z' }, now).minutes, -60)
  })

  it('is no refusal of the password of a signature', () => {
    const challenge = 'Bearer error="insufficient_user_authentication"'
    assert.ok(new Problem(401, { detail: 'Log in' }, 'Bearer').isSessionOver)
    assert.ok(!new Problem(401, { detail: 'Incorrect password' }, challenge).isSessionOver)
    assert.ok(!new Problem(403, { detail: 'No' }).isSessionOver)
  })
})

it('a refusal names what is wrong with each field, and what to tell support', () => {
  const detail = [{ loc: ['body', 'comment'], msg: 'Enter a comment.' }]
  const problem = new Problem(422, { detail })
  assert.equal(problem.of('comment'), 'Enter a comment.')
  assert.equal(problem.of('title'), undefined)
  assert.equal(new Problem(500, { detail: 'Sorry', request_id: 'abc' }).reference, 'abc')
  assert.ok(new Problem(0, undefined).isPassing && new Problem(503, {}).isPassing && !new Problem(500, {}).isPassing)
})

describe('bytes of passkeys', () => {
  it('are the same after the way through JSON, whatever their length', () => {
    for (let length = 0; length < 300; length++) {
      const bytes = Uint8Array.from({ length }, (_, at) => (at * 37 + length) % 256)
      const text = base64url(bytes.buffer)
      assert.equal(text, Buffer.from(bytes).toString('base64url'))
      assert.deepEqual(bytesFrom(text), bytes)
    }
  })
})

it('a session is named by browser and system, as people know them', () => {
  const windows = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0'
  assert.deepEqual(programOf(`${windows} Safari/537.36 Edg/140.0.0.0`), { browser: 'Edge', system: 'Windows' })
  assert.deepEqual(programOf(`${windows} Safari/537.36`), { browser: 'Chrome', system: 'Windows' })
  const phone =
    'Mozilla/5.0 (iPhone; CPU iPhone OS 26_0 like Mac OS X) AppleWebKit/605.1.15 Version/26.0 Mobile Safari/604.1'
  assert.deepEqual(programOf(phone), { browser: 'Safari', system: 'iPhone' })
  assert.deepEqual(programOf('Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0'), {
    browser: 'Firefox',
    system: 'Linux',
  })
  assert.deepEqual(programOf('curl/8.5.0'), { browser: 'curl/8.5.0', system: undefined })
})

it('notifications stand below the day that it was in the time zone of the company', () => {
  const at = (created_at: string) => ({ created_at })
  const items = [at('2026-11-25T23:30:00Z'), at('2026-11-25T22:30:00Z'), at('2026-11-25T08:00:00Z')]
  assert.deepEqual(
    byDay(items, 'Europe/Berlin').map(({ day, items }) => [day, items.length]),
    [
      ['2026-11-26', 1],
      ['2026-11-25', 2],
    ],
  )
})

/** That nothing is missing is the compiler's; that nothing was forgotten in English is seen here. */
it('German is German: no sentence of more than one word is the English one', () => {
  const same: string[] = []
  const compare = (english: object, german: object, place: string) => {
    for (const [key, text] of Object.entries(english)) {
      const other = (german as Record<string, unknown>)[key]
      if (typeof text === 'object') compare(text, other as object, `${place}${key}.`)
      else if (typeof text === 'string' && text === other && text.includes(' ')) same.push(place + key)
    }
  }
  compare(en, de, '')
  assert.deepEqual(same, [])
})
