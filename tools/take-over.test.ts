import assert from 'node:assert/strict'
import {
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { it } from 'node:test'
import { takeOver } from './take-over.ts'

const someone = 4_242
const rightsOf = (path: string) => {
  const { uid, gid, mode } = statSync(path)
  return { uid, gid, mode: mode & 0o777 }
}

it('makes files readable, and nothing that a link in their folder leads to', {
  skip: process.getuid?.() !== 0 && 'needs root',
}, t => {
  const place = mkdtempSync(join(tmpdir(), 'attest-take-over-'))
  t.after(() => rmSync(place, { recursive: true }))
  const [secret, elsewhere, folder] = ['secret', 'elsewhere', 'folder'].map(name => join(place, name)) as [
    string,
    string,
    string,
  ]
  writeFileSync(secret, 'of root', { mode: 0o600 })
  mkdirSync(elsewhere, { mode: 0o700 })
  writeFileSync(join(elsewhere, 'secret'), 'of root', { mode: 0o600 })
  mkdirSync(join(folder, 'within'), { recursive: true, mode: 0o700 })
  const kept = [join(folder, 'code'), join(folder, 'within/code')]
  for (const path of kept) writeFileSync(path, 'compiled', { mode: 0o600 })
  for (const path of [folder, join(folder, 'within'), ...kept]) chownSync(path, someone, someone)
  const links = ['by-name', 'by-number', 'to-a-folder'].map(name => join(folder, 'within', name)) as [
    string,
    string,
    string,
  ]
  symlinkSync(secret, links[0])
  linkSync(secret, links[1])
  symlinkSync(elsewhere, links[2])

  assert.equal(takeOver(folder), kept.length)
  for (const path of kept) assert.deepEqual(rightsOf(path), { uid: 0, gid: 0, mode: 0o644 })
  for (const path of [folder, join(folder, 'within')]) assert.deepEqual(rightsOf(path), { uid: 0, gid: 0, mode: 0o755 })
  for (const path of links) assert.ok(!existsSync(path), path)
  for (const path of [secret, join(elsewhere, 'secret')]) assert.equal(rightsOf(path).mode, 0o600)
  assert.equal(rightsOf(elsewhere).mode, 0o700)
})
