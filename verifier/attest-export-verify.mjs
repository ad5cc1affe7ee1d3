#!/usr/bin/env node
// @ts-check
// Checks an export of everything that a company has in Attest: the signature of its manifest, the size and hash of every file, the audit
// trail, and each signature. No dependencies, no code of the service, no network; the two programs beside it check the last two.
//
//   node attest-export-verify.mjs FOLDER-OR-ZIP --vkey KEY [--vkey KEY] --key KEY [--key KEY]
//
// --vkey is the key of the audit trail, which signs the manifest too; --key that of the signatures.
// Ends with 0 where all of it is valid, 1 where something is not, 2 where it could not be checked.
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, realpathSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import {
  Invalid,
  parseObject,
  readKey,
  readNote,
  requireSigned,
  Unable,
  verifyBundle,
  Zip,
} from './attest-audit-verify.mjs'
import { verifySignatures } from './attest-signature-verify.mjs'

const format = 'attest-tenant-1'
const manifestName = 'manifest.json'
const signatureName = 'manifest.sig'
const trailName = 'audit/trail.zip'
const signaturesName = 'signatures.jsonl'
/** A path that stays within the folder. */
const path_pattern = /^[a-z0-9][a-z0-9_.-]*(\/[a-z0-9][a-z0-9_.-]*)*$/i
const maxFailures = 50
/** Text that a file of records can be packed into. */
const rules = {
  files: 50_000_000,
  directory_bytes: 1_900_000_000,
  inflated: 1_100,
  small_file_bytes: 500_000_000,
  isFile: (/** @type {string} */ name) => path_pattern.test(name),
}

/**
 * @typedef {{ status: 'ok' | 'failed' | 'unable', text: string }} Line
 * @typedef {{ exit: 0 | 1 | 2, lines: Line[] }} Result
 * @typedef {{ names: string[], bytes(name: string): AsyncIterable<Uint8Array>, close(): Promise<void> }} Source
 */

/** @param {string} path @returns {Promise<Source>} */
async function openSource(path) {
  const found = await stat(path).catch((/** @type {Error} */ error) => {
    throw new Unable(`${path} cannot be read: ${error.message}`)
  })
  if (!found.isDirectory()) {
    const zip = await Zip.open(path, rules)
    return { names: [...zip.entries.keys()], bytes: name => zip.bytes(name), close: () => zip.file.close() }
  }
  const names = await namesIn(path, '')
  const known = new Set(names)
  return {
    names,
    async *bytes(name) {
      if (!known.has(name)) throw new Invalid(`${name} is missing`)
      yield* createReadStream(join(path, name))
    },
    close: async () => {},
  }
}

/** @param {string} folder @param {string} below @returns {Promise<string[]>} */
async function namesIn(folder, below) {
  const names = []
  for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
    const name = below === '' ? entry.name : `${below}/${entry.name}`
    if (entry.isDirectory()) names.push(...(await namesIn(folder, name)))
    // A link leads out of the folder.
    else if (entry.isFile()) names.push(name)
    else throw new Invalid(`${name} is no file`)
  }
  return names
}

/** @param {Source} source @param {string} name */
async function textOf(source, name) {
  const chunks = []
  let size = 0
  for await (const chunk of source.bytes(name)) {
    size += chunk.length
    if (size > rules.small_file_bytes) throw new Unable(`${name} is too large`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

/** @param {Source} source @param {string} name */
async function measure(source, name) {
  const hash = createHash('sha256')
  let size = 0
  for await (const chunk of source.bytes(name)) {
    size += chunk.length
    hash.update(chunk)
  }
  return { size, sha256: hash.digest('hex') }
}

/**
 * @param {string} path of the folder, or of the zip
 * @param {{ vkeys: string[], keys: string[] }} options
 * @returns {Promise<Result>}
 */
export async function verifyExport(path, { vkeys, keys }) {
  /** @type {Line[]} */
  const lines = []
  let failed = 0
  const report = (/** @type {Line} */ line) => {
    if (line.status === 'failed') failed += 1
    if (line.status !== 'failed' || failed <= maxFailures) lines.push(line)
  }
  /** @type {Source | undefined} */
  let source
  try {
    if (vkeys.length === 0) throw new Unable('No key of the audit trail was given: --vkey')
    source = await openSource(path)
    const files = await checkManifest(source, vkeys.map(readKey), report)
    await checkFiles(source, files, report)
    await checkTrail(source, vkeys, report)
    await checkSignatures(source, keys, report)
  } catch (error) {
    const { message } = /** @type {Error} */ (error)
    if (error instanceof Invalid) report({ status: 'failed', text: message })
    else report({ status: 'unable', text: error instanceof Unable ? message : `It could not be checked: ${message}` })
  } finally {
    await source?.close()
  }
  if (failed > maxFailures) lines.push({ status: 'failed', text: `and ${failed - maxFailures} more` })
  return { exit: failed > 0 ? 1 : lines.some(({ status }) => status === 'unable') ? 2 : 0, lines }
}

/**
 * @param {Source} source @param {ReturnType<typeof readKey>[]} keys @param {(line: Line) => void} report
 * @returns {Promise<Map<string, { size: unknown, sha256: unknown }>>}
 */
async function checkManifest(source, keys, report) {
  const text = await textOf(source, manifestName)
  const manifest = parseObject(text, manifestName)
  if (manifest.format !== format) throw new Unable(`This is no export of the format ${format}`)
  const note = readNote(await textOf(source, signatureName))
  if (note?.text !== `${format}\n${createHash('sha256').update(text).digest('hex')}\n`)
    throw new Invalid(`${signatureName} is not the signature of ${manifestName}`)
  const { origin } = /** @type {Record<string, unknown>} */ (manifest.audit_trail ?? {})
  requireSigned(note, String(origin), keys, manifestName)
  const { name } = /** @type {Record<string, unknown>} */ (manifest.tenant ?? {})
  report({
    status: 'ok',
    text: `${manifestName} is signed: everything of ${String(name)} as of ${String(manifest.snapshot_at)}`,
  })
  const files = new Map()
  for (const { path, size, sha256 } of Array.isArray(manifest.files) ? manifest.files : []) {
    if (typeof path !== 'string' || !path_pattern.test(path) || files.has(path))
      throw new Invalid(
        `${manifestName} lists ${JSON.stringify(path)}, which is no file of an export, or is there twice`,
      )
    files.set(path, { size, sha256 })
  }
  return files
}

/** @param {Source} source @param {Map<string, { size: unknown, sha256: unknown }>} files @param {(line: Line) => void} report */
async function checkFiles(source, files, report) {
  const names = new Set(source.names)
  let areThose = true
  const wrong = (/** @type {string} */ text) => {
    areThose = false
    report({ status: 'failed', text })
  }
  for (const [name, { size, sha256 }] of files) {
    if (!names.has(name)) {
      wrong(`${name} is missing`)
      continue
    }
    const found = await measure(source, name).catch((/** @type {Error} */ error) => {
      if (error instanceof Invalid) return undefined
      throw error
    })
    if (found?.size !== size || found?.sha256 !== sha256) wrong(`${name} is not the file of the manifest`)
  }
  for (const name of names)
    if (!files.has(name) && name !== manifestName && name !== signatureName) wrong(`The manifest has no file ${name}`)
  if (areThose) report({ status: 'ok', text: `${files.size} files are those of the manifest` })
}

/** @param {Source} source @param {string[]} vkeys @param {(line: Line) => void} report */
async function checkTrail(source, vkeys, report) {
  const folder = await mkdtemp(join(tmpdir(), 'attest-verify-'))
  try {
    const copy = join(folder, 'trail.zip')
    await pipeline(Readable.from(source.bytes(trailName)), createWriteStream(copy, { flags: 'wx', mode: 0o600 }))
    const { lines } = await verifyBundle(copy, { vkeys, whole: true })
    for (const { status, text } of lines) report({ status, text: `audit trail: ${text}` })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Those that are valid are counted, because there may be many. @param {Source} source @param {string[]} keys @param {(line: Line) => void} report */
async function checkSignatures(source, keys, report) {
  if (keys.length === 0) throw new Unable('No key of the signatures was given, so their seals were not checked: --key')
  let valid = 0
  for await (const line of createInterface({ input: Readable.from(source.bytes(signaturesName)) })) {
    if (line === '') continue
    for (const each of verifySignatures(line, { keys }).lines)
      if (each.status === 'ok') valid += 1
      else report(each)
  }
  report({ status: 'ok', text: `${valid} signatures: sealed, each over its content` })
}

const usage = 'node attest-export-verify.mjs FOLDER-OR-ZIP --vkey KEY [--vkey KEY] --key KEY [--key KEY]'
const words = { ok: 'ok    ', failed: 'FAILED', unable: '??    ' }

/** @param {string[]} args */
async function main(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { vkey: { type: 'string', multiple: true }, key: { type: 'string', multiple: true } },
    })
    const [path, ...more] = positionals
    if (!path || more.length > 0) throw new Unable('One export is checked at a time')
    const { exit, lines } = await verifyExport(path, { vkeys: values.vkey ?? [], keys: values.key ?? [] })
    // Text from a hostile export must not move the cursor.
    for (const { status, text } of lines)
      console.log(`${words[status]}  ${text.replace(/[^\x20-\x7e\u00a1-\uffff]/g, '?')}`)
    console.log(['VALID', 'NOT VALID', 'COULD NOT BE CHECKED'][exit])
    return exit
  } catch (error) {
    console.error(`${/** @type {Error} */ (error).message}\n${usage}`)
    return 2
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  // Not waited for at the top level, so that a program can also require() this file.
  void main(process.argv.slice(2)).then(exit => {
    process.exitCode = exit
  })
