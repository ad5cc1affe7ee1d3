// A reporter of node:test for tools/test.ts: one line of JSON with the totals of a run, why tests were skipped, and what failed.
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'

export interface Totals {
  tests: number
  passed: number
  failed: number
  skipped: number
  todo: number
  reasons: string[]
  /** What failed, by file: the names of the tests, outermost first. */
  failures: Record<string, string[]>
}

export default async function* totals(source: AsyncIterable<TestEvent>) {
  const reasons: string[] = []
  const failures: Record<string, string[]> = {}
  for await (const event of source) {
    if (event.type === 'test:fail' && event.data.todo === undefined) {
      const file = relative(process.cwd(), event.data.file ?? event.data.name)
      failures[file] = [event.data.name, ...(failures[file] ?? [])]
    }
    if (event.type === 'test:pass' && event.data.skip) {
      reasons.push(`${event.data.name}${event.data.skip === true ? '' : `: ${event.data.skip}`}`)
    }
    // The summary of one file names it.
    if (event.type !== 'test:summary' || event.data.file) continue
    const { tests, passed, skipped, todo } = event.data.counts
    const result: Totals = { tests, passed, skipped, todo, failed: tests - passed - skipped - todo, reasons, failures }
    yield JSON.stringify(result)
  }
}
