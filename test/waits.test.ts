// A test waits for a condition, never for a time: that is too short on a busy machine and too long on every other.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'

const chance = 'a kill comes at a moment by chance'
const soak = 'a program that is run for an hour on purpose, and no test'
/** Deliberate exceptions by their line, each with its reason; one that no longer applies is a defect. */
const excused: Record<string, string> = {
  'src/platform/jobs/queue.test.ts: await setTimeout(600_000, undefined, { signal })': 'work without end, broken off',
  'src/platform/jobs/spare-time.test.ts: await setTimeout(100)': 'a process that is busy for so long is what is tested',
  'src/platform/jobs/spare-time.test.ts: await setTimeout(300)': 'a process that is idle for so long is what is tested',
  'src/platform/jobs/timetable.test.ts: return setTimeout(600_000, nothing, { signal })':
    'work without end, broken off',
  'src/platform/memory.test.ts: await setTimeout(20)': 'a process that is idle for so long is what is tested',
  'src/platform/thread.test.ts: Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)':
    'a thread that stands still for longer than its work may take, which is what is tested',
  'test/attacks/cross-site.browser.test.ts: setTimeout(() => form.submit())':
    'the script of a page that attacks, which waits for no time',
  'test/bad-input.test.ts: await setTimeout(20)': 'between two looks of a wait for a condition',
  'test/clock.external.test.ts: await setTimeout(round * 100)': chance,
  'test/crash.test.ts: await setTimeout(Math.random() * 100)': chance,
  "test/deploy.test.ts: await setTimeout(Number(headers['retry-after']) * 1000)":
    'that a client is let in after the seconds that nginx said is what is tested',
  'test/failover.replication.test.ts: await setTimeout(1_100)':
    'what a process found of its servers counts for a second, after which it has to look again',
  'test/faults/clock-jumps.faketime.test.ts: await Promise.race([work, setTimeout(100)])':
    'between two looks of a wait for a condition',
  'test/faults/soak-faults.ts: await setTimeout(20)': soak,
  'test/faults/soak-faults.ts: await setTimeout(50)': soak,
  'test/faults/soak.ts: await setTimeout(1000 / rate, undefined, { signal: stopping.signal }).catch(() => {})': soak,
  'test/faults/soak.ts: await setTimeout(1_000)': soak,
  'test/faults/soak.ts: await setTimeout(Math.min(sampled_every_ms, Math.max(0, until - from)))': soak,
  'test/faults/soak.ts: await setTimeout(fault.lasts_ms)': soak,
  'test/faults/stop.test.ts: await setTimeout(Math.random() * 100)': chance,
  'test/faults/work.ts: if (pause_ms > 0 || !isDone) await setTimeout(isDone ? pause_ms : 5)':
    'people at work have nothing to do for a moment',
  'test/jobs.test.ts: await setTimeout(Math.random() * 200)': chance,
  'test/support/faults/openai-faults.ts: await setTimeout(30)':
    'a reset throws away what was not read, and nobody can see when it was',
  'test/support/fakes/openai.ts: const wait = (drip_ms = 0) => (drip_ms > 0 ? new Promise(done => setTimeout(done, drip_ms)) : undefined)':
    'the pace of a model that is slow on purpose',
  'test/support/world/postgres.ts: if (left_ms < longest_file_ms) await setTimeout(left_ms + 1000)':
    'until a day is over, where a suite would meet its end',
  'test/process-roles.test.ts: await setTimeout(2_500)': 'that nobody begins work of others is what is tested',
  'test/refused-bodies.test.ts: const late = setTimeout(rest, isLate ? without_answer_ms : 0)':
    'a client that sends its body only after an answer, or where none comes',
  'test/refused-bodies.test.ts: const timer = setTimeout(() => {': 'after so long a connection counts as stuck',
  'test/support/builders/races.ts: await setTimeout(5)': 'between two looks of a wait for a condition',
}

/** Between two looks of a loop, on one line with what it waits for. */
const isPolling = (line: string) => /^(?:for|while) \(.*\bsetTimeout\(/.test(line)

function waitsOf(files: ReadonlyMap<string, string>): string[] {
  return [...files].flatMap(([file, text]) =>
    text
      .split('\n')
      .map(line => line.trim())
      .filter(line => /\bsetTimeout\(|\bscheduler\.wait\(|\bAtomics\.wait\(/.test(line))
      .filter(line => !isPolling(line) && !line.startsWith('//'))
      .map(line => `${file}: ${line}`),
  )
}
const defectsOf = (files: ReadonlyMap<string, string>, excuses: Record<string, string>) => {
  const waits = new Set(waitsOf(files))
  return [
    ...[...waits].filter(wait => !excuses[wait]).map(wait => `${wait} waits for a time: wait for a condition`),
    ...Object.keys(excuses)
      .filter(each => !waits.has(each))
      .map(each => `${each} is excused and not there`),
  ]
}

const files = new Map(
  [...new Set([...globSync('{src,test,tools,web}/**/*.test.ts'), ...globSync('test/**/*.ts')])]
    .filter(file => file !== 'test/waits.test.ts' && !file.includes('node_modules'))
    .map(file => [file, readFileSync(file, 'utf8')]),
)

describe('tests wait', () => {
  it('for conditions, and where they wait for a time, a reason is given', () => {
    assert.ok(files.size > 300, `${files.size} files are seen`)
    assert.deepEqual(defectsOf(files, excused), [])
  })

  it('for no time that this check would not find', () => {
    for (const line of [
      'await setTimeout(8000)',
      'await new Promise(done => setTimeout(done, 10))',
      'setTimeout(() => abort.abort(), 300)',
      'await timers.setTimeout(5)',
      'await scheduler.wait(100)',
      'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)',
    ])
      assert.equal(defectsOf(new Map([['test/x.test.ts', `it('', async () => {\n  ${line}\n})`]]), {}).length, 1, line)
    for (const line of ['while (!isThere()) await setTimeout(5)', 'for (; !(await is()); await setTimeout(20))'])
      assert.deepEqual(defectsOf(new Map([['test/x.test.ts', line]]), {}), [], line)
  })

  it('no longer than an excuse is needed', () => {
    assert.equal(defectsOf(new Map(), { 'test/x.test.ts: await setTimeout(5)': 'because' }).length, 1)
  })
})
