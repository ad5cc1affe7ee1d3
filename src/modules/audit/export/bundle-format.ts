import { createHash } from 'node:crypto'
import type { SigningKey } from '#platform/crypto/signing-key.ts'
import type { Hash } from '../log/merkle.ts'
import { bundleReadme } from './bundle-readme.ts'

/** A part of an entry that can be redacted. With salt and opening a verifier checks the commitment in the leaf. */
export interface Opening {
  /** Hexadecimal. */
  salt: string
  opening: string
}

export interface BundleEntry {
  seq: number
  epoch: number
  leaf_index: number
  /** The bytes that were hashed. */
  leaf: string
  /** Null where it was redacted. */
  person: Opening | null
  detail: Opening | null
}

export interface BundleRedaction {
  seq: number
  part: 'person' | 'detail'
  redacted_at: string
  reason: string
}

/** The tree of an epoch, with its checkpoint. An epoch without entries has none. */
export interface BundleCheckpoint {
  epoch: number
  origin: string
  size: number
  first_seq: number
  note: string
}

export interface Bundle {
  tenant: { id: number; name: string }
  log_id: string
  /** Null if the bundle has the whole log up to its checkpoints. */
  filter: object | null
  generated_at: string
  generated_by: string
  /** From the oldest epoch on. A filtered bundle has the trees of its entries, and always the newest. */
  checkpoints: readonly BundleCheckpoint[]
  /** The keys of the checkpoints, for information only: a forged bundle would contain forged keys. */
  vkeys: readonly string[]
  /** Signs the manifest in the name of the newest origin. */
  sign(text: string): string
  /** The entries in the order of `seq`. Several files read them, so each call must answer the same. */
  entries(): AsyncIterable<readonly BundleEntry[]>
  redactions(): AsyncIterable<readonly BundleRedaction[]>
  /** The inclusion proofs of these entries, for a filtered bundle. */
  proofs?(entries: readonly BundleEntry[]): Promise<readonly (readonly Hash[])[]>
}

/** The files must be read in this order, because the manifest has the hashes of the others. */
interface BundleFile {
  name: string
  open(): AsyncIterable<string>
}

const bundleFormat = 'attest-audit-bundle/1'

export function bundleFiles(bundle: Bundle): BundleFile[] {
  const isWhole = bundle.filter === null
  const { checkpoints, proofs } = bundle
  const found = { count: 0, first_seq: null as number | null, last_seq: null as number | null }
  const files: { name: string; size: number; sha256: string }[] = []
  let manifest = ''

  const lines = (name: string, each: (page: readonly BundleEntry[]) => object[] | Promise<object[]>): BundleFile => ({
    name,
    async *open() {
      for await (const page of bundle.entries()) yield linesOf(await each(page))
    },
  })
  const listed: BundleFile[] = [
    text('README.txt', bundleReadme),
    text('keys.txt', bundle.vkeys.map(each => `${each}\n`).join('')),
    ...checkpoints.map(({ epoch, note }) => text(`checkpoint-e${epoch}.txt`, note)),
    lines('entries.jsonl', page => {
      found.count += page.length
      found.first_seq ??= page[0]?.seq ?? null
      found.last_seq = page.at(-1)?.seq ?? found.last_seq
      return page.map(({ seq, epoch, leaf_index, leaf }) => ({ seq, epoch, index: leaf_index, leaf }))
    }),
    lines('details.jsonl', page =>
      page.map(({ seq, person, detail }) => ({ seq, person: openingOf(person), detail: openingOf(detail) })),
    ),
    ...(isWhole
      ? []
      : [
          lines('proofs.jsonl', async page => {
            const found = await proofs!(page)
            return page.map(({ seq }, n) => ({ seq, proof: found[n]!.map(hash => hash.toString('base64')) }))
          }),
        ]),
    {
      name: 'redactions.jsonl',
      async *open() {
        for await (const page of bundle.redactions())
          yield linesOf(page.map(({ seq, part, redacted_at, reason }) => ({ seq, part, redacted_at, reason })))
      },
    },
  ]
  const hashed = listed.map(({ name, open }) => ({
    name,
    async *open() {
      const hash = createHash('sha256')
      let size = 0
      for await (const piece of open()) {
        hash.update(piece)
        size += Buffer.byteLength(piece)
        yield piece
      }
      files.push({ name, size, sha256: hash.digest('hex') })
    },
  }))
  return [
    ...hashed,
    {
      name: 'manifest.json',
      async *open() {
        const { tenant, log_id, filter, generated_at, generated_by } = bundle
        const trees = checkpoints.map(({ epoch, origin, size, first_seq }) => ({ epoch, origin, size, first_seq }))
        const said = { format: bundleFormat, tenant, log_id, whole: isWhole, filter, ...found, checkpoints: trees }
        manifest = `${JSON.stringify({ ...said, generated_at, generated_by, files }, null, 2)}\n`
        yield manifest
      },
    },
    {
      name: 'manifest.sig',
      async *open() {
        yield bundle.sign(manifestText(manifest))
      },
    },
  ]
}

/** The text that is signed. Its first line is no origin of a log, so that it cannot be mistaken for a checkpoint. */
const manifestText = (manifest: string) => `${bundleFormat}\n${createHash('sha256').update(manifest).digest('hex')}\n`

/** A signed note (C2SP signed-note) of the manifest; `keyId` belongs to this name and key. */
export const signedManifest = (text: string, name: string, keyId: Buffer, key: SigningKey) =>
  `${text}\n— ${name} ${Buffer.concat([keyId, Buffer.from(key.sign(Buffer.from(text)), 'base64')]).toString('base64')}\n`

const openingOf = (part: Opening | null) => part && { salt: part.salt, opening: part.opening }
const linesOf = (objects: readonly object[]) => objects.map(each => `${JSON.stringify(each)}\n`).join('')
const text = (name: string, content: string): BundleFile => ({
  name,
  async *open() {
    yield content
  },
})
