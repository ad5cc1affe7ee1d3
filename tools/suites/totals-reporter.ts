// A reporter of node:test for tools/test.ts: one line of JSON with the totals of a run, why tests were skipped, what failed, and how long
// each suite took.
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import { isProcess } from './processes.ts'

export interface Totals {
  tests: number
  passed: number
  failed: number
  skipped: number
  todo: number
  reasons: string[]
  /**
   * The failures by file: the names of the tests, outermost first, the innermost with the first line of its error. Where a whole process
   * ended, its program is the file.
   */
  failures: Record<string, string[]>
  /** By suite, where several share a process; by program, of each process. */
  seconds: Record<string, number>
}

/** The runner wraps what was thrown. */
function firstLineOf(error: Error) {
  const thrown: unknown = error.cause ?? error
  return (thrown instanceof Error ? thrown.message : String(thrown)).trim().split('\n')[0]!.slice(0, 200)
}

export default async function* totals(source: AsyncIterable<TestEvent>) {
  const reasons: string[] = []
  const failures: Record<string, string[]> = {}
  const seconds: Record<string, number> = {}
  for await (const event of source) {
    if (event.type === 'test:fail' || event.type === 'test:pass') {
      const { name, file = name, details } = event.data
      // The suite that a file is in its process has the file's name.
      const isWhole = isProcess(file) && name !== file
      if (isWhole) seconds[name] = Math.round(details.duration_ms) / 1000
      if (event.type === 'test:fail' && event.data.todo === undefined) {
        const failed = isWhole ? name : isProcess(file) ? file : relative(process.cwd(), file)
        const inner = failures[failed]
        failures[failed] = [
          ...(isWhole ? [] : [inner ? name : `${name} (${firstLineOf(event.data.details.error)})`]),
          ...(inner ?? []),
        ]
      }
    }
    if (event.type === 'test:pass' && event.data.skip) {
      reasons.push(`${event.data.name}${event.data.skip === true ? '' : `: ${event.data.skip}`}`)
    }
    if (event.type !== 'test:summary') continue
    if (event.data.file) {
      seconds[event.data.file] = Math.round(event.data.duration_ms) / 1000
      continue
    }
    const { tests, passed, skipped, todo } = event.data.counts
    const failed = tests - passed - skipped - todo
    yield JSON.stringify({ tests, passed, skipped, todo, failed, reasons, failures, seconds } satisfies Totals)
  }
}
