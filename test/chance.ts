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
  for (let tries = 0; tries === 0 || (missing().length > 0 && tries < 5); tries++) await run()
  assert.deepEqual(missing(), [], JSON.stringify([...happened]))
}
