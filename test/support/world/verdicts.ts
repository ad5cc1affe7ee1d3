// The verdict of the public verifier on an export with one defect.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { verifyBundle } from '../../../verifier/attest-audit-verify.mjs'
import { type Files, makeBundle, signedAnew, withLines } from '../builders/bundles.ts'
import { type ZipEntry, zipOf } from '../faults/hostile-files.ts'

export const folder = mkdtempSync(join(tmpdir(), 'attest-verifier-'))
after(() => rmSync(folder, { recursive: true }))
/** Where the export is that was asked about last. */
export const path = join(folder, 'bundle.zip')

export const log_id = '5b1f8f3c-6f5c-4d52-9f5e-0a3b8f1d2c4e'
export const origins = [`attest/t/${log_id}/e1`, `attest/t/${log_id}/e2`] as const
export const whole = await makeBundle({ log_id, sizes: [3, 2], redacted: [2] })
export const part = await makeBundle({ log_id, sizes: [6, 5], parts: true })
export const { vkeys } = whole

type Asked = Partial<Parameters<typeof verifyBundle>[1]>
export const entriesOf = (files: Files): ZipEntry[] =>
  [...files].map(([name, content]) => ({ name, content, isStored: true }))
export async function ask(bundle: Files | ZipEntry[] | Buffer, asked: Asked = {}) {
  const bytes = Buffer.isBuffer(bundle) ? bundle : zipOf(Array.isArray(bundle) ? bundle : entriesOf(bundle))
  writeFileSync(path, bytes)
  const { exit, lines } = await verifyBundle(path, { vkeys, ...asked })
  return { exit, said: lines.map(({ status, text }) => `${status} ${text}`) }
}
export const bad = (said: readonly string[]) => said.filter(line => !line.startsWith('ok '))
/** It is valid. */
export async function valid(bundle: Files | ZipEntry[] | Buffer, asked: Asked = {}) {
  const { exit, said } = await ask(bundle, asked)
  assert.deepEqual([exit, bad(said)], [0, []])
}
/** It is not valid, for these reasons and no other. */
export async function failed(bundle: Files | ZipEntry[] | Buffer, reasons: string[], asked: Asked = {}) {
  const { exit, said } = await ask(bundle, asked)
  assert.deepEqual([bad(said), exit], [reasons.map(reason => `failed ${reason}`), 1])
  return said
}
/** It is neither valid nor not. */
export async function unable(bundle: Files | ZipEntry[] | Buffer, reason: string, asked: Asked = {}) {
  const { exit, said } = await ask(bundle, asked)
  assert.deepEqual([bad(said), exit], [[`unable ${reason}`], 2])
}

/** The whole export, or another one, with a change: of the lines of a file or of one of them, signed anew, or of a file as it is. */
export const lines = (name: string, change: Parameters<typeof withLines>[2], { files } = whole) =>
  signedAnew(withLines(files, name, change))
export const line = (name: string, at: number, change: object, bundle = whole) =>
  lines(name, all => all.with(at, { ...all[at], ...change }), bundle)
export const replaced = (name: string, content: Buffer | string, { files } = whole) =>
  new Map(files).set(name, Buffer.from(content as string))
