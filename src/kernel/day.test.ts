import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { dayIn, daysLater, monthsLater } from './day.ts'

const second_ms = 1000

describe('a day of a time zone', () => {
  // The last second of the day before, and the first of the day, in UTC: from the IANA database.
  const beginnings: [zone: string, day: string, begins: string, why: string][] = [
    ['UTC', '2026-03-01', '2026-03-01T00:00:00Z', 'no offset'],
    ['Europe/Berlin', '2026-03-29', '2026-03-28T23:00:00Z', 'the day on which summer time begins'],
    ['Europe/Berlin', '2026-03-30', '2026-03-29T22:00:00Z', 'the day behind it'],
    ['Europe/Berlin', '2026-10-25', '2026-10-24T22:00:00Z', 'the day on which summer time ends'],
    ['Europe/Berlin', '2026-10-26', '2026-10-25T23:00:00Z', 'the day behind it'],
    ['America/New_York', '2026-03-08', '2026-03-08T05:00:00Z', 'west of Greenwich, summer time begins'],
    ['America/New_York', '2026-11-02', '2026-11-02T05:00:00Z', 'west of Greenwich, behind the end of summer time'],
    [
      'America/Santiago',
      '2026-09-06',
      '2026-09-06T04:00:00Z',
      'a day that begins at one o’clock: midnight is left out',
    ],
    ['America/Havana', '2026-11-01', '2026-11-01T04:00:00Z', 'a day whose first hour comes twice'],
    ['Asia/Kathmandu', '2026-06-01', '2026-05-31T18:15:00Z', 'an offset of quarters of an hour'],
    ['Australia/Lord_Howe', '2026-04-05', '2026-04-04T13:00:00Z', 'summer time of half an hour'],
    ['Pacific/Kiritimati', '2026-01-01', '2025-12-31T10:00:00Z', 'the first to see a day'],
    ['Pacific/Niue', '2026-01-01', '2026-01-01T11:00:00Z', 'one of the last'],
    ['Pacific/Apia', '2011-12-31', '2011-12-30T10:00:00Z', 'the day behind one that was left out'],
  ]
  for (const [zone, day, begins, why] of beginnings)
    it(`begins when it begins there: ${day} in ${zone}, ${why}`, () => {
      assert.equal(dayIn(zone, new Date(begins)), day)
      for (const before_ms of [1, second_ms])
        assert.ok(dayIn(zone, new Date(Date.parse(begins) - before_ms)) < day, `${before_ms} ms before`)
      assert.equal(dayIn(zone, new Date(Date.parse(begins) + second_ms - 1)), day)
    })

  it('that a place never had is over as soon as the one before it is', () => {
    assert.equal(dayIn('Pacific/Apia', new Date('2011-12-30T09:59:59Z')), '2011-12-29')
    assert.ok(dayIn('Pacific/Apia', new Date('2011-12-30T10:00:00Z')) >= '2011-12-30')
  })

  it('never comes again once it is over, hour by hour of a year, in every eighth zone', () => {
    for (const zone of Intl.supportedValuesOf('timeZone').filter((_, i) => i % 8 === 0)) {
      let last = ''
      for (let hour = 0; hour < 365 * 24; hour += 1) {
        const day = dayIn(zone, new Date(Date.UTC(2026, 0, 1, hour)))
        if (day < last) assert.fail(`${zone}: ${day} comes behind ${last}`)
        last = day
      }
    }
  })
})

it('some days later is that many days later, whatever the month', () => {
  assert.equal(daysLater('2028-02-28', 1), '2028-02-29')
  assert.equal(daysLater('2026-12-31', 1), '2027-01-01')
  assert.equal(daysLater('2026-03-01', -30), '2026-01-30')
})

it('some months later is the same day, or the last day of a month that is too short', () => {
  for (const [from, months, to] of [
    ['2026-03-15', 24, '2028-03-15'],
    ['2026-12-31', 2, '2027-02-28'],
    ['2027-12-31', 2, '2028-02-29'],
    ['2028-02-29', 12, '2029-02-28'],
    ['2026-10-31', 1, '2026-11-30'],
  ] as const)
    assert.equal(monthsLater(from, months), to)
})
