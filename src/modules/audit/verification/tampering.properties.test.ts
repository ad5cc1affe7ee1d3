// 1,000 random manipulations of the trail with all rights in the database, past all triggers, keys and checks (proves: AUD-04).
import assert from 'node:assert/strict'
import { after, before, it } from 'node:test'
import { openTamperedWorld, type TamperedWorld } from '#test/faults/tampered-world.ts'
import { tamperings } from '#test/faults/tamperings.ts'
import { numbersFrom } from '#test/world/chance.ts'

const chance = numbersFrom(2026)
let tampered: TamperedWorld
before(async () => {
  tampered = await openTamperedWorld()
})
after(() => tampered.close())

it('1,000 changes of the database by chance are all found, and a log that nobody changed is always valid (proves: AUD-04)', async t => {
  const unseen: string[] = []
  for (let n = 0; n < 1000; n++) {
    const tampering = tamperings[n % tamperings.length]!
    const seed = chance()
    const found = await tampered.tamper(tampering, seed)
    if (found.length === 0) unseen.push(`${tampering.what} (seed ${seed})`)
    if (n % 50 === 0) assert.deepEqual(await tampered.whatIsFound({}), [])
  }
  assert.deepEqual(unseen, [])
  t.diagnostic(`${tamperings.length} kinds`)
})
