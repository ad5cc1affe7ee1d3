import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { defaultSessionSettings, endsOf, lifeOf, surplusOf } from './rules.ts'

const at = (text: string) => `2026-11-25T${text}:00.000Z`
const browser = {
  kind: 'browser' as const,
  auth_time: at('08:00'),
  last_seen_at: at('09:00'),
  expires_at: at('20:00'),
  idle_minutes: 30,
}
const shown = (ends: ReturnType<typeof endsOf>) =>
  [ends.ends_at, ends.idle_ends_at].map(each => each && new Date(each).toISOString())

// proves: SES-01
describe('the end of a session', () => {
  it('is by the settings at the log-in, or by shorter ones since; longer ones bring nothing back', () => {
    const settings = defaultSessionSettings
    assert.deepEqual(shown(endsOf(browser, settings)), [at('20:00'), at('09:30')])
    const shorter = { ...settings, session_idle_minutes: 5, session_max_hours: 2 }
    assert.deepEqual(shown(endsOf(browser, shorter)), [at('10:00'), at('09:05')])
    const longer = { ...settings, session_idle_minutes: 480, session_max_hours: 24 }
    assert.deepEqual(shown(endsOf(browser, longer)), [at('20:00'), at('09:30')])
  })

  it('of a token is its own, and it is never idle', () => {
    const token = { ...browser, kind: 'token' as const, idle_minutes: null }
    assert.deepEqual(shown(endsOf(token, { ...defaultSessionSettings, session_max_hours: 1 })), [at('20:00'), null])
  })

  it('comes to the millisecond', () => {
    const ends = endsOf(browser, defaultSessionSettings)
    const lifeAt = (ms: number) => lifeOf(ends, new Date(ms))
    assert.equal(lifeAt(ends.idle_ends_at! - 1), 'live')
    assert.equal(lifeAt(ends.idle_ends_at!), 'idle')
    assert.equal(lifeAt(ends.ends_at - 1), 'idle')
    assert.equal(lifeAt(ends.ends_at), 'over')
  })

  it('comes to those that were unused longest, where a further one is too many', () => {
    const live = ['09:02', '09:00', '09:01'].map(time => ({ last_seen_at: at(time) }))
    assert.deepEqual(surplusOf(live, 4), [])
    assert.deepEqual(surplusOf(live, 3), [{ last_seen_at: at('09:00') }])
    assert.deepEqual(
      surplusOf(live, 1),
      ['09:00', '09:01', '09:02'].map(time => ({ last_seen_at: at(time) })),
    )
  })
})
