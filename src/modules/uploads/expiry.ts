import type { Origin, Services } from '#action'
import { systemActor } from '#modules/accounts'
import { forEachTenant, type Schedule } from '#modules/jobs'
import { giveSpaceBack } from '#platform/storage/quota.ts'
import { reasons } from './messages.ts'
import { listExpired, takeExpired } from './queries.ts'
import { expiredBefore, lifetimeHours } from './rules.ts'

const origin: Origin = { requestId: '', clientAddr: '' }
const perRound = 1_000

/** The row goes first: a process that is killed in between leaves a file that no record names, which the sweep of the store removes. */
async function erase({ runner, storage }: Services, tenantId: number, id: number, until: string): Promise<boolean> {
  const taken = await runner.inSeparateTransaction(systemActor(tenantId), origin, async ({ tx, record }) => {
    const upload = await takeExpired(tx, id, until)
    if (!upload) return undefined
    await giveSpaceBack(tx, upload.file_size)
    record('upload.expired', id, {
      before: { file_name: upload.file_name, sha256: upload.sha256 },
      reason: reasons.reason_upload_expired({ hours: lifetimeHours }).text,
    })
    return upload
  })
  if (taken) await storage.erase(taken.file_key)
  return taken !== undefined
}

export const eraseExpired: Schedule = {
  name: 'uploads.erase_expired',
  every_minutes: 60,
  round: forEachTenant(
    async ({ tenantId, services, read, signal }) => {
      const until = expiredBefore(services.clock.now())
      let done = 0
      for (const id of await read(tx => listExpired(tx, until, perRound))) {
        if (signal.aborted) break
        if (await erase(services, tenantId, id, until)) done += 1
      }
      return { done }
    },
    { task: 'uploads.erase_expired', before: ({ clock }) => new Date(expiredBefore(clock.now())) },
  ),
}
