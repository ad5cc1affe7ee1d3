// A stop loses nothing while people work: the service is stopped and started again, again and again.
// `npm run faults` stops it fifty times.
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { roundsOf } from '#test/world/rounds.ts'
import { type Company, notTaken, openCompany, waitedTooLong } from './company.ts'
import { findingsOf } from './findings.ts'
import { keepWorking, openJournal } from './work.ts'

const stops = roundsOf('FAULT_STOPS', 2)
const at_once = 8
const made = { document: 'documents', deviation: 'deviations', capa: 'capas', training: 'training_programs' }

describe('the service, stopped while people write', { timeout: 3_600_000 }, () => {
  let company: Company
  before(async () => {
    company = await openCompany()
  })
  after(() => company.close())

  const countMade = async () => {
    const client = new pg.Client(company.superuser())
    await client.connect()
    try {
      const counts = Object.entries(made).map(([what, table]) => `(select count(*)::int from ${table}) as ${what}`)
      return (await client.query(`select ${counts.join()}`)).rows[0]
    } finally {
      await client.end()
    }
  }

  it(`answers every request that it has taken at each of ${stops} stops, fails none, and keeps what it answered for`, async t => {
    const journal = openJournal()
    const counts = { answered: 0, refused: 0 }
    await company.start()
    await company.logIn()
    const before = await countMade()
    for (let round = 0; round < stops; round++) {
      const from = journal.acknowledged.length
      const over = new AbortController()
      const work = keepWorking(company, journal, over.signal, { at_once })
      const enough = from + 1 + Math.floor(Math.random() * 24)
      while (journal.acknowledged.length < enough) await Promise.race([work, setTimeout(1)])
      await setTimeout(Math.random() * 100)
      company.broken.clear()
      const told = performance.now()
      const { lines } = company.service()
      assert.equal(await company.stop(), 0)
      over.abort()
      await work
      const since = company.answers.filter(({ at, took_ms }) => at + took_ms > told)
      const late = waitedTooLong(lines)
      assert.deepEqual(
        [
          since.filter(({ status, request_id }) => status >= 500 && !late.has(request_id)),
          lines.filter(({ level, request_id }) => level === 'error' && !late.has(request_id)),
        ],
        [[], []],
      )
      const broken = [...company.broken]
      assert.deepEqual(
        broken.filter(([code]) => !notTaken.includes(code)),
        [],
      )
      counts.answered += since.length
      counts.refused += broken.reduce((sum, [, count]) => sum + count, 0)
      await company.start()
    }
    for (const [what, count] of Object.entries(await countMade()))
      assert.equal(
        count,
        before[what] + (journal.counts.get(`${what}.created`) ?? 0),
        `${what}: none that nobody was told of`,
      )
    const { records, entries, orphans, ...wrong } = await findingsOf(company, journal)
    assert.deepEqual(wrong, { lost: [], halves: [], untrue: [] })
    assert.equal(await company.stop(), 0)
    // Partly received or read files are gone with the end of the process.
    assert.deepEqual(
      orphans.filter(file => existsSync(join(company.folder, 'uploads', file))),
      [],
    )
    t.diagnostic(
      `${stops} stops: ${counts.answered} answers after the signal, none failed; ${counts.refused} requests not taken`,
    )
    t.diagnostic(
      `${records} answers checked, ${entries} entries of the trail; lost 0, half 0, made and not answered for 0`,
    )
  })
})
