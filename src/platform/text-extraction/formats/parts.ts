import { posix } from 'node:path'
import { type Entry, fromFdPromise, type ZipFile } from 'yauzl'
import { reasons, Unreadable } from '../writer.ts'
import { readXml, type XmlHandler } from './xml.ts'

const maxEntries = 20_000
/** The limit over all parts that are read, counting repeated reads. */
const maxInflatedBytes = 256 * 1024 * 1024

export interface Relation {
  /** The last word of its type, such as `slide`. */
  kind: string
  /** The path of its target part. */
  target: string
}

/** The parts of an Office or OpenDocument file, which is a ZIP archive. */
export interface Parts {
  has(name: string): boolean
  /** Does nothing if there is no such part. */
  xml(name: string, handler: XmlHandler): Promise<void>
  /** The relations of a part by their id, from the file beside it. */
  relations(name: string): Promise<Map<string, Relation>>
}

export async function openParts(file: number): Promise<Parts> {
  const zip = await fromFdPromise(file, { autoClose: false })
  const entries = await listEntries(zip)
  let left = maxInflatedBytes

  async function* content(entry: Entry): AsyncGenerator<Buffer> {
    if (entry.isEncrypted()) throw new Unreadable(reasons.locked)
    for await (const piece of (await zip.openReadStreamPromise(entry)) as AsyncIterable<Buffer>) {
      left -= piece.length
      if (left < 0) throw new Unreadable(reasons.inflated)
      yield piece
    }
  }

  const xml = async (name: string, handler: XmlHandler) => {
    const entry = entries.get(name.toLowerCase())
    if (entry) await readXml(content(entry), handler)
  }

  async function relations(name: string) {
    const folder = posix.dirname(name)
    const found = new Map<string, Relation>()
    await xml(posix.join(folder, '_rels', `${posix.basename(name)}.rels`), {
      open(tag, { Id = '', Type = '', Target = '', TargetMode }) {
        if (tag !== 'Relationship' || TargetMode === 'External') return
        const target = Target.startsWith('/') ? Target.slice(1) : posix.join(folder, Target)
        found.set(Id, { kind: posix.basename(Type), target })
      },
    })
    return found
  }

  return { has: name => entries.has(name.toLowerCase()), xml, relations }
}

async function listEntries(zip: ZipFile): Promise<Map<string, Entry>> {
  if (zip.entryCount > maxEntries) throw new Unreadable('it has more parts than are read')
  const entries = new Map<string, Entry>()
  for await (const entry of { [Symbol.asyncIterator]: () => zip.eachEntry() })
    entries.set(entry.fileName.toLowerCase(), entry)
  return entries
}

/** The main part of an Office file. */
export async function mainPart(parts: Parts): Promise<string> {
  const relations = await parts.relations('')
  const main = [...relations.values()].find(({ kind }) => kind === 'officeDocument')?.target
  if (!main || !parts.has(main)) throw new Unreadable(reasons.damaged)
  return main
}
