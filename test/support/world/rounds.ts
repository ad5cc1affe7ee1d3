/**
 * How often a test repeats what proves the more the oftener it is done: as many times as `variable` says, else a few. `npm run faults` and
 * `npm run fuzz` say more.
 */
export const roundsOf = (variable: string, few: number) => Number(process.env[variable] || few)

/** One in so many: races are made, by a lock that holds all back until they wait for it, and not hoped for. */
const one_race_in = roundsOf('RACES_ONE_IN', 10)
/** How often a race is run that deserves `count` times, two at the least: some do one thing and another in turn. */
export const races = (count: number) => Math.max(2, Math.ceil(count / one_race_in))
