import type { Origin, Services, Writing } from '#action'
import { systemActor } from '../actors.ts'
import { reasons } from '../messages.ts'
import {
  clearRepeated,
  forgetLoginAddresses,
  type LoginAddress,
  listLoginAddresses,
  lockRepeated,
  storeLoginAddress,
} from '../queries.ts'
import {
  addressMemoryMs,
  anywhere,
  isFirstOfPeriod,
  isLocked,
  lockSeconds,
  lockSecondsAnywhere,
  repeatedMs,
  strangerMemoryMs,
} from '../rules.ts'
import { tenantsWithWork } from '../tenants/actions.ts'

const unused = (address: string): LoginAddress => ({
  address,
  failed_attempts: 0,
  locked_until: null,
  logged_in_at: null,
  repeated: 0,
  repeated_since: null,
})

interface Lock {
  seconds: number
  reason: string
}

/**
 * The failed log-ins of one account from one network address. Read and written under the lock of the account's credentials, so that no
 * failure is missing from the count.
 */
export interface LoginCounter {
  isLocked: boolean
  /** True if the user has not logged in from the address before. */
  isStranger: boolean
  /** Records the failure, at once or with the later ones of its period, and returns the locks that it begins. */
  fail(reason: string, options: { counts: boolean }): Promise<Lock[]>
  succeed(): Promise<void>
}

const until = (now: Date, seconds: number | undefined) =>
  seconds === undefined ? null : new Date(now.getTime() + seconds * 1000).toISOString()

export async function openLoginCounter(
  { tx, record }: Writing,
  { userId, address, now }: { userId: number | null; address: string; now: Date },
): Promise<LoginCounter> {
  const rows = await listLoginAddresses(tx, userId, address)
  const find = (name: string) => rows.find(row => row.address === name) ?? unused(name)
  const [own, strangers] = [find(address), find(anywhere)]
  const isStranger = own.logged_in_at === null
  const store = (row: LoginAddress) => storeLoginAddress(tx, userId, row, now.toISOString())

  return {
    isStranger,
    isLocked: isLocked(own, now) || (isStranger && isLocked(strangers, now)),

    async fail(reason, { counts }) {
      const isFirst = isFirstOfPeriod(own, now)
      if (isFirst) {
        if (own.repeated > 0) recordRepeated({ record }, userId, own, now.toISOString())
        record('auth.login_failed', userId, { outcome: 'denied', reason })
      }
      const repeats = isFirst
        ? { repeated: 0, repeated_since: now.toISOString() }
        : { repeated: own.repeated + 1, repeated_since: own.repeated_since }
      if (!counts) {
        await store({ ...own, ...repeats })
        return []
      }
      const failed_attempts = own.failed_attempts + 1
      const seconds = lockSeconds(failed_attempts)
      await store({ ...own, ...repeats, failed_attempts, locked_until: until(now, seconds) })
      const locks: Lock[] = []
      if (seconds !== undefined)
        locks.push({
          seconds,
          reason: reasons.reason_locked_for_address({ failures: failed_attempts, seconds, address }).text,
        })
      if (isStranger && userId !== null) {
        const failures = strangers.failed_attempts + 1
        const secondsAnywhere = lockSecondsAnywhere(failures)
        await store({ ...strangers, failed_attempts: failures, locked_until: until(now, secondsAnywhere) })
        if (secondsAnywhere !== undefined)
          locks.push({
            seconds: secondsAnywhere,
            reason: reasons.reason_locked_for_new_addresses({ failures, seconds: secondsAnywhere }).text,
          })
      }
      return locks
    },

    async succeed() {
      if (own.repeated > 0) recordRepeated({ record }, userId, own, now.toISOString())
      await store({ ...unused(address), logged_in_at: now.toISOString() })
      if (strangers.failed_attempts > 0) await store(unused(anywhere))
    },
  }
}

function recordRepeated(
  { record }: Pick<Writing, 'record'>,
  userId: number | null,
  { address, repeated, repeated_since }: Pick<LoginAddress, 'address' | 'repeated' | 'repeated_since'>,
  end: string,
) {
  record('auth.login_failed', userId, {
    outcome: 'denied',
    reason: reasons.reason_logins_failed_again({ count: repeated, address, from: String(repeated_since), to: end })
      .text,
  })
}

const origin: Origin = { requestId: '', clientAddr: '' }
const maxStated = 1000

/** Failures are counted in rows, so a period whose process was killed is stated by the next one. */
export const stateRepeatedFailures = {
  name: 'accounts.login_failures',
  every_minutes: 5,
  async round({ database, runner, clock }: Services, signal: AbortSignal) {
    const part = { done: 0, refused: 0, failed: 0 }
    const now = clock.now().getTime()
    const before = (ms: number) => new Date(now - ms).toISOString()
    for (const tenantId of await tenantsWithWork(database, 'accounts.login_failures', new Date(now - repeatedMs))) {
      if (signal.aborted) break
      part.done += await runner.inSeparateTransaction(systemActor(tenantId), origin, async writing => {
        const due = await lockRepeated(writing.tx, before(repeatedMs), maxStated)
        for (const each of due) {
          recordRepeated(writing, each.user_id, each, each.last_attempt_at)
          await clearRepeated(writing.tx, each.user_id, each.address)
        }
        await forgetLoginAddresses(writing.tx, { failed: before(strangerMemoryMs), loggedIn: before(addressMemoryMs) })
        return due.length
      })
    }
    return part
  },
}
