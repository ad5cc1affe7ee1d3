import { allTenants } from '#modules/accounts'
import { listOwnAuditKeys } from '#modules/audit'
import { listSigningKeys } from '#modules/signatures'
import type { Database } from '#platform/db/database.ts'
import { readInstallation, sampleFiles, tablesThere } from './queries.ts'
import type { Records } from './rules.ts'

export { insertInstallation, lockInstallation, readInstallation } from './queries.ts'
export { outdatedKeys, type Problem, problemsOf, type Records, type Surroundings } from './rules.ts'

const nobody = { tenantId: null, userId: null }
const maxFiles = 20
const filesPerTenant = 3
const tables = [
  'installation',
  'signing_keys',
  'audit_keys',
  'document_versions',
  'attachments',
  'file_removals',
  'tenants',
]

/** An installation before its first start. */
export const noRecords: Records = { installation: undefined, keys: { signature: [], audit: [] }, files: [] }

/** Reads the installation's identity, keys and some file keys. Works before the latest migrations are applied, too. */
export async function readRecords(database: Database): Promise<Records> {
  const there = await database.transaction(nobody, 'read only', tx => tablesThere(tx, tables))
  const records = await database.transaction(nobody, 'read only', async tx => ({
    installation: there.has('installation') ? await readInstallation(tx) : undefined,
    keys: {
      signature: there.has('signing_keys') ? await listSigningKeys(tx) : [],
      audit: there.has('audit_keys') ? await listOwnAuditKeys(tx) : [],
    },
  }))
  if (records.installation || !there.has('tenants')) return { ...records, files: [] }
  return { ...records, files: await sample(database, there) }
}

async function sample(database: Database, there: ReadonlySet<string>): Promise<string[]> {
  const files: string[] = []
  for (const tenantId of await allTenants(database)) {
    if (files.length >= maxFiles) break
    files.push(
      ...(await database.transaction({ tenantId, userId: null }, 'read only', tx =>
        sampleFiles(tx, there, filesPerTenant),
      )),
    )
  }
  return files.slice(0, maxFiles)
}
