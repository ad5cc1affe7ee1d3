// A kill at any moment loses nothing: the whole service, as it is started, killed again and again while people write documents
// with files, deviations, CAPAs, training and signatures. `npm run faults` kills it a hundred times.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { roundsOf } from '#test/world/rounds.ts'
import { median } from '../bench/service.ts'
import { type Company, openCompany } from './faults/company.ts'
import { findingsOf, leftAfterSweep, trailOf } from './faults/findings.ts'
import { keepWorking, openJournal } from './faults/work.ts'

/** One of the service alone, and one with its database server. */
const kills = roundsOf('FAULT_KILLS', 2)
const at_once = 4

describe('the service, killed while people write', { timeout: 3_600_000 }, () => {
  let company: Company
  before(async () => {
    company = await openCompany()
  })
  after(() => company.close())

  it(`starts again by itself after each of ${kills} kills, and has lost nothing that it answered for`, async t => {
    const journal = openJournal()
    const recovery_ms: number[] = []
    await company.start()
    await company.logIn()
    for (let round = 0; round < kills; round++) {
      const from = journal.acknowledged.length
      const over = new AbortController()
      const work = keepWorking(company, journal, over.signal, { at_once })
      // At least one write is answered for in each round, then the kill comes at any moment of the next ones.
      const enough = from + 1 + Math.floor(Math.random() * 24)
      while (journal.acknowledged.length < enough) await Promise.race([work, setTimeout(1)])
      await setTimeout(Math.random() * 100)
      await company.kill({ withServer: round % 2 === 1 })
      over.abort()
      await work
      recovery_ms.push(await company.start())
      assert.deepEqual(await trailOf(company), [])
    }
    const { orphans, records, entries, ...wrong } = await findingsOf(company, journal)
    assert.deepEqual(wrong, { lost: [], halves: [], untrue: [] })
    assert.ok(orphans.length <= kills * at_once * 2, orphans.join())
    assert.deepEqual(await leftAfterSweep(company, orphans), [])

    t.diagnostic(`${kills} kills, ${records} answers checked, ${entries} entries of the trail, verified ${kills} times`)
    t.diagnostic(`lost 0, half 0, untrue 0; files that no row named ${orphans.length}, after the sweep 0`)
    t.diagnostic(
      `well again after ${median(recovery_ms).toFixed(0)} ms (median), ${Math.max(...recovery_ms).toFixed(0)} ms at most`,
    )
    t.diagnostic([...journal.counts].map(([what, count]) => `${what} ${count}`).join(', '))
  })
})
