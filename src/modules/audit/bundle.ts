import { createHash } from 'node:crypto'
import type { SigningKey } from '#platform/crypto/signing-key.ts'
import { bundleReadme } from './bundle-readme.ts'
import type { Hash } from './merkle.ts'

/** What of an entry is apart from its leaf, to be redacted: who has salt and opening can check the commitment in the leaf. */
export interface Opening {
  /** Hexadecimal. */
  salt: string
  opening: string
}

export interface BundleEntry {
  seq: number
  epoch: number
  leaf_index: number
  /** As it was hashed, byte for byte. */
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

/** The tree of an epoch that the bundle is checked against. An epoch without a leaf has none. */
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
  /** Null where the bundle is the whole log up to its checkpoints. */
  filter: object | null
  generated_at: string
  generated_by: string
  /** The oldest epoch first. Of a filtered bundle those of the epochs that its entries are in, and the newest in any case. */
  checkpoints: readonly BundleCheckpoint[]
  /** What verifies the checkpoints: for information, because who makes a bundle up makes this up too. */
  vkeys: readonly string[]
  /** Signs the manifest in the name of the newest origin. */
  sign(text: string): string
  /** In the order of `seq`, the same each time: each file that tells of them reads them anew. */
  entries(): AsyncIterable<readonly BundleEntry[]>
  redactions(): AsyncIterable<readonly BundleRedaction[]>
  /** Of a filtered bundle: the inclusion proof of each of these in the checkpoint of its epoch. */
  proofs?(entries: readonly BundleEntry[]): Promise<readonly (readonly Hash[])[]>
}

/** To be read one after the other, in this order: the manifest says what the others hashed to. */
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

/** What is signed of a bundle. Its first line is no origin of a log, so that it is never taken for a checkpoint. */
const manifestText = (manifest: string) => `${bundleFormat}\n${createHash('sha256').update(manifest).digest('hex')}\n`

/** A signed note (C2SP signed-note) of the manifest. `keyId`: of this name and key. */
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
