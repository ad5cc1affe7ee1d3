// A reporter of node:test for tools/test.ts: a line of JSON for each test and each suite, by which tools/trace.ts knows its last result.
import { relative } from 'node:path'
import type { TestEvent } from 'node:test/reporters'
import type { Result } from '../trace/results.ts'
import { isProcess } from './processes.ts'

export default async function* results(source: AsyncIterable<TestEvent>) {
  for await (const event of source) {
    if (event.type !== 'test:pass' && event.type !== 'test:fail') continue
    const { file, line, skip, todo, details } = event.data
    if (!file || line === undefined || isProcess(file)) continue
    const result: Omit<Result, 'server'> = {
      file: relative(process.cwd(), file),
      line,
      outcome: event.type === 'test:fail' ? 'failed' : skip !== undefined || todo !== undefined ? 'skipped' : 'passed',
      seconds: Math.round(details.duration_ms) / 1000,
    }
    yield `${JSON.stringify(result)}\n`
  }
}
