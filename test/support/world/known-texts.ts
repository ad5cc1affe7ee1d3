// The texts of files, read once for a whole run: most tests upload the same few, and a process of its own reads each.
import { createHash, randomUUID } from 'node:crypto'
import { mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Extraction, extractor_version, type TextExtractor } from '#platform/text-extraction/index.ts'

/** As `works`, which reads what nobody in this run has read before: the same bytes say the same. */
export function knowTexts(works: TextExtractor, folder = process.env.TEST_TEXTS): TextExtractor {
  if (!folder) return works
  mkdirSync(folder, { recursive: true })
  return {
    ...works,
    async extract(file, signal) {
      const digest = createHash('sha256').update(await readFile(file.path))
      const known = join(folder, `${digest.digest('hex')}-${file.ending}-${extractor_version}`)
      const text = await readFile(known, 'utf8').catch(() => undefined)
      if (text !== undefined) return JSON.parse(text) as Extraction
      const extraction = await works.extract(file, signal)
      // Others look for it at any moment: whole or not there.
      const draft = `${known}-${randomUUID()}`
      writeFileSync(draft, JSON.stringify(extraction))
      renameSync(draft, known)
      return extraction
    },
  }
}
