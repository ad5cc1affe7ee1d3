import assert from 'node:assert/strict'
import { createPrivateKey, createPublicKey, sign } from 'node:crypto'
import { describe, it } from 'node:test'
import type { SigningKey } from '#platform/crypto/signing-key.ts'
import { epochOf, noteText, openNote, originOf, signNote, verifierKey, verifyNote } from './note.ts'

/** An Ed25519 key from a seed (RFC 8032). */
function keyOfSeed(byte: number): SigningKey {
  const pkcs8 = Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), Buffer.alloc(32, byte)])
  const key = createPrivateKey({ key: pkcs8, format: 'der', type: 'pkcs8' })
  const raw = Buffer.from(createPublicKey(key).export({ format: 'jwk' }).x!, 'base64url')
  return { key_id: '', public_key: raw.toString('base64'), sign: bytes => sign(null, bytes, key).toString('base64') }
}
const publicKey = (key: SigningKey) => Buffer.from(key.public_key, 'base64')
const root = Buffer.from('7696bd9c16d00ed933b63de480cd490b895689f63a2918ccbd52ce9360bcb117', 'hex')
const name = 'eqms.example/t/42'
const body = { origin: name, size: 3, root }
const [ours, others] = [keyOfSeed(1), keyOfSeed(2)]
const vkey = verifierKey(name, publicKey(ours))

describe('a checkpoint (C2SP tlog-checkpoint; proves: AUD-04)', () => {
  it('is verified by the key that is known of the specification', () => {
    assert.equal(vkey, 'eqms.example/t/42+f6f09e9d+AYqI4910CfGV/VLbLTy6XXLKZwm/HZQSG/N0iAG0D29c')
    assert.equal(noteText(body), 'eqms.example/t/42\n3\ndpa9nBbQDtkztj3kgM1JC4lWifY6KRjMvVLOk2C8sRc=\n')
    const note = signNote(body, [{ name, key: ours }])
    assert.deepEqual(verifyNote(note, [vkey]), body)
    assert.match(note, /\n\n— eqms\.example\/t\/42 9vCen[A-Za-z0-9+/]+={0,2}\n$/)
  })

  it('is verified by either key that signed it, and by no other', () => {
    const other = verifierKey(name, publicKey(others))
    const both = signNote(body, [
      { name, key: others },
      { name, key: ours },
    ])
    for (const each of [vkey, other]) assert.deepEqual(verifyNote(both, [each]), body)
    const one = signNote(body, [{ name, key: others }])
    assert.equal(verifyNote(one, [vkey]), undefined)
    assert.deepEqual(verifyNote(one, [vkey, other]), body)
    assert.equal(verifyNote(one, []), undefined)
  })

  it('is none where a byte of it is another', () => {
    const note = signNote(body, [{ name, key: ours }])
    for (let index = 0; index < note.length; index++) {
      const changed = note.slice(0, index) + (note[index] === '7' ? '8' : '7') + note.slice(index + 1)
      assert.equal(verifyNote(changed, [vkey]), undefined, `at ${index}`)
      const without = note.slice(0, index) + note.slice(index + 1)
      assert.equal(verifyNote(without, [vkey]), undefined, `without ${index}`)
    }
  })

  it('of another tree says nothing of this one, though the same key signed it', () => {
    const other = signNote({ ...body, origin: 'eqms.example/t/43' }, [{ name, key: ours }])
    assert.equal(verifyNote(other, [vkey]), undefined)
    assert.equal(originOf('0b54', 2), 'attest/t/0b54/e2')
  })

  it('is opened to what it says, and to each signature, of whatever algorithm', () => {
    const signature = (length: number) => Buffer.alloc(length, length)
    for (const size of [0, 7, 12, 4_096, Number.MAX_SAFE_INTEGER]) {
      const lines = [5, 66, 67, 68].map(length => `— other.example ${signature(length).toString('base64')}\n`)
      assert.deepEqual(openNote(`${noteText({ ...body, size })}\n${lines.join('')}`), {
        body: { ...body, size },
        signatures: [5, 66, 67, 68].map(length => ({
          name: 'other.example',
          keyId: signature(4).fill(length),
          signature: signature(length).subarray(4),
        })),
      })
    }
  })

  it('is not verified by a key whose id is not its own, though a signature has that id', () => {
    const note = signNote(body, [{ name, key: ours }])
    const base64 = note.trimEnd().split(' ').at(-1)!
    const unnamed = Buffer.concat([Buffer.alloc(4), Buffer.from(base64, 'base64').subarray(4)]).toString('base64')
    assert.equal(verifyNote(note.replace(base64, unnamed), [vkey.replace('f6f09e9d', '00000000')]), undefined)
    const algorithm = Buffer.concat([Buffer.of(2), publicKey(ours)]).toString('base64')
    assert.equal(verifyNote(note, [`${vkey.slice(0, -44)}${algorithm}`]), undefined)
  })

  it('is not taken from a text that is none', () => {
    const note = signNote(body, [{ name, key: ours }])
    const spoilt = [
      '',
      note.slice(0, -1),
      `${note}\n`,
      note.replace('\n3\n', '\n03\n'),
      note.replace('\n3\n', '\n-3\n'),
      note.replace('\n3\n', '\n99999999999999999\n'),
      note.replace('\n\n', '\nextension\n\n'),
      note.replaceAll('\n', '\r\n'),
      note.replace('— ', '- '),
      `${noteText(body)}\n`,
      note.replace('\n3\n', '\n9007199254740992\n'),
      note.replace('sRc=\n', 'sRd=\n'),
      `${noteText(body)}${note}`,
      note.replace('— ', '— x y— '),
      note.replace(/\n$/, ' x\n'),
      `${noteText(body)}\n— ${name} ${Buffer.alloc(4).toString('base64')}\n`,
      `${note}— ${name}\n`,
    ]
    for (const each of spoilt) assert.equal(openNote(each), undefined, each)
    for (const key of ['', vkey.slice(0, -1), vkey.replace('f6f09e9d', '00000000'), vkey.replace('+AY', '+AZ')])
      assert.equal(verifyNote(note, [key]), undefined, key)
  })
})

it('names its epoch, also where the log begins with an e', () => {
  const log = 'e1c0de00-0000-4000-8000-000000000000'
  for (const epoch of [1, 12]) assert.equal(epochOf(originOf(log, epoch)), epoch)
})
