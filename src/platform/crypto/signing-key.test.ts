import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { createHash, generateKeyPairSync, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { after, describe, it } from 'node:test'
import { openSigningKey, verifySeal } from './signing-key.ts'

const root = mkdtempSync(join(tmpdir(), 'attest-key-test-'))
after(() => rmSync(root, { recursive: true }))
const newFolder = () => mkdtempSync(join(root, 'data-'))
const record = Buffer.from('{"document":"SOP-0001"}')

describe('the key that signatures are sealed with (21 CFR 11.70)', () => {
  it('is made at the first start, for this user alone, and is there at the next', async () => {
    const folder = join(newFolder(), 'not', 'there', 'yet')
    const first = await openSigningKey(folder)
    const second = await openSigningKey(folder)
    assert.equal(second.public_key, first.public_key)
    assert.ok(verifySeal(first.public_key, record, second.sign(record)))
    assert.equal(statSync(join(folder, 'signature.pem')).mode & 0o777, 0o600)
    assert.deepEqual(readdirSync(folder), ['signature.pem'])
    const raw = Buffer.from(first.public_key, 'base64')
    assert.equal(raw.length, 32)
    assert.equal(first.key_id, createHash('sha256').update(raw).digest('hex').slice(0, 16))
  })

  it('is one, when processes start on an empty folder at the same moment', async () => {
    const folder = newFolder()
    const program = `
      const { openSigningKey } = await import(${JSON.stringify(new URL('./signing-key.ts', import.meta.url))})
      const keys = await Promise.all(Array.from({ length: 20 }, () => openSigningKey(${JSON.stringify(folder)})))
      console.log([...new Set(keys.map(key => key.public_key))].join())`
    const said = await Promise.all(
      Array.from({ length: 3 }, () => text(spawn(process.execPath, ['--input-type=module', '-e', program]).stdout)),
    )
    assert.deepEqual(new Set(said), new Set([`${(await openSigningKey(folder)).public_key}\n`]))
    assert.deepEqual(readdirSync(folder), ['signature.pem'])
  })

  it('is not made anew over a file that is no such key', async () => {
    const folder = newFolder()
    const path = join(folder, 'signature.pem')
    writeFileSync(
      path,
      generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ type: 'pkcs8', format: 'pem' }),
    )
    await assert.rejects(openSigningKey(folder), /is not an Ed25519 key/)
    writeFileSync(path, '')
    await assert.rejects(openSigningKey(folder))
    assert.equal(statSync(path).size, 0)
  })

  it('seals bytes so that a change of any of them, of the seal or of the key is noticed', async () => {
    const key = await openSigningKey(newFolder())
    const seal = key.sign(record)
    assert.ok(verifySeal(key.public_key, record, seal))
    for (let index = 0; index < record.length; index++) {
      const changed = Buffer.from(record)
      changed[index] = changed[index]! ^ 1
      assert.ok(!verifySeal(key.public_key, changed, seal))
    }
    for (let index = 0; index < seal.length; index++) {
      const other = seal[index] === 'B' ? 'C' : 'B'
      assert.ok(!verifySeal(key.public_key, record, seal.slice(0, index) + other + seal.slice(index + 1)))
    }
    assert.ok(!verifySeal((await openSigningKey(newFolder())).public_key, record, seal))
  })

  it('verifies nothing by what is no key or no seal, and does not fail by it', async () => {
    const key = await openSigningKey(newFolder())
    const seal = key.sign(record)
    for (const text of [
      '',
      'x',
      '\0',
      'ü',
      'A'.repeat(44),
      randomBytes(32).toString('base64'),
      randomBytes(64).toString('base64'),
      seal + ' ',
      seal.replace(/=+$/, ''),
    ]) {
      assert.equal(verifySeal(key.public_key, record, text), false)
      assert.equal(verifySeal(text, record, seal), false)
    }
  })
})
