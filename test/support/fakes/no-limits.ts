import { openRateLimits } from '#http/rate-limits.ts'

/** For routes that a test mounts itself. */
export const noLimits = openRateLimits({ isOn: false, clock: { now: () => new Date() }, audit: async () => {} })
