// How long a refused log-in takes must not tell why it is refused. LOGIN_ROUNDS says how often each is tried (npm run attacks); one after
// another in turn, so that whatever else the machine does is shared by all. The medians of the time are printed; what is compared is
// the work, the least of it, because a busy machine changes that the least, and only ever adds to it.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { hashPassword } from '#platform/crypto/password.ts'
import { openWorld, password, type World } from '#test/world/world.ts'

const rounds = Number(process.env.LOGIN_ROUNDS || 8)

const names = { unknown: 'nobody', wrong: 'uma', locked: 'petra', inactive: 'otto' }
type Kind = keyof typeof names
const kinds = Object.keys(names) as Kind[]
const measured = (): Record<Kind, number[]> => ({ unknown: [], wrong: [], locked: [], inactive: [] })

describe('a refused log-in', () => {
  let world: World
  before(async () => {
    // All come from one network, which is not to be limited for it.
    world = await openWorld({ LOG_LEVEL: 'error', LOGIN_FAILURES_PER_ADDRESS: '1000000' })
  })
  after(() => world.close())

  const setCredentials = (name: string, what: string) =>
    world.superuser.query(`begin; set local session_replication_role = replica;
      update credentials set ${what} where user_id = ${world.people[name]!.id}; commit`)

  // proves: AUTH-05
  it('is as much work for a name that nobody has as for a wrong password, a locked account or one that is switched off', async t => {
    // At the service's own cost: the tests' people have cheaper ones.
    const hash = await hashPassword(password)
    for (const name of ['uma', 'petra', 'otto']) await setCredentials(name, `password_hash = '${hash}'`)
    await world.superuser.query(
      `insert into login_addresses (tenant_id, user_id, address, failed_attempts, locked_until, last_attempt_at)
       values ($1, $2, '127.0.0.1', 5, now() + interval '10 minutes', now())`,
      [world.people.petra!.tenant_id, world.people.petra!.id],
    )
    await world.as('ada').post(`/api/users/${world.people.otto!.id}/deactivate`, { change_reason: 'Left' })
    const [times, work] = [measured(), measured()]
    const answers = new Set<string>()
    for (let round = 0; round < rounds; round++) {
      await world.superuser.query('delete from login_addresses where user_id = $1', [world.people.uma!.id])
      for (const [turn] of kinds.entries()) {
        const kind = kinds[(turn + round) % kinds.length]!
        const payload = { username: names[kind], password: 'Wrong horse 1 battery' }
        const [begun, used] = [performance.now(), process.cpuUsage()]
        const reply = await world.server.inject({ method: 'POST', url: '/api/auth/token', payload })
        const { user, system } = process.cpuUsage(used)
        times[kind].push(performance.now() - begun)
        work[kind].push((user + system) / 1000)
        answers.add(`${reply.statusCode} ${reply.body}`)
      }
    }
    assert.deepEqual(
      [...answers],
      ['401 {"detail":"Incorrect username, password or code.","code":"login_failed","params":{}}'],
    )
    const least = (kind: Kind) => Math.min(...work[kind])
    const median = (kind: Kind) => times[kind].toSorted((a, b) => a - b)[Math.floor(rounds / 2)]!
    t.diagnostic(
      kinds.map(kind => `${kind}: ${median(kind).toFixed(1)} ms, ${least(kind).toFixed(1)} ms of work`).join('; '),
    )
    for (const kind of kinds) {
      const ratio = least(kind) / least('wrong')
      assert.ok(ratio > 1 / 2 && ratio < 2, `${kind} takes ${ratio} times as much: ${JSON.stringify(work)}`)
    }
  })
})
