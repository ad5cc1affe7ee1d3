// A reporter of node:test for tools/test.ts: one line of JSON with the totals of a run, and why tests were skipped.
import type { TestEvent } from 'node:test/reporters'

export interface Totals {
  tests: number
  passed: number
  failed: number
  skipped: number
  todo: number
  reasons: string[]
}

export default async function* totals(source: AsyncIterable<TestEvent>) {
  const reasons: string[] = []
  for await (const event of source) {
    if (event.type === 'test:pass' && event.data.skip) {
      reasons.push(`${event.data.name}${event.data.skip === true ? '' : `: ${event.data.skip}`}`)
    }
    // The summary of one file names it.
    if (event.type !== 'test:summary' || event.data.file) continue
    const { tests, passed, skipped, todo } = event.data.counts
    const result: Totals = { tests, passed, skipped, todo, failed: tests - passed - skipped - todo, reasons }
    yield JSON.stringify(result)
  }
}
