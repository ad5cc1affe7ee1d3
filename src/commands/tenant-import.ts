import { resolve } from 'node:path'
import { readConfig } from '#platform/config.ts'
import { deriveKeys } from '#platform/crypto/secrets.ts'
import { findKeys } from '#platform/crypto/signing-key.ts'
import { readMigrations } from '#platform/db/migrate.ts'
import { openStorage } from '#platform/storage/open.ts'
import { openAsOwner } from './backup/database.ts'
import { appliedMigrations, installationOf } from './backup/tables.ts'
import { type Command, Refusal, readOptions, required, say } from './command.ts'
import { lines as commandLines } from './messages.ts'
import { withService } from './start.ts'
import { storeFailed } from './storage/copy.ts'
import { openArchive } from './tenant-import/archive.ts'
import { bringIn, copyIn, type Installation } from './tenant-import/bring-in.ts'
import { lines } from './tenant-import/messages.ts'

export const tenantImport: Command = {
  options: {
    '--from FOLDER': 'the unpacked export of another installation',
    '--digest HEX': 'the SHA-256 of manifest.json, as the other installation shows it for the export',
    '--check': 'do everything but write: nothing is changed',
  },
  async run(args, env) {
    const options = readOptions(args, {
      from: { type: 'string' },
      digest: { type: 'string' },
      check: { type: 'boolean', default: false },
    })
    const config = readConfig(env)
    const archive = await openArchive(resolve(required('from', options.from)), options.digest)
    const { manifest, digest, list } = archive
    const { slug } = manifest.tenant
    const rows = list.tables.reduce((sum, table) => sum + table.rows, 0)
    const files = manifest.files.filter(({ path }) => path.startsWith('files/')).length
    say(lines.import_checked({ slug, rows, files, snapshot_at: manifest.snapshot_at }))
    // Whoever can sign a manifest with a key of their own can forge all of it: only what came another way says whose it is.
    if (!options.check && options.digest === undefined) throw new Refusal(lines.import_digest_needed({ found: digest }))

    // As a start does: applies migrations, and makes what an installation is known by where it is the first.
    const started: Installation | undefined = options.check
      ? undefined
      : await withService(env, commandLines.service_running, async ({ signingKey, auditKey, keys }) => ({
          ...{ signingKey, auditKey, keys },
        }))
    const database = await openAsOwner(config, { make: false })
    try {
      const { client } = database
      const isReady =
        (await appliedMigrations(client)).length === readMigrations().length && (await installationOf(client))
      if (!isReady) throw new Refusal(lines.import_no_installation())
      const installation = started ?? (await readInstallation(config))
      const stored = await bringIn({ client, archive, ...installation })
      if (options.check) {
        await client.query('rollback')
        say(lines.import_possible())
        return 0
      }
      say(lines.import_files({ files: stored.length }))
      const storage = await openStorage(config)
      try {
        await copyIn(archive, storage, stored).catch(storeFailed(config))
        await client.query('commit')
      } catch (error) {
        say(lines.import_stopped_after_files())
        throw error
      } finally {
        await storage.close?.()
      }
      await client.query('analyze')
    } finally {
      await database.close()
    }
    const users = list.tables.find(({ name }) => name === 'users')!.rows
    say(lines.import_complete({ slug, users }))
    say(lines.import_to_do({ slug }))
    return 0
  },
}

async function readInstallation(config: ReturnType<typeof readConfig>): Promise<Installation> {
  const [signature, audit] = [await findKeys(config.keys, 'signature'), await findKeys(config.keys, 'audit')]
  if (!signature.inUse || !audit.inUse) throw new Refusal(lines.import_no_installation())
  return { signingKey: signature.inUse, auditKey: audit.inUse, keys: deriveKeys(config) }
}
