// Signing challenges, in whatever order somebody begins them, proves them, uses them, changes the content and waits: a signature comes of a
// fresh proof of its very content, once, or not at all, and the evidence of each verifies.
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import fc from 'fast-check'
import { type Authenticator, withPasskey } from '#test/builders/authenticator.ts'
import { type Json, ok, papers } from '#test/builders/documents.ts'
import { runUntilAllHappened } from '#test/world/chance.ts'
import { roundsOf } from '#test/world/rounds.ts'
import { openWorld, type World } from '#test/world/world.ts'

const runs = roundsOf('PROPERTY_RUNS', 8)
const waitMs = 75_000
const proofMs = 120_000
const challengeMs = 600_000
const path = '/api/signatures/'

let world: World
let authenticator: Authenticator
before(async () => {
  world = await openWorld({ LOG_LEVEL: 'error', PUBLIC_URL: 'https://qms.example' })
  authenticator = (await withPasskey(world, 'alan')).authenticator
})
after(() => world.close())

interface Begun {
  challenge: Json
  content: number
  intent: string
  begun_at: number
  proved_at?: number
  isSpent: boolean
  isRefused: boolean
}

const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ what: fc.constant('begin' as const), intent: fc.constantFrom('A', 'B') }) },
  { weight: 3, arbitrary: fc.record({ what: fc.constant('prove' as const), which: fc.nat(3), wrong: fc.nat(5) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      what: fc.constant('sign' as const),
      which: fc.nat(3),
      intent: fc.constantFrom('A', 'B'),
    }),
  },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('change' as const) }) },
  { weight: 2, arbitrary: fc.record({ what: fc.constant('wait' as const) }) },
)

// proves: SSO-05, SIG-01
it('no order of steps yields a signature without a fresh proof of its content, or one that does not verify', async () => {
  const happened = new Map<string, number>()
  const count = (what: string) => happened.set(what, (happened.get(what) ?? 0) + 1)
  const post = (url: string, body: object) => world.as('alan').post(url, body)

  const tryAll = () =>
    fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 20 }), async steps => {
        const { id } = await papers(world).upload()
        let content = 0
        let moved = 0
        const begun: Begun[] = []
        const signed = new Set<number>()
        const bodyOf = (intent: string) => ({ document_id: id, signature_type: 'authorship', intent })
        const nth = (which: number) => begun[begun.length - 1 - (which % Math.max(1, begun.length))]
        for (const each of steps) {
          if (each.what === 'begin') {
            if (signed.has(content)) continue
            const acts = [{ method: 'POST', path, body: bodyOf(each.intent) }]
            const challenge = ok(await post('/api/signing-challenges/', { kind: 'passkey', acts }))
            begun.push({ challenge, content, intent: each.intent, begun_at: moved, isSpent: false, isRefused: false })
          } else if (each.what === 'prove') {
            const of = nth(each.which)
            if (!of) continue
            const isWrong = each.wrong === 0
            const response = authenticator.get(of.challenge.passkey, isWrong ? { isVerified: false } : {})
            const reply = await post(`/api/signing-challenges/${of.challenge.id}/passkey`, { response })
            const isOpen = of.proved_at === undefined && !of.isRefused && moved - of.begun_at < challengeMs
            if (reply.statusCode === 200) {
              assert.ok(isOpen && !isWrong)
              of.proved_at = moved
            } else {
              assert.equal(reply.statusCode, 401, reply.body)
              if (isOpen) of.isRefused = true
            }
            count(`prove ${reply.statusCode}`)
          } else if (each.what === 'sign') {
            const of = nth(each.which)
            if (!of) continue
            const reply = await post(path, { ...bodyOf(each.intent), signing_challenge: of.challenge.id })
            const isProved =
              of.proved_at !== undefined && moved - of.proved_at < proofMs && !of.isSpent && of.intent === each.intent
            // Whatever becomes of the request, its proof is used up.
            if (isProved) of.isSpent = true
            const expected = !isProved ? 401 : of.content !== content || signed.has(content) ? 409 : 201
            assert.equal(reply.statusCode, expected, reply.body)
            if (expected === 201) {
              signed.add(content)
              const { verification, method } = ok(await world.as('alan').get(`/api/signatures/${reply.json().id}`))
              assert.equal(method, 'passkey')
              assert.equal(verification.valid, true, JSON.stringify(verification.checks))
            }
            count(`sign ${expected}`)
          } else if (each.what === 'change') {
            content += 1
            ok(await world.as('alan').put(`/api/documents/${id}`, { title: `Title ${content}` }))
          } else {
            moved += waitMs
            world.clock.moved_ms += waitMs
          }
        }
      }),
      { numRuns: runs },
    )
  await runUntilAllHappened(tryAll, happened, ['prove 200', 'prove 401', 'sign 201', 'sign 401', 'sign 409'])
})
