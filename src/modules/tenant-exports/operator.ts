import type { Origin, Services } from '#action'
import { listAdmins, systemActor } from '#modules/accounts'
import { folderSink } from './archive.ts'
import { trackProgress } from './content/progress.ts'
import { type Written, writeArchive } from './content/write.ts'
import { reasons } from './messages.ts'

const origin: Origin = { requestId: '', clientAddr: '' }

/** Writes everything of a tenant into an empty folder, for an operator. It is in the tenant's trail before the first byte. */
export async function writeFolder(
  services: Services,
  tenantId: number,
  { folder, reason, signal }: { folder: string; reason: string | undefined; signal: AbortSignal },
): Promise<Written> {
  const system = systemActor(tenantId)
  const said = reason ?? reasons.reason_export_by_operator().text
  const at = services.clock.now().toISOString()
  await services.runner.inSeparateTransaction(system, origin, async ({ tx, record }) =>
    record('tenant_export.requested', null, {
      after: { by: 'operator' },
      reason: said,
      notify: await listAdmins(tx),
    }),
  )
  const written = await writeArchive({
    ...{ services, actor: system, sink: folderSink(folder), track: trackProgress(signal) },
    requested: { by: 'an operator of the installation', reason: said, at },
  })
  await services.runner.inSeparateTransaction(system, origin, async ({ record }) =>
    record('tenant_export.completed', null, {
      after: { by: 'operator', snapshot_at: written.snapshot_at, manifest_sha256: written.manifest_sha256 },
    }),
  )
  return written
}
