import { Type } from 'typebox'
import { command, type PrepareContext, query } from '#action'
import { FileContent } from '#action/file.ts'
import { conflict, gone, notFound } from '#kernel/errors.ts'
import { pageOf, parseSort } from '#kernel/paging.ts'
import { IdParams, Page } from '#kernel/schema.ts'
import { listAdmins, proveIdentity } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { enqueue } from '#platform/jobs/queue.ts'
import { itemOf } from './job.ts'
import { messages } from './messages.ts'
import {
  countExports,
  exportSorts,
  findExport,
  findInProgress,
  findSlug,
  insertExport,
  listDownloads,
  listExports,
  lockExport,
  moveExport,
  type StoredExport,
} from './queries.ts'
import { archiveKey, archiveName, numberOf } from './rules.ts'
import { ExportFilter, ExportRequest, TenantExport, TenantExportDetails } from './schema.ts'

const shown = ({
  step,
  step_done,
  step_total,
  archive_key: _key,
  archive_size,
  archive_sha256,
  ...found
}: StoredExport): TenantExport => ({
  ...found,
  progress: found.status === 'in_progress' && step !== null ? { step, done: step_done, total: step_total } : null,
  bytes: archive_size,
  sha256: archive_sha256,
})

async function requireExport(tx: Tx, id: number): Promise<StoredExport> {
  const found = await findExport(tx, id)
  if (!found) throw notFound('Export')
  return found
}

export const list = query({
  summary: 'List exports of everything',
  permission: 'tenant.export',
  input: { query: ExportFilter },
  response: Page(TenantExport),
  async run({ tx }, { query }) {
    const sort = parseSort(query.sort, exportSorts, { field: 'id', direction: 'desc' })
    return pageOf(
      query,
      async (limit, offset) => (await listExports(tx, query, sort, limit, offset)).map(shown),
      () => countExports(tx, query),
    )
  },
})

export const details = query({
  summary: 'Read an export of everything',
  permission: 'tenant.export',
  input: { params: IdParams },
  response: TenantExportDetails,
  isPolled: true,
  run: async ({ tx }, { params }) => ({
    ...shown(await requireExport(tx, params.id)),
    downloads: await listDownloads(tx, params.id),
  }),
})

async function refuseSecond(tx: Tx) {
  if (await findInProgress(tx)) throw conflict(messages.export_in_progress())
}

export const request = command({
  summary: 'Request an export of everything',
  description:
    'Needs a proof of identity as for a signature: `password` (and `otp`), or a fresh log-in. One at a time. The archive is made in the background, and every Admin is notified at once. It can be downloaded for seven days after it is complete.',
  permission: 'tenant.export',
  isCostly: true,
  input: { body: ExportRequest },
  response: TenantExport,
  async prepare(context: PrepareContext, { body }) {
    await context.read(refuseSecond)
    return proveIdentity(context, body)
  },
  async run({ tx, actor, record, prepared: proof }, { body: { reason } }) {
    await refuseSecond(tx)
    const { id } = await insertExport(tx, { reason, archive_key: archiveKey(actor.tenantId) })
    record('tenant_export.requested', id, {
      number: numberOf(id),
      after: { status: 'in_progress', proved_by: proof.method },
      reason,
      notify: await listAdmins(tx),
    })
    await enqueue(tx, 'exports', [itemOf({ tenant_id: actor.tenantId, id })])
    return shown(await requireExport(tx, id))
  },
})

/**
 * An archive may have a hundred gigabytes, and is downloaded in parts over hours: a process reads it once a day before it sends a part. A whole
 * download is hashed while it is sent, whatever was read before.
 */
const archiveVerifiedForMs = 24 * 60 * 60 * 1000

/** The archive, or the refusal that says why there is none. */
async function requireArchive(tx: Tx, id: number, now: Date) {
  const found = await requireExport(tx, id)
  const { status, archive_key: key, archive_size, archive_sha256, snapshot_at, expires_at } = found
  if (status === 'in_progress') throw conflict(messages.export_not_ready())
  if (status === 'failed') throw conflict(messages.export_failed())
  // The schedule that removes it comes within the hour.
  if (status !== 'ready' || Date.parse(expires_at!) <= now.getTime()) throw gone(messages.export_gone())
  const file = {
    key,
    name: archiveName(await findSlug(tx), snapshot_at!),
    content_type: 'application/zip',
    size_bytes: archive_size!,
    sha256: archive_sha256!,
    verified_for_ms: archiveVerifiedForMs,
  }
  return {
    file,
    entry: { event: 'tenant_export.downloaded', id, number: numberOf(id), after: { sha256: file.sha256 } } as const,
  }
}

export const download = command({
  summary: 'Download the archive of an export',
  description:
    'The whole zip, or a part of it by `Range`. Each request is an entry of the audit trail, and every Admin is notified. 410 once it was removed, seven days after it was complete or before.',
  permission: 'tenant.export',
  input: { params: IdParams },
  response: FileContent,
  async prepare({ read, services, verifyBeforeSend }, { params: { id } }) {
    const { file, entry } = await read(tx => requireArchive(tx, id, services.clock.now()))
    // After a restore, the row is there and the archive is not: it is in no backup.
    if (!(await services.storage.stat(file.key))) throw gone(messages.export_gone())
    await verifyBeforeSend(file, entry)
  },
  async run({ tx, services, record }, { params: { id } }) {
    const { file, entry } = await requireArchive(tx, id, services.clock.now())
    record(entry.event, id, { ...entry, notify: await listAdmins(tx) })
    return file
  },
})

export const remove = command({
  summary: 'Delete an export',
  description:
    'Stops one that is being made, or removes its archive at once. That it was made and downloaded stays on record.',
  permission: 'tenant.export',
  input: { params: IdParams },
  response: Type.Null(),
  async run({ tx, services, record, afterCommit }, { params: { id } }) {
    await lockExport(tx, id)
    const { status, archive_key, requested_by } = await requireExport(tx, id)
    if (status !== 'in_progress' && status !== 'ready') throw conflict(messages.export_ended())
    await moveExport(tx, id, status, { status: 'deleted' })
    record('tenant_export.deleted', id, {
      number: numberOf(id),
      before: { status },
      after: { status: 'deleted' },
      notify: [requested_by.id],
    })
    // A process that is killed before this leaves the archive to the schedule.
    afterCommit(() => {
      services.storage.erase(archive_key).catch((error: Error) => {
        services.log.child({ logger: 'attest.exports' }).warn(`${archive_key} is removed later: ${error.message}`)
      })
    })
    return null
  },
})
