import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { AppError } from '#kernel/errors.ts'
import { dummyVerify, hashPassword, needsRehash, verifyPassword } from './password.ts'

const status = (expected: number) => (error: AppError) => error instanceof AppError && error.status === expected

describe('a password', () => {
  it('is stored as Argon2id at the cost that OWASP recommends, never twice the same (21 CFR 11.300)', async () => {
    const [first, second] = await Promise.all([
      hashPassword('correct horse battery'),
      hashPassword('correct horse battery'),
    ])
    assert.match(first, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/)
    assert.notEqual(first, second)
    assert.ok(await verifyPassword(first, 'correct horse battery'))
    assert.ok(!(await verifyPassword(first, 'correct horse batterz')))
    assert.ok(!(await verifyPassword(first, '')))
    assert.ok(!needsRehash(first))
  })

  it('is known again from a hash that another program or an earlier cost has made', async () => {
    // From the tests of the reference implementation, P-H-C/phc-winner-argon2.
    const reference = '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'
    assert.ok(await verifyPassword(reference, 'password'))
    assert.ok(!(await verifyPassword(reference, 'Password')))
    assert.ok(needsRehash(reference))
  })

  it('is the same however its letters are composed', async () => {
    const phc = await hashPassword('pa\u0308sswort-f\u00fcr-alle')
    assert.ok(await verifyPassword(phc, 'p\u00e4sswort-fu\u0308r-alle'))
  })

  it('counts whole: up to 1,024 bytes, and more is refused', async () => {
    const long = 'a'.repeat(1_023)
    const phc = await hashPassword(`${long}x`)
    assert.ok(await verifyPassword(phc, `${long}x`))
    assert.ok(!(await verifyPassword(phc, `${long}y`)))
    assert.ok(!(await verifyPassword(phc, `${long}xx`)))
    assert.ok(!(await dummyVerify('a'.repeat(10_000))))
    await assert.rejects(hashPassword(`${long}xx`), status(422))
    await assert.rejects(hashPassword('é'.repeat(513)), status(422))
  })

  it('that is stored as something else is an error, not a refusal', async () => {
    for (const stored of [
      '',
      'secret',
      '$2b$10$abcdefghijklmnopqrstuv',
      '$argon2i$v=19$m=19456,t=2,p=1$c29tc2FsdA$AAAAAAAAAAAAAAAAAAAAAA',
    ]) {
      await assert.rejects(verifyPassword(stored, 'x'), /not a PHC string/)
    }
  })

  it('costs as much to check for a user who does not exist', async () => {
    const phc = await hashPassword('correct horse battery')
    const work: Record<'known' | 'unknown', number[]> = { known: [], unknown: [] }
    for (let n = 0; n < 15; n++) {
      work.known.push(await workOf(() => verifyPassword(phc, 'wrong horse battery')))
      work.unknown.push(await workOf(() => dummyVerify('wrong horse battery')))
    }
    // A busy machine only ever adds to it.
    const [known, unknown] = [Math.min(...work.known), Math.min(...work.unknown)]
    assert.ok(unknown > known / 2 && unknown < known * 2, `${unknown} ms against ${known} ms`)
  })

  it('is checked two at a time; 64 more wait, and the rest is asked to come again', async () => {
    const phc = await hashPassword('correct horse battery')
    const outcomes = await Promise.allSettled(
      Array.from({ length: 70 }, () => verifyPassword(phc, 'correct horse battery')),
    )
    assert.equal(outcomes.filter(each => each.status === 'fulfilled' && each.value).length, 66)
    const refused = outcomes.filter(each => each.status === 'rejected').map(each => each.reason as AppError)
    assert.deepEqual(new Set(refused.map(error => error.status)), new Set([503]))
    assert.equal(refused[0]?.headers['retry-after'], '1')
    assert.ok(await verifyPassword(phc, 'correct horse battery'), 'it goes on afterwards')
  })
})

/** In milliseconds of this process, its threads included. */
async function workOf(work: () => Promise<unknown>) {
  const begun = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(begun)
  return (user + system) / 1000
}
