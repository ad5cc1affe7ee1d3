import { randomBytes, randomUUID } from 'node:crypto'
import { link, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { makeFolder, missing, sync, writeSynced } from '#platform/files/disk.ts'

/** The SECRET_KEY of a demo without one: made once, and kept beside its data for this user only. */
export async function keptSecretKey(dataDir: string): Promise<string> {
  await makeFolder(dataDir)
  const path = join(dataDir, 'secret-key')
  const kept = await readFile(path, 'utf8').catch(missing)
  if (kept !== undefined) return kept.trim()
  const draft = `${path}.${randomUUID()}.tmp`
  try {
    await writeSynced(draft, `${randomBytes(48).toString('base64')}\n`)
    // A link never replaces the key of another start that was faster.
    await link(draft, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(draft, { force: true })
  }
  await sync(dataDir)
  return (await readFile(path, 'utf8')).trim()
}
