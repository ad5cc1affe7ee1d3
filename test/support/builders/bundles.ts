// Exports of a made-up audit trail, in as many epochs as a test wants, and what may happen to one.
import { createHash, createPrivateKey, randomBytes, randomUUID, sign } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import yazl from 'yazl'
import type { SigningKey } from '#platform/crypto/signing-key.ts'
import {
  type Bundle,
  type BundleEntry,
  bundleFiles,
  signedManifest,
} from '../../../src/modules/audit/export/bundle-format.ts'
import { Frontier, inclusionPlaces, leafHash, proofOf } from '../../../src/modules/audit/log/merkle.ts'
import { keyId, originOf, signNote, verifierKey } from '../../../src/modules/audit/log/note.ts'
import { numbersFrom } from '../world/chance.ts'

/** The key of the design's known answers: for tests alone. */
const seed = Buffer.alloc(32, 1)
const privateKey = createPrivateKey({
  key: Buffer.concat([Buffer.from('302e020100300506032b657004220420', 'hex'), seed]),
  format: 'der',
  type: 'pkcs8',
})
export const public_key = 'iojj3XQJ8ZX9UtstPLpdcspnCb8dlBIb83SIAbQPb1w='
const key: SigningKey = {
  key_id: 'test',
  public_key,
  sign: bytes => sign(null, bytes, privateKey).toString('base64'),
}

const commitment = (salt: Buffer, opening: string) =>
  `sha256:${createHash('sha256').update('eqms/v1/redactable\0').update(salt).update(opening).digest('hex')}`

export type Files = Map<string, Buffer>

/** `parts` asks for every third entry alone; `redacted` for seqs without their person. */
export async function makeBundle({
  sizes = [9],
  parts = false,
  redacted = [] as number[],
  log_id = randomUUID() as string,
} = {}) {
  const entries: BundleEntry[] = []
  const checkpoints: Bundle['checkpoints'][number][] = []
  const trees = new Map<number, { tree: Frontier; places: Map<string, Buffer> }>()
  const kept: string[] = []
  for (const [n, size] of sizes.entries()) {
    const epoch = n + 1
    const origin = originOf(log_id, epoch)
    const [tree, places] = [new Frontier(), new Map<string, Buffer>()]
    trees.set(epoch, { tree, places })
    const first_seq = entries.length + 1
    let note = ''
    for (let index = 0; index < size; index++) {
      const seq = first_seq + index
      const [personSalt, detailSalt] = [randomBytes(16), randomBytes(16)]
      const person = JSON.stringify({ client_addr: '127.0.0.1', role: 'QA', username: `petra ${seq} ü€𐍈"` })
      const detail = JSON.stringify({ changes: { title: { from: null, to: `t${seq}` } }, number: null, reason: null })
      const action = epoch > 1 && index === 0 ? 'audit.epoch_started' : 'document.created'
      const leaf = JSON.stringify({
        ...{ action, actor: '7', actor_commit: commitment(personSalt, person) },
        ...{ detail_commit: commitment(detailSalt, detail), id: String(seq + 100), log: log_id, outcome: 'success' },
        ...{ request_id: 'r', resource: ['document', '5'], tenant: '2', ts: '2026-01-01T00:00:00.000000Z', v: '1' },
      })
      tree.add(leafHash(Buffer.from(leaf)), (place, hash) => places.set(`${place.level}/${place.index}`, hash))
      note = signNote({ origin, size: tree.size, root: tree.root }, [{ name: origin, key }])
      kept.push(note)
      entries.push({
        ...{ seq, epoch, leaf_index: index, leaf },
        person: redacted.includes(seq) ? null : { salt: personSalt.toString('hex'), opening: person },
        detail: { salt: detailSalt.toString('hex'), opening: detail },
      })
    }
    checkpoints.push({ epoch, origin, size, first_seq, note })
  }
  const vkeys = checkpoints.map(({ origin }) => verifierKey(origin, Buffer.from(public_key, 'base64')))
  const chosen = parts ? entries.filter(({ seq }) => seq % 3 === 1) : entries
  const newest = checkpoints.at(-1)!.origin
  const bundle: Bundle = {
    ...{ tenant: { id: 2, name: 'acme' }, log_id, filter: parts ? { action: 'document.created' } : null },
    ...{ generated_at: '2026-01-02T00:00:00.000000Z', generated_by: 'otto', checkpoints, vkeys },
    sign: text => signedManifest(text, newest, keyId(newest, Buffer.from(public_key, 'base64')), key),
    async *entries() {
      for (let from = 0; from < chosen.length; from += 4) yield chosen.slice(from, from + 4)
    },
    async *redactions() {
      const gone = chosen.filter(({ person }) => !person)
      yield gone.map(({ seq }) => ({ seq, part: 'person' as const, redacted_at: '2026-01-02', reason: 'asked for' }))
    },
    proofs: async page =>
      page.map(({ epoch, leaf_index }) => {
        const { tree, places } = trees.get(epoch)!
        return proofOf(inclusionPlaces(leaf_index, tree.size), ({ level, index }) => places.get(`${level}/${index}`)!)
      }),
  }
  const files: Files = new Map()
  for (const file of bundleFiles(bundle)) {
    const pieces: string[] = []
    for await (const piece of file.open()) pieces.push(piece)
    files.set(file.name, Buffer.from(pieces.join('')))
  }
  return { files, vkeys, kept }
}

export type Manifest = Record<string, unknown> & {
  format?: string
  checkpoints: { epoch: number; origin: string; size: number; first_seq: number }[]
  files: { name: string; size: number; sha256: string }[]
}

/** A dishonest export: the manifest of these files, changed, and signed as the true one was. */
export function signedAnew(files: Files, change: (manifest: Manifest) => void = () => {}): Files {
  const manifest: Manifest = JSON.parse(files.get('manifest.json')!.toString())
  const { origin } = manifest.checkpoints.at(-1)!
  const { format } = manifest
  manifest.files = manifest.files.map(({ name }) => {
    const bytes = files.get(name)!
    return { name, size: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
  })
  change(manifest)
  const text = JSON.stringify(manifest)
  const said = `${String(format)}\n${createHash('sha256').update(text).digest('hex')}\n`
  const note = signedManifest(said, origin, keyId(origin, Buffer.from(public_key, 'base64')), key)
  return new Map(files).set('manifest.json', Buffer.from(text)).set('manifest.sig', Buffer.from(note))
}

/** The objects of one of the files, changed. */
export function withLines(
  files: Files,
  name: string,
  change: (objects: Record<string, unknown>[]) => readonly unknown[],
): Files {
  const text = files.get(name)!.toString()
  const objects = text
    .split('\n')
    .slice(0, -1)
    .map(line => JSON.parse(line))
  const lines = change(objects).map(each => `${JSON.stringify(each)}\n`)
  return new Map(files).set(name, Buffer.from(lines.join('')))
}

export async function writeZip(path: string, files: Iterable<readonly [string, Buffer]>, { compress = false } = {}) {
  const zip = new yazl.ZipFile()
  for (const [name, bytes] of files) zip.addBuffer(bytes, name, { compress })
  zip.end()
  await pipeline(zip.outputStream as Readable, createWriteStream(path))
}

const chance = numbersFrom(2026)
const pick = <T>(list: readonly T[]) => list[Math.floor(chance() * list.length)]!

const tamperings: Record<string, (files: Files, name: string) => void> = {
  bit(files, name) {
    const bytes = Buffer.from(files.get(name)!)
    const at = Math.floor(chance() * bytes.length)
    bytes[at]! ^= 1 << Math.floor(chance() * 8)
    files.set(name, bytes)
  },
  removed: (files, name) => void files.delete(name),
  added: files => void files.set('checkpoint-e77.txt', Buffer.from('x\n')),
  cut: (files, name) => void files.set(name, files.get(name)!.subarray(0, -1 - Math.floor(chance() * 20))),
  lineGone: (files, name) => lines(files, name, all => all.toSpliced(Math.floor(chance() * all.length), 1)),
  lineTwice: (files, name) => lines(files, name, all => [pick(all), ...all]),
  swapped: (files, name) => lines(files, name, all => [...all.slice(1), all[0]!]),
}
function lines(files: Files, name: string, change: (all: string[]) => string[]) {
  const all = files.get(name)!.toString().split('\n').slice(0, -1)
  files.set(
    name,
    Buffer.from(
      change(all)
        .map(each => `${each}\n`)
        .join(''),
    ),
  )
}

/** The same files but for one change that chance chose; says which. */
export function tamper(files: Files): { files: Files; what: string } {
  for (;;) {
    const changed: Files = new Map(files)
    const [kind, name] = [pick(Object.keys(tamperings)), pick([...files.keys()])]
    if (files.get(name)!.length === 0 && kind !== 'removed') continue
    tamperings[kind]!(changed, name)
    const isOther = changed.size !== files.size || [...files].some(([each, bytes]) => !changed.get(each)?.equals(bytes))
    if (isOther) return { files: changed, what: `${kind} ${name}` }
  }
}
