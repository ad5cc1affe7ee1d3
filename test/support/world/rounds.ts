/**
 * How often a test repeats what proves the more the oftener it is done: as many times as `variable` says, else in full where a
 * machine checks a change (CI is set), and fewer times beside somebody who waits for it. On the external PostgreSQL, which a run asks
 * second, fewer times everywhere: another server changes what happens, not how often it has to be tried.
 */
export const roundsOf = (variable: string, { here, inCi }: { here: number; inCi: number }) =>
  Number(process.env[variable] || (process.env.CI && !process.env.TEST_DATABASE_URL ? inCi : here))

/** One in so many: races are made, by a lock that holds all back until they wait for it, and not hoped for. */
const one_race_in = roundsOf('RACES_ONE_IN', { here: 10, inCi: 8 })
/** How often a race is run that deserves `count` times, two at the least: some do one thing and another in turn. */
export const races = (count: number) => Math.max(2, Math.ceil(count / one_race_in))
