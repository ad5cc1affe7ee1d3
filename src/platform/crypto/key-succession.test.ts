import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { linkKeys, trustedKeys } from './key-succession.ts'
import { readOrMakeKey, type SigningKey } from './signing-key.ts'

describe('the keys that count', () => {
  const folder = mkdtempSync(join(tmpdir(), 'attest-links-'))
  let [first, second, third, foreign] = [] as unknown as [SigningKey, SigningKey, SigningKey, SigningKey]
  const publicOf = ({ key_id, public_key }: SigningKey) => ({ key_id, public_key })
  const trusted = (held: SigningKey, ...links: ReturnType<typeof linkKeys>[]) => {
    const found = trustedKeys([held.public_key], links)
    return [first, second, third, foreign].map(({ public_key }) => found.has(public_key))
  }
  before(async () => {
    const make = (name: string) => readOrMakeKey(join(folder, name))
    ;[first, second, third, foreign] = [await make('1'), await make('2'), await make('3'), await make('4')]
  })
  after(() => rmSync(folder, { recursive: true }))

  it('are all of a chain of rotations, from whichever of them the service holds', () => {
    const links = [linkKeys(first, second), linkKeys(second, third)]
    for (const held of [first, second, third]) assert.deepEqual(trusted(held, ...links), [true, true, true, false])
  })

  it('go back and not forward past a key that is lost', () => {
    const lost = linkKeys(publicOf(first), second)
    assert.deepEqual(trusted(second, lost), [true, true, false, false])
    assert.deepEqual(trusted(first, lost), [true, false, false, false])
  })

  it('are not those that vouch for themselves, in either place of a link', () => {
    const after = linkKeys(publicOf(first), foreign)
    assert.deepEqual(trusted(first, after), [true, false, false, false])
    const copied = { ...after, by_previous: after.by_next }
    assert.deepEqual(trusted(first, copied), [true, false, false, false])
    const ahead = { ...linkKeys(foreign, first), by_next: linkKeys(foreign, second).by_next }
    assert.deepEqual(trusted(first, ahead), [true, false, false, false])
  })

  it('are not those that take the place of another in a genuine link', () => {
    const genuine = linkKeys(first, second)
    assert.deepEqual(trusted(first, { ...genuine, next: publicOf(foreign) }), [true, false, false, false])
    assert.deepEqual(trusted(second, { ...genuine, previous: publicOf(foreign) }), [false, true, false, false])
  })
})
