import { setInterval } from 'node:timers'
import type { Origin, Services } from '#action'
import { systemActor } from '#modules/accounts'
import { forEachTenant, type Job, type Schedule } from '#modules/jobs'
import { isConnectionLost } from '#platform/db/database.ts'
import type { Attempt, QueueItem } from '#platform/jobs/queue.ts'
import { zipSink } from './archive.ts'
import { trackProgress } from './content/progress.ts'
import { writeArchive } from './content/write.ts'
import { reasons } from './messages.ts'
import {
  findExport,
  findInProgress,
  listExpired,
  listRemovedSince,
  moveExport,
  type StoredExport,
  saveProgress,
} from './queries.ts'
import { availableDays, expiryOf, numberOf } from './rules.ts'

interface ExportItem {
  tenant_id: number
  id: number
}

const jobName = 'tenant_exports.make'
const origin: Origin = { requestId: '', clientAddr: '' }
const progressEveryMs = 1_000

export const itemOf = ({ tenant_id, id }: ExportItem): QueueItem => ({
  job: jobName,
  key: `${jobName}/${tenant_id}/${id}`,
  tenant_id,
  data: { tenant_id, id },
})

/** Makes archives, one after the other. A process that is killed leaves nothing behind, and the next one begins anew. */
export const makeExport: Job<ExportItem> = {
  name: jobName,
  queue: 'exports',
  at_once: 1,
  records: 'tenant_exports',
  run: make,
  async find(tx) {
    const found = await findInProgress(tx)
    return found ? [itemOf(found)] : []
  },
}

async function make(services: Services, { tenant_id, id }: ExportItem, attempt: Attempt) {
  const system = systemActor(tenant_id)
  const row = await services.database.transaction(system, 'read only', tx => findExport(tx, id))
  if (row?.status !== 'in_progress') return
  try {
    // The process that stored it was killed before it could say so.
    await services.storage.erase(row.archive_key)
    await makeArchive(services, system, row, attempt.signal)
  } catch (error) {
    if (error instanceof Stopped) return
    if (attempt.signal.aborted) throw attempt.signal.reason
    if (attempt.isLast && !isConnectionLost(error)) await giveUp(services, system, row)
    throw error
  }
}

/** Somebody deleted the export while it was made. */
class Stopped extends Error {}

async function makeArchive(
  services: Services,
  system: ReturnType<typeof systemActor>,
  row: StoredExport,
  signal: AbortSignal,
): Promise<void> {
  const { storage, clock, database } = services
  const { id, archive_key, requested_by, requested_at, reason } = row
  const stopping = new AbortController()
  const track = trackProgress(AbortSignal.any([signal, stopping.signal]))
  // Outside of the transaction of the snapshot, which would refuse another one within it.
  const say = () =>
    database
      .transaction(system, 'read write', tx => saveProgress(tx, id, track.now()))
      .then(
        isThere => {
          if (!isThere) stopping.abort(new Stopped())
        },
        () => {}, // the next one says it
      )
  const timer = setInterval(() => void say(), progressEveryMs)
  const zip = zipSink(clock.now())
  const receiving = storage.receive(zip.output, { max_bytes: Number.POSITIVE_INFINITY })
  receiving.catch(() => {}) // awaited below
  try {
    await say()
    const written = await writeArchive({
      ...{ services, actor: system, sink: zip.sink, track },
      requested: { by: requested_by.full_name ?? requested_by.username, reason, at: requested_at },
    })
    await zip.close()
    const received = await receiving
    await storage.keep(received, archive_key)
    const now = clock.now()
    const isStored = await services.runner.inSeparateTransaction(system, origin, async ({ tx, record }) => {
      const completed = {
        snapshot_at: written.snapshot_at,
        archive_size: received.size_bytes,
        archive_sha256: received.sha256,
        manifest_sha256: written.manifest_sha256,
      }
      const isFirst = await moveExport(tx, id, 'in_progress', {
        ...completed,
        status: 'ready',
        contents: JSON.stringify(written.contents),
        completed_at: now.toISOString(),
        expires_at: expiryOf(now).toISOString(),
      })
      if (isFirst)
        record('tenant_export.completed', id, {
          number: numberOf(id),
          before: { status: 'in_progress' },
          after: { ...completed, status: 'ready', expires_at: expiryOf(now).toISOString() },
          notify: [requested_by.id],
        })
      return isFirst
    })
    if (!isStored) await storage.erase(archive_key)
  } catch (error) {
    zip.fail(error as Error)
    const received = await receiving.catch(() => undefined)
    if (received) await storage.discard(received)
    throw error
  } finally {
    clearInterval(timer)
  }
}

const giveUp = ({ runner }: Services, system: ReturnType<typeof systemActor>, { id, requested_by }: StoredExport) =>
  runner.inSeparateTransaction(system, origin, async ({ tx, record }) => {
    if (!(await moveExport(tx, id, 'in_progress', { status: 'failed' }))) return
    record('tenant_export.failed', id, {
      number: numberOf(id),
      before: { status: 'in_progress' },
      after: { status: 'failed' },
      reason: reasons.reason_export_not_made().text,
      outcome: 'failed',
      notify: [requested_by.id],
    })
  })

const perRound = 100
/** So long after its end an archive is looked for that a killed process may have left. */
const lookedForMs = 14 * 24 * 60 * 60 * 1000

/** Removes archives seven days after they were complete. */
export const expireExports: Schedule = {
  name: 'tenant_exports.expire',
  every_minutes: 60,
  round: forEachTenant(
    async ({ tenantId, services, read, signal }) => {
      const { storage, runner, clock } = services
      const now = clock.now()
      let done = 0
      for (const { id } of await read(tx => listExpired(tx, now, perRound))) {
        if (signal.aborted) return { done }
        await runner.inSeparateTransaction(systemActor(tenantId), origin, async ({ tx, record }) => {
          if (!(await moveExport(tx, id, 'ready', { status: 'expired' }))) return
          record('tenant_export.expired', id, {
            number: numberOf(id),
            before: { status: 'ready' },
            after: { status: 'expired' },
            reason: reasons.reason_export_expired({ days: availableDays }).text,
          })
          done += 1
        })
      }
      // The row is first: an archive that a killed process left behind goes with the next round.
      const since = new Date(now.getTime() - lookedForMs)
      for (const { archive_key } of await read(tx => listRemovedSince(tx, since, perRound)))
        if (!signal.aborted && (await storage.stat(archive_key))) await storage.erase(archive_key)
      return { done }
    },
    { task: 'tenant_exports.expire' },
  ),
}
