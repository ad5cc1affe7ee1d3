import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'

/** The list of checksums as `sha256sum` writes and checks it. */
export const checksums = 'SHA256SUMS'

/** Why a folder holds no model that can be installed. */
export class NoModel extends Error {
  readonly why: 'incomplete' | 'checksum' | 'unusable'
  readonly file: string

  constructor(why: NoModel['why'], file: string) {
    super(`${why}: ${file}`)
    this.why = why
    this.file = file
  }
}

export async function hashOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(file), hash)
  return hash.digest('hex')
}

/** Refuses a model whose files are not those of its list of checksums. Without a list there is nothing to compare. */
export async function verifyModel(folder: string): Promise<void> {
  const list = await readFile(join(folder, checksums), 'utf8').catch(() => undefined)
  if (list === undefined) return
  for (const line of list.split('\n').filter(each => each.trim() !== '')) {
    const [, sum, name] = /^([0-9a-f]{64})\s[ *](?:\.\/)?(.+)$/i.exec(line.trim()) ?? []
    if (!sum || !name || name.split('/').includes('..')) throw new NoModel('checksum', checksums)
    if ((await hashOf(join(folder, name)).catch(() => '')) !== sum.toLowerCase()) throw new NoModel('checksum', name)
  }
}
