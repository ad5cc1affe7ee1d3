#!/usr/bin/env node
// @ts-check
// Checks an export of an Attest audit trail against a public key. One file, no dependencies, no code of the service, no network.
//
//   node attest-audit-verify.mjs BUNDLE.zip --vkey KEY [--vkey KEY] [--old CHECKPOINT] [--whole]
//
// Ends with 0 where all of it is valid, 1 where something is not, 2 where it could not be checked.
import { createHash, createPublicKey, verify as verifySignature } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { open, readFile } from 'node:fs/promises'
import { pipeline, Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { crc32, createInflateRaw } from 'node:zlib'

/** The limits for hostile files: a file is refused before it costs more. */
const limits = {
  files: 1_100,
  directory_bytes: 1_000_000,
  /** DEFLATE makes a thousandth of a text of zeros; of a log it makes a tenth. */
  inflated: 200,
  inflated_free_bytes: 1_000_000,
  line_bytes: 16_000_000,
  small_file_bytes: 1_000_000,
  failures: 50,
}
const format = 'attest-audit-bundle/1'
const file_name =
  /^(README\.txt|keys\.txt|manifest\.(json|sig)|(entries|details|proofs|redactions)\.jsonl|checkpoint-e[1-9]\d{0,9}\.txt)$/

/** The input cannot be checked, so it is neither valid nor invalid. */
export class Unable extends Error {}
/** The input is invalid, and nothing after this can be checked. */
export class Invalid extends Error {}

/**
 * @typedef {{ status: 'ok' | 'failed' | 'unable', text: string }} Line
 * @typedef {{ exit: 0 | 1 | 2, lines: Line[] }} Result
 * @typedef {{ name: string, id: Buffer, publicKey: import('node:crypto').KeyObject }} Key
 * @typedef {{ name: string, method: number, crc: number, packed: number, size: number, local: number, start: number, end: number }} Entry
 * @typedef {{ text: string, lines: string[], signatures: { name: string, bytes: Buffer }[] }} Note
 * @typedef {{ epoch: number, origin: string, size: number, root: Buffer, first_seq: number, tree: Tree }} Checkpoint
 * @typedef {{ origin: string, size: number, root: Buffer }} Old
 */

/** @param {Uint8Array[]} parts */
const sha256 = (...parts) => {
  const hash = createHash('sha256')
  for (const each of parts) hash.update(each)
  return hash.digest()
}
const zero = Buffer.from([0])
const one = Buffer.from([1])
/** @param {Buffer} left @param {Buffer} right */
const node = (left, right) => sha256(one, left, right)

/** RFC 6962, leaf by leaf: the roots of the perfect trees so far. */
class Tree {
  size = 0
  /** @type {Buffer[]} */
  #peaks = []
  /** @param {Buffer} hash */
  add(hash) {
    for (let rest = this.size; rest % 2 === 1; rest = (rest - 1) / 2)
      hash = node(/** @type {Buffer} */ (this.#peaks.pop()), hash)
    this.#peaks.push(hash)
    this.size += 1
  }
  root() {
    let hash = this.#peaks.at(-1) ?? sha256()
    for (const left of this.#peaks.slice(0, -1).reverse()) hash = node(left, hash)
    return hash
  }
}

/**
 * RFC 6962, 2.1.1, from the root down: where the leaf is right of the largest power of two below the size, its sibling is the left tree.
 * @param {Buffer} leaf @param {number} index @param {number} size @param {Buffer[]} proof
 * @returns {Buffer | undefined} the root, where the proof has the length that it must have
 */
function rootByProof(leaf, index, size, proof) {
  if (size === 1) return proof.length === 0 ? leaf : undefined
  const last = proof.at(-1)
  if (!last) return undefined
  let half = 1
  while (half * 2 < size) half *= 2
  const rest = proof.slice(0, -1)
  const below = index < half ? rootByProof(leaf, index, half, rest) : rootByProof(leaf, index - half, size - half, rest)
  return below && (index < half ? node(below, last) : node(last, below))
}

/** @param {unknown} text @param {number} length */
function fromBase64(text, length) {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'base64') : undefined
  return bytes?.length === length && bytes.toString('base64') === text ? bytes : undefined
}

/** @param {string} text @returns {Key} */
export function readKey(text) {
  const [, name, hex, base64] = /^([^\s+]+)\+([0-9a-f]{8})\+(\S+)$/.exec(text.trim()) ?? []
  const bytes = fromBase64(base64, 33)
  const id = bytes && sha256(Buffer.from(`${name}\n`), bytes).subarray(0, 4)
  if (!name || bytes?.[0] !== 1 || id?.toString('hex') !== hex)
    throw new Unable(`This is no verifier key of Ed25519: ${text.slice(0, 200)}`)
  const x = bytes.subarray(1).toString('base64url')
  return {
    name,
    id: /** @type {Buffer} */ (id),
    publicKey: createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' }),
  }
}

/** C2SP signed-note. @param {string} note @returns {Note | undefined} */
export function readNote(note) {
  const end = note.lastIndexOf('\n\n')
  if (end < 0 || !note.endsWith('\n') || !note.isWellFormed()) return undefined
  const text = note.slice(0, end + 1)
  const signatures = []
  for (const line of note.slice(end + 2, -1).split('\n')) {
    const [, name, base64] = /^— ([^\s+]+) (\S+)$/.exec(line) ?? []
    const bytes = Buffer.from(base64 ?? '', 'base64')
    if (!name || bytes.length < 5 || bytes.toString('base64') !== base64) return undefined
    signatures.push({ name, bytes })
  }
  return { text, lines: text.split('\n').slice(0, -1), signatures }
}

/** @param {Note} note @param {string} name @param {Key[]} keys @param {string} what */
export function requireSigned(note, name, keys, what) {
  const mine = keys.filter(key => key.name === name)
  if (mine.length === 0) throw new Unable(`${what}: no key of ${name} was given`)
  for (const key of mine)
    for (const each of note.signatures)
      if (each.name === name && each.bytes.length === 68 && each.bytes.subarray(0, 4).equals(key.id))
        if (verifySignature(null, Buffer.from(note.text), key.publicKey, each.bytes.subarray(4))) return
  throw new Invalid(`${what} is not signed by a key that was given for ${name}`)
}

/** C2SP tlog-checkpoint. @param {string} text @returns {{ note: Note, origin: string, size: number, root: Buffer } | undefined} */
function readCheckpoint(text) {
  const note = readNote(text)
  const [origin, size, base64, ...more] = note?.lines ?? []
  const root = fromBase64(base64, 32)
  if (!note || !origin || !/^(0|[1-9]\d{0,15})$/.test(size ?? '') || !root || more.length > 0) return undefined
  return { note, origin, size: Number(size), root }
}

/** @typedef {{ files: number, directory_bytes: number, inflated: number, small_file_bytes: number, isFile(name: string): boolean }} Rules */
/** @type {Rules} */
const ofBundle = { ...limits, isFile: name => file_name.test(name) }

/** The files of a zip, from its directory at the end: nothing is unpacked to a disk, and no name is used as a path. */
export class Zip {
  /** @param {import('node:fs/promises').FileHandle} file @param {Map<string, Entry>} entries @param {Rules} rules */
  constructor(file, entries, rules) {
    this.rules = rules
    this.file = file
    this.entries = entries
    /** The files that were read to their end. @type {Map<string, { sha256: string, size: number }>} */
    this.read = new Map()
  }

  /** @param {string} path @param {Rules} [rules] */
  static async open(path, rules = ofBundle) {
    const file = await open(path).catch(error => {
      throw new Unable(`${path} cannot be read: ${error.message}`)
    })
    try {
      return new Zip(file, await readDirectory(file, rules), rules)
    } catch (error) {
      await file.close()
      throw error
    }
  }

  /** @param {string} name @returns {AsyncGenerator<Buffer>} */
  async *bytes(name) {
    const entry = this.entries.get(name)
    if (!entry) throw new Invalid(`${name} is missing`)
    const hash = createHash('sha256')
    let [size, crc] = [0, 0]
    const packed = Readable.from(this.#packed(entry))
    // Whoever of the two fails or is left ends the other, and `for await` says why.
    const stream = entry.method === 0 ? packed : pipeline(packed, createInflateRaw(), () => {})
    try {
      for await (const chunk of stream) {
        size += chunk.length
        if (size > entry.size) throw new Invalid(`${name} is longer than the zip says`)
        hash.update(chunk)
        crc = crc32(chunk, crc)
        yield chunk
      }
    } catch (error) {
      if (error instanceof Invalid || error instanceof Unable) throw error
      throw new Invalid(`${name} cannot be unpacked`)
    }
    if (size !== entry.size || crc !== entry.crc) throw new Invalid(`${name} is not what the zip says of it`)
    this.read.set(name, { sha256: hash.digest('hex'), size })
  }

  /** @param {Entry} entry @returns {AsyncGenerator<Buffer>} */
  async *#packed({ start, end }) {
    for (let at = start; at < end; at += 65_536) yield await bytesAt(this.file, at, Math.min(65_536, end - at))
  }

  /** @param {string} name */
  async text(name) {
    if ((this.entries.get(name)?.size ?? 0) > this.rules.small_file_bytes) throw new Unable(`${name} is too large`)
    const chunks = []
    for await (const chunk of this.bytes(name)) chunks.push(chunk)
    return utf8(Buffer.concat(chunks), name)
  }

  /** A JSON object a line. @param {string} name @returns {AsyncGenerator<Record<string, unknown>>} */
  async *objects(name) {
    /** @type {Buffer[]} */
    let begun = []
    let [length, number] = [0, 0]
    for await (const chunk of this.bytes(name)) {
      let from = 0
      for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
        yield parseObject(utf8(Buffer.concat([...begun, chunk.subarray(from, end)]), name), `${name}, line ${++number}`)
        begun = []
        length = 0
        from = end + 1
      }
      begun.push(chunk.subarray(from))
      length += chunk.length - from
      if (length > limits.line_bytes) throw new Unable(`${name} has a line of more than ${limits.line_bytes} bytes`)
    }
    if (length > 0) throw new Invalid(`${name} does not end with a line`)
  }
}

/** @param {Buffer} bytes @param {string} where */
function utf8(bytes, where) {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new Invalid(`${where} is not UTF-8`)
  }
}

/** @param {string} text @param {string} where @returns {Record<string, unknown>} */
export function parseObject(text, where) {
  try {
    const value = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {}
  throw new Invalid(`${where} is no JSON object`)
}

/** @param {import('node:fs/promises').FileHandle} file @param {number} at @param {number} length */
async function bytesAt(file, at, length) {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, at)
  if (bytesRead !== length) throw new Unable('This zip is cut off')
  return buffer
}

/** @param {import('node:fs/promises').FileHandle} file @param {Rules} rules */
async function readDirectory(file, rules) {
  const { size: length } = await file.stat()
  const tail = await bytesAt(file, Math.max(0, length - 65_557), Math.min(length, 65_557))
  const end = tail.lastIndexOf(Buffer.from('PK\x05\x06', 'latin1'))
  if (end < 0 || tail.length - end < 22) throw new Unable('This is no zip')
  let [count, size, start] = [tail.readUInt16LE(end + 10), tail.readUInt32LE(end + 12), tail.readUInt32LE(end + 16)]
  if (count === 0xffff || size === 0xffffffff || start === 0xffffffff) {
    const locator = end >= 20 ? tail.subarray(end - 20, end) : Buffer.alloc(20)
    if (locator.readUInt32LE(0) !== 0x07064b50) throw new Unable('This zip has no directory')
    const record = await bytesAt(file, Number(locator.readBigUInt64LE(8)), 56)
    if (record.readUInt32LE(0) !== 0x06064b50) throw new Unable('This zip has no directory')
    count = Number(record.readBigUInt64LE(32))
    size = Number(record.readBigUInt64LE(40))
    start = Number(record.readBigUInt64LE(48))
  }
  if (count > rules.files || size > rules.directory_bytes)
    throw new Unable('This zip has more files than an export has')
  const directory = await bytesAt(file, start, size)
  /** @type {Map<string, Entry>} */
  const entries = new Map()
  let at = 0
  for (let n = 0; n < count; n++) {
    if (at + 46 > size || directory.readUInt32LE(at) !== 0x02014b50)
      throw new Unable('The directory of this zip is damaged')
    const [flags, method, crc] = [
      directory.readUInt16LE(at + 8),
      directory.readUInt16LE(at + 10),
      directory.readUInt32LE(at + 16),
    ]
    const lengths = [28, 30, 32].map(offset => directory.readUInt16LE(at + offset))
    const [nameLength, extraLength, commentLength] = /** @type {[number, number, number]} */ (lengths)
    const name = directory.toString('latin1', at + 46, at + 46 + nameLength)
    const extra = directory.subarray(at + 46 + nameLength, at + 46 + nameLength + extraLength)
    const [packed, unpacked, local] = large(
      extra,
      directory.readUInt32LE(at + 20),
      directory.readUInt32LE(at + 24),
      directory.readUInt32LE(at + 42),
    )
    at += 46 + nameLength + extraLength + commentLength
    if (!rules.isFile(name)) throw new Invalid(`An export has no file ${JSON.stringify(name.slice(0, 100))}`)
    if (entries.has(name)) throw new Invalid(`${name} is there twice`)
    if (flags & 1 || (method !== 0 && method !== 8))
      throw new Unable(`${name} is encrypted or packed in a way that is not known`)
    if (unpacked > limits.inflated_free_bytes + packed * rules.inflated)
      throw new Unable(`${name} would unpack to more than a log does`)
    const header = await bytesAt(file, local, 30)
    if (header.readUInt32LE(0) !== 0x04034b50) throw new Unable('The directory of this zip is damaged')
    const from = local + 30 + header.readUInt16LE(26) + header.readUInt16LE(28)
    if (from + packed > start) throw new Unable('The directory of this zip is damaged')
    entries.set(name, { name, method, crc, packed, size: unpacked, local, start: from, end: from + packed })
  }
  const inOrder = [...entries.values()].sort((a, b) => a.local - b.local)
  inOrder.forEach((entry, n) => {
    if (n > 0 && entry.local < /** @type {Entry} */ (inOrder[n - 1]).end)
      throw new Unable('The files of this zip overlap')
  })
  return entries
}

/** Sizes that do not fit in 32 bits are in an extra field. @param {Buffer} extra @param {number[]} fields */
function large(extra, ...[packed = 0, size = 0, local = 0]) {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== 1) continue
    let next = at + 4
    const end = next + extra.readUInt16LE(at + 2)
    const take = (/** @type {number} */ value) => {
      if (value !== 0xffffffff) return value
      if (next + 8 > Math.min(end, extra.length)) throw new Unable('The directory of this zip is damaged')
      next += 8
      return Number(extra.readBigUInt64LE(next - 8))
    }
    size = take(size)
    packed = take(packed)
    local = take(local)
  }
  return /** @type {const} */ ([packed, size, local])
}

/** @param {unknown} value @returns {value is number} */
const isCount = value => Number.isSafeInteger(value) && /** @type {number} */ (value) >= 0

/**
 * @param {string} path
 * @param {{ vkeys: string[], old?: string | undefined, whole?: boolean | undefined }} options `old`: the text of a checkpoint that was kept
 * @returns {Promise<Result>}
 */
export async function verifyBundle(path, { vkeys, old, whole = false }) {
  /** @type {Line[]} */
  const lines = []
  let failed = 0
  const ok = (/** @type {string} */ text) => lines.push({ status: 'ok', text })
  const fail = (/** @type {string} */ text) => {
    failed += 1
    if (failed <= limits.failures) lines.push({ status: 'failed', text })
  }
  let isUnable = false
  const unable = (/** @type {string} */ text) => {
    isUnable = true
    lines.push({ status: 'unable', text })
  }
  /** @type {Zip | undefined} */
  let zip
  try {
    const keys = vkeys.map(readKey)
    if (keys.length === 0) throw new Unable('No key was given: --vkey')
    const kept = old === undefined ? undefined : readOld(old, keys)
    zip = await Zip.open(path)
    await check(zip, keys, kept, whole, { ok, fail, unable })
  } catch (error) {
    if (error instanceof Unable) unable(error.message)
    else if (error instanceof Invalid) fail(error.message)
    else unable(`It could not be checked: ${/** @type {Error} */ (error).message}`)
  } finally {
    await zip?.file.close()
  }
  if (failed > limits.failures) lines.push({ status: 'failed', text: `and ${failed - limits.failures} more` })
  return { exit: failed > 0 ? 1 : isUnable ? 2 : 0, lines }
}

/** A checkpoint, or the answer of the service that has it as its `note`. @param {string} text @param {Key[]} keys @returns {Old} */
function readOld(text, keys) {
  try {
    if (text.startsWith('{')) text = String(parseObject(text, 'The older checkpoint').note)
    const checkpoint = readCheckpoint(text)
    if (!checkpoint) throw new Unable('The older checkpoint is none')
    requireSigned(checkpoint.note, checkpoint.origin, keys, 'The older checkpoint')
    return checkpoint
  } catch (error) {
    // Its defects say nothing about the export.
    throw new Unable(/** @type {Error} */ (error).message)
  }
}

/**
 * @param {Zip} zip @param {Key[]} keys @param {Old | undefined} old @param {boolean} mustBeWhole
 * @param {Record<'ok' | 'fail' | 'unable', (text: string) => void>} report
 */
async function check(zip, keys, old, mustBeWhole, { ok, fail, unable }) {
  const text = await zip.text('manifest.json')
  const manifest = parseObject(text, 'manifest.json')
  if (typeof manifest.format !== 'string') throw new Invalid('manifest.json does not say its format')
  if (manifest.format !== format) throw new Unable(`This is no export of the format ${format}`)
  const checkpoints = await readCheckpoints(zip, manifest, keys)
  const newest = checkpoints.at(-1)
  if (!newest) throw new Invalid('The export has no checkpoint')
  for (const { origin, size } of checkpoints) ok(`checkpoint of ${origin}: ${size} entries, signed`)

  const signature = readNote(await zip.text('manifest.sig'))
  if (signature?.text !== `${format}\n${sha256(Buffer.from(text)).toString('hex')}\n`)
    throw new Invalid('manifest.sig is not the signature of manifest.json')
  requireSigned(signature, newest.origin, keys, 'manifest.json')
  ok('manifest.json is signed')

  const isWhole = manifest.whole === true
  if (mustBeWhole && !isWhole) fail('This is an export of a part, not of the whole log')
  const entries = await checkEntries(zip, manifest, checkpoints, isWhole, old, fail)
  const { redacted, isOldFound, first, seq, count, found } = entries
  const examined = `${count} entries from ${first} to ${seq}: the leaf of each, and each person and detail that is there`
  if (!found.entry) ok(count === 0 ? '0 entries: there is nothing to check in them' : examined)

  if (isWhole)
    for (const { epoch, size, root, tree } of checkpoints) {
      if (tree.size !== size) fail(`Epoch ${epoch} has ${tree.size} entries, its checkpoint counts ${size}`)
      else if (!tree.root().equals(root))
        fail(`The entries of epoch ${epoch} do not hash to the root of its checkpoint`)
      else ok(`epoch ${epoch}: all of its ${size} entries, without a gap, hash to the signed root`)
    }
  else if (!found.tree) {
    const each = count === 0 ? '' : 'each is in the tree of its checkpoint (inclusion proofs); '
    const whole = 'whether the log has more of them only an export of the whole log shows'
    ok(`${each}the filter is ${JSON.stringify(manifest.filter)}, and ${whole}`)
  }

  if (old && !isOldFound) {
    if (isWhole) fail(`The log does not have the ${old.size} entries of the older checkpoint of ${old.origin}`)
    else unable('An older checkpoint is compared with an export of the whole log alone')
  } else if (old)
    ok(`it goes on from the older checkpoint of ${old.size} entries: none of those was changed or cut off`)

  if (await checkFiles(zip, manifest, fail)) ok(`${zip.entries.size} files are those of the manifest`)
  if (redacted.person + redacted.detail > 0 && !found.redaction)
    ok(`redacted, and listed so: who it was in ${redacted.person} entries, what changed in ${redacted.detail}`)
}

/** @param {Zip} zip @param {Record<string, unknown>} manifest @param {Key[]} keys */
async function readCheckpoints(zip, manifest, keys) {
  const listed = Array.isArray(manifest.checkpoints) ? manifest.checkpoints : []
  if (listed.length > limits.files) throw new Unable('The export has too many checkpoints')
  const log = /** @type {string} */ (manifest.log_id)
  /** @type {Checkpoint[]} */
  const checkpoints = []
  for (const { epoch, origin, size, first_seq } of listed) {
    const name = `checkpoint-e${epoch}.txt`
    const found = readCheckpoint(await zip.text(name))
    if (!found) throw new Invalid(`${name} is no checkpoint`)
    if (found.origin !== origin || origin !== `attest/t/${log}/e${epoch}` || found.size !== size || !isCount(first_seq))
      throw new Invalid(`${name} is not the one of the manifest`)
    requireSigned(found.note, origin, keys, name)
    const before = checkpoints.at(-1)
    if (before && (before.epoch >= epoch || before.first_seq + before.size > first_seq))
      throw new Invalid(`${name} does not come behind the one before`)
    checkpoints.push({ epoch, origin, size, first_seq, root: found.root, tree: new Tree() })
  }
  return checkpoints
}

/**
 * @param {Zip} zip @param {Record<string, unknown>} manifest @param {Checkpoint[]} checkpoints @param {boolean} isWhole
 * @param {Old | undefined} old @param {(text: string) => void} report
 */
async function checkEntries(zip, manifest, checkpoints, isWhole, old, report) {
  /** The checks that found a failure, so that none of them is reported as passed. */
  const found = { entry: false, tree: false, redaction: false }
  const fail = (/** @type {string} */ text, /** @type {keyof typeof found} */ check = 'entry') => {
    found[check] = true
    report(text)
  }
  const details = zip.objects('details.jsonl')
  const proofs = isWhole ? undefined : zip.objects('proofs.jsonl')
  const redactions = zip.objects('redactions.jsonl')
  let redaction = await redactions.next()
  const redacted = { person: 0, detail: 0 }
  /** @type {{ seq: number | null, count: number, first: number | null }} */
  const last = { seq: null, count: 0, first: null }
  let isOldFound = false
  for await (const { seq, epoch, index, leaf } of zip.objects('entries.jsonl')) {
    const checkpoint = checkpoints.find(each => each.epoch === epoch)
    if (!isCount(seq) || seq <= (last.seq ?? 0) || !isCount(index) || typeof leaf !== 'string' || !leaf.isWellFormed())
      throw new Invalid(`entries.jsonl: the line behind ${last.seq ?? 'the beginning'} is no entry that follows`)
    if (isWhole && seq !== (last.seq ?? 0) + 1) fail(`Entry ${seq} follows ${last.seq ?? 0}: those between are missing`)
    if (!checkpoint || index >= checkpoint.size || seq !== checkpoint.first_seq + index)
      throw new Invalid(`Entry ${seq} has no place in a checkpoint`)
    last.first ??= seq
    last.seq = seq
    last.count += 1

    const said = parseObject(leaf, `The leaf of entry ${seq}`)
    if (
      said.v !== '1' ||
      said.log !== manifest.log_id ||
      said.tenant !== String(/** @type {any} */ (manifest.tenant)?.id)
    )
      fail(`Entry ${seq} is not of this log`)
    const hash = sha256(zero, Buffer.from(leaf))
    if (isWhole) {
      checkpoint.tree.add(hash)
      if (old?.origin === checkpoint.origin && old.size === checkpoint.tree.size) {
        isOldFound = checkpoint.tree.root().equals(old.root)
        if (!isOldFound)
          fail(`The first ${old.size} entries of epoch ${checkpoint.epoch} are not those of the older checkpoint`)
      }
      if (checkpoint.epoch > 1 && index === 0 && said.action !== 'audit.epoch_started')
        fail(`Epoch ${checkpoint.epoch} does not begin with saying why`)
    } else {
      const { value } = await /** @type {NonNullable<typeof proofs>} */ (proofs).next()
      const proof = Array.isArray(value?.proof)
        ? value.proof.map((/** @type {unknown} */ each) => fromBase64(each, 32))
        : []
      if (value?.seq !== seq || proof.length > 53 || proof.includes(undefined))
        throw new Invalid(`Entry ${seq} has no proof`)
      if (!rootByProof(hash, index, checkpoint.size, proof)?.equals(checkpoint.root))
        fail(`Entry ${seq} is not in the log`, 'tree')
    }

    const { value: detail } = await details.next()
    if (detail?.seq !== seq) throw new Invalid(`details.jsonl has nothing of entry ${seq}`)
    const listed = new Set()
    for (; !redaction.done && redaction.value.seq === seq; redaction = await redactions.next()) {
      const { part } = redaction.value
      if (listed.has(part)) fail(`Entry ${seq}: its ${String(part)} is listed twice as redacted`, 'redaction')
      listed.add(part)
    }
    for (const [part, commitment] of /** @type {const} */ ([
      ['person', said.actor_commit],
      ['detail', said.detail_commit],
    ])) {
      const opened = detail[part]
      if (opened === null) {
        redacted[part] += 1
        if (!listed.delete(part)) fail(`Entry ${seq}: its ${part} is missing, and was not redacted`, 'redaction')
      } else if (!isOpening(opened, commitment)) fail(`Entry ${seq}: its ${part} is not what was recorded`)
    }
    if (listed.size > 0) fail(`Entry ${seq}: what is said to be redacted is there`, 'redaction')
  }
  for (const rest of [details, redactions, proofs])
    if (rest && !(rest === redactions ? redaction : await rest.next()).done)
      fail('There are details, redactions or proofs of entries that are not there')
  if (last.count !== manifest.count || last.first !== manifest.first_seq || last.seq !== manifest.last_seq)
    fail(`There are ${last.count} entries from ${last.first} to ${last.seq}; the manifest says otherwise`)
  return { ...last, redacted, isOldFound, found }
}

/** @param {unknown} part @param {unknown} commitment */
function isOpening(part, commitment) {
  const { salt, opening } = /** @type {Record<string, unknown>} */ (part ?? {})
  if (
    typeof salt !== 'string' ||
    !/^[0-9a-f]{32}$/.test(salt) ||
    typeof opening !== 'string' ||
    !opening.isWellFormed()
  )
    return false
  const hash = sha256(Buffer.from('eqms/v1/redactable\0'), Buffer.from(salt, 'hex'), Buffer.from(opening))
  return commitment === `sha256:${hash.toString('hex')}`
}

/** @param {Zip} zip @param {Record<string, unknown>} manifest @param {(text: string) => void} fail */
async function checkFiles(zip, manifest, fail) {
  const files = Array.isArray(manifest.files) ? manifest.files : []
  let areThose = true
  const wrong = (/** @type {string} */ text) => {
    areThose = false
    fail(text)
  }
  const names = new Set(['manifest.json', 'manifest.sig'])
  for (const { name, size, sha256: hash } of files) {
    names.add(name)
    if (!zip.read.has(name)) await zip.text(name)
    const found = zip.read.get(name)
    if (found?.sha256 !== hash || found?.size !== size) wrong(`${name} is not the file of the manifest`)
  }
  for (const name of zip.entries.keys()) if (!names.has(name)) wrong(`The manifest has no file ${name}`)
  return areThose
}

const usage = 'node attest-audit-verify.mjs BUNDLE.zip --vkey KEY [--vkey KEY] [--old CHECKPOINT-FILE] [--whole]'
const words = { ok: 'ok    ', failed: 'FAILED', unable: '??    ' }

/** @param {string[]} args */
async function main(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { vkey: { type: 'string', multiple: true }, old: { type: 'string' }, whole: { type: 'boolean' } },
    })
    const [path, ...more] = positionals
    if (!path || more.length > 0) throw new Unable('One export is checked at a time')
    const old = values.old === undefined ? undefined : await readFile(values.old, 'utf8')
    const { exit, lines } = await verifyBundle(path, { vkeys: values.vkey ?? [], old, whole: values.whole })
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
