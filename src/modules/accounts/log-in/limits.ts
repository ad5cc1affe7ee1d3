import type { Config } from '#platform/config.ts'
import { Limit } from '#platform/limit.ts'

/** By network address, for callers without a token. */
interface LoginLimits {
  failures: Limit
  linkRequests: Limit
}

declare module '#action/definitions.ts' {
  interface Services {
    loginLimits: LoginLimits
  }
}

export const openLoginLimits = ({
  login_failures_per_address,
}: Pick<Config, 'login_failures_per_address'>): LoginLimits => ({
  failures: new Limit({ most: login_failures_per_address, window_ms: 15 * 60 * 1000 }),
  linkRequests: new Limit({ most: 20, window_ms: 60 * 60 * 1000 }),
})
