import { existsSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { findTenant } from '#modules/accounts'
import { writeFolder } from '#modules/tenant-exports'
import { makeFolder } from '#platform/files/disk.ts'
import { type Command, Refusal, readOptions, required, say } from './command.ts'
import { lines } from './messages.ts'
import { withService } from './start.ts'

export const tenantExport: Command = {
  options: {
    '--tenant S': "the tenant's slug; needed if there are several tenants",
    '--to FOLDER': 'a folder that is empty or not there yet',
    '--reason R': "why; it stands in the tenant's audit trail",
  },
  async run(args, env) {
    const options = readOptions(args, {
      tenant: { type: 'string' },
      to: { type: 'string' },
      reason: { type: 'string' },
    })
    const folder = resolve(required('to', options.to))
    if (existsSync(folder) && (await readdir(folder)).length > 0)
      throw new Refusal(lines.tenant_export_folder_used({ folder }))
    await withService(env, lines.service_running, async services => {
      const tenant = await findTenant(services.database, options.tenant)
      if (!tenant)
        throw new Refusal(
          options.tenant ? lines.tenant_unknown({ slug: options.tenant }) : lines.tenant_option_needed(),
        )
      await makeFolder(folder)
      const { signal } = new AbortController()
      const { contents, manifest_sha256, snapshot_at } = await writeFolder(services, tenant.id, {
        ...{ folder, reason: options.reason, signal },
      }).catch(async error => {
        // The folder was empty: an export that is not whole is none.
        for (const name of await readdir(folder)) await rm(join(folder, name), { recursive: true, force: true })
        throw error
      })
      const records = Object.values(contents.records).reduce((sum, count) => sum + count, 0)
      const { files, signatures } = contents
      say(lines.tenant_exported({ folder, tenant: tenant.name, records, files, signatures, snapshot_at }))
      say(lines.tenant_export_digest({ digest: manifest_sha256 }))
      if (contents.files_missing > 0) say(lines.tenant_export_files_missing({ count: contents.files_missing }))
    })
    return 0
  },
}
