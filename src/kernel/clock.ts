/** Where the time comes from: the machine's, or a test's that stands still and is moved. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }
