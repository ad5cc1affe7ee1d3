import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { hashPassword } from './password.ts'
import { checkNewPassword } from './password-policy.ts'

const ada = { username: 'ada.lovelace', email: 'countess@acme.example', full_name: 'Ada King-Noël' }
const refusedFor = (reason: RegExp, password: string, context: Parameters<typeof checkNewPassword>[1] = ada) =>
  checkNewPassword(password, context).then(reasons =>
    assert.ok(
      reasons.some(each => reason.test(each.text)),
      `${password}: ${reasons.map(({ code }) => code).join()}`,
    ),
  )

describe('a new password', () => {
  it('is taken when it is long and of no common words alone', async () => {
    for (const password of [
      'correct horse battery',
      'Tr0ub4dor&3-staple',
      'Reinraum Nord 3, morgens',
      '清潔な部屋で毎朝手を洗うこと',
      'planning a canada trip',
    ]) {
      assert.deepEqual(await checkNewPassword(password, ada), [], password)
    }
  })

  it('has at least 12 characters, or as many as the tenant asks for, and a character is what a person sees as one', async () => {
    await refusedFor(/at least 12 characters/, 'Xk7-pq2-wz9')
    assert.deepEqual(await checkNewPassword('Xk7-pq2-wz9-', ada), [])
    await refusedFor(/at least 15 characters/, 'Xk7-pq2-wz9-ab', { ...ada, min_length: 15 })
    await refusedFor(/at least 12 characters/, '😀😁😂😃😄😅')
    await refusedFor(/at least 12 characters/, 'u\u0308o\u0308a\u0308e\u0308i\u0308y\u0308')
  })

  it('is not longer than what is hashed', () => refusedFor(/1024 bytes/, 'Xk7-'.repeat(300)))

  it('is not a common one, whatever its case and with whatever digits at its end', async () => {
    for (const password of [
      '123456789012',
      'Password2024!',
      'administrator',
      'QWERTYUIOP1234',
      'welcome!!!!!!',
      'Password12345',
    ]) {
      await refusedFor(/attackers try first/, password)
    }
  })

  it('is not one short word over and over', async () => {
    for (const password of ['aaaaaaaaaaaaa', 'abcabcabcabc', 'passwordpassword', 'DragonDragonDragon'])
      await refusedFor(/attackers try first/, password)
  })

  it('does not contain the name, the user name or the beginning of the e-mail address', async () => {
    for (const password of [
      'x-Ada.Lovelace-77',
      'my countess 4711',
      'NOËL-in-december',
      'noe\u0308l-in-december',
      'the king is dead',
    ]) {
      await refusedFor(/must not contain your name/, password)
    }
  })

  it('does not contain a short name as a word, but may by chance', async () => {
    const context = { username: 'ada', email: 'ada@acme.example', full_name: null }
    await refusedFor(/must not contain your name/, 'ada-1815-london', context)
    await refusedFor(/must not contain your name/, 'Ada18151852wrote', { ...context, username: 'wrote', email: 'x@y' })
    assert.deepEqual(await checkNewPassword('canadian-geese-fly', context), [])
  })

  it('says everything that is wrong at once', async () => {
    assert.equal((await checkNewPassword('password1', { ...ada, username: 'password' })).length, 3)
  })

  it('is none of the last five', async () => {
    const passwords = ['sixth', 'fifth', 'fourth', 'third', 'second', 'first'].map(each => `${each} of my passphrases`)
    const previousHashes = await Promise.all(passwords.map(each => hashPassword(each)))
    for (const password of passwords.slice(0, 5))
      await refusedFor(/differ from your last 5/, password, { ...ada, previousHashes })
    assert.deepEqual(await checkNewPassword('first of my passphrases', { ...ada, previousHashes }), [])
  })
})
