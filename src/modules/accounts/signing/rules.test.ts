import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { actsOf, placeOfAct, proofMs, provingRefusal, textOfChallenge } from './rules.ts'

const minutes = 60_000
const now = new Date('2026-11-25T10:00:00.000Z')
const at = (ms: number) => new Date(now.getTime() + ms).toISOString()
const act = (path: string) => ({ method: 'POST', path, body_sha256: 'a'.repeat(64), signs: null })
const challengeOf = (paths: string[], more: object = {}) => ({
  ...{ user_id: 7, session_id: 3, expires_at: at(minutes), proved_at: at(0), refused_reason: null },
  ...{ spent: {}, ...textOfChallenge({ tenant: '2', signer: '7', begun_at: at(-minutes), acts: paths.map(act) }) },
  ...more,
})
const by = { userId: 7, sessionId: 3, now }
const place = (challenge: ReturnType<typeof challengeOf>, path: string, who: Partial<typeof by> = {}) =>
  placeOfAct(challenge, act(path), { ...by, ...who })

// proves: SSO-05
describe('a signing challenge', () => {
  it('is another one each time, and names its acts', () => {
    const [first, second] = [challengeOf(['/a']), challengeOf(['/a'])]
    assert.notEqual(first.sha256, second.sha256)
    assert.deepEqual(actsOf(first), [act('/a')])
  })

  it('has a place for each act, once, and for the same act as often as it names it', () => {
    const challenge = challengeOf(['/a', '/b', '/a'])
    assert.deepEqual(place(challenge, '/a'), { place: 0, signs: null })
    assert.deepEqual(place(challenge, '/b'), { place: 1, signs: null })
    assert.deepEqual(place({ ...challenge, spent: { 0: at(0) } }, '/a'), { place: 2, signs: null })
    assert.ok('refused' in place({ ...challenge, spent: { 0: at(0), 2: at(0) } }, '/a'))
    assert.ok('refused' in place(challenge, '/c'))
    assert.ok('refused' in placeOfAct(challenge, { ...act('/a'), method: 'PUT' }, by))
    assert.ok('refused' in placeOfAct(challenge, { ...act('/a'), body_sha256: 'b'.repeat(64) }, by))
  })

  it('counts for its person and session, and while its proof is fresh', () => {
    const one = challengeOf(['/a'])
    const many = challengeOf(['/a', '/b'])
    for (const [challenge, ms] of [
      [one, proofMs(1)],
      [many, proofMs(2)],
    ] as const) {
      assert.ok(!('refused' in place(challenge, '/a', { now: new Date(at(ms)) })))
      assert.ok('refused' in place(challenge, '/a', { now: new Date(at(ms + 1)) }))
      assert.ok('refused' in place(challenge, '/a', { now: new Date(at(-ms - 1)) }), 'the clock was set back')
    }
    assert.deepEqual([proofMs(1), proofMs(2), proofMs(50)], [2 * minutes, 10 * minutes, 10 * minutes])
    assert.ok('refused' in place(one, '/a', { userId: 8 }))
    assert.ok('refused' in place(one, '/a', { sessionId: 4 }))
    assert.ok('refused' in place(challengeOf(['/a'], { proved_at: null }), '/a'))
  })

  it('is proved once, in time, by its person in its session', () => {
    const open = challengeOf(['/a'], { proved_at: null })
    assert.equal(provingRefusal(open, by), undefined)
    for (const [changed, who] of [
      [open, { ...by, userId: 8 }],
      [open, { ...by, sessionId: 4 }],
      [open, { ...by, now: new Date(at(minutes)) }],
      [{ ...open, proved_at: at(0) }, by],
      [{ ...open, refused_reason: 'It was refused' }, by],
    ] as const)
      assert.ok(provingRefusal(changed, who))
  })
})
