import assert from 'node:assert/strict'

/**
 * Runs a property, and again where chance left out what has to have happened: a test in which nothing ever succeeds would prove
 * nothing. `happened` counts what did.
 */
export async function runUntilAllHappened(
  run: () => Promise<void>,
  happened: ReadonlyMap<string, number>,
  expected: readonly string[],
) {
  const missing = () => expected.filter(what => !happened.get(what))
  for (let tries = 0; tries === 0 || (missing().length > 0 && tries < 20); tries++) await run()
  assert.deepEqual(missing(), [], JSON.stringify([...happened]))
}

/** Numbers from 0 to below 1 as by chance, the same ones in each run (mulberry32). */
export function numbersFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
