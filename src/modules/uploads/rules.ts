/** What no record uses by then is erased. */
export const lifetimeHours = 24
const lifetimeMs = lifetimeHours * 3_600_000

export const expiryOf = (created_at: string) => new Date(Date.parse(created_at) + lifetimeMs).toISOString()
/** Uploads from before this moment have expired. */
export const expiredBefore = (now: Date) => new Date(now.getTime() - lifetimeMs).toISOString()

/** The most files that a record is made with. */
export const mostForRecord = 20
/** The most files that wait for one person. */
export const mostWaiting = 100
