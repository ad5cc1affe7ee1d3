import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { it } from 'node:test'
import { promisify } from 'node:util'

const MiB = 2 ** 20
/** Makes garbage, and prints what memory the process has over a second in which it does nothing. */
const program = (giveBack: string) => `
  import { setTimeout } from 'node:timers/promises'
  import { giveBackWhenIdle } from ${JSON.stringify(new URL('./memory.ts', import.meta.url).href)}
  let held = Array.from({ length: 2_000_000 }, (_, n) => ({ n, text: 'number ' + n }))
  const most = process.memoryUsage.rss()
  held = undefined
  ${giveBack}
  let least = most
  for (let n = 0; n < 50; n++) {
    await setTimeout(20)
    least = Math.min(least, process.memoryUsage.rss())
  }
  console.log(JSON.stringify({ most, least }))`

async function runProgram<T>(text: string, flags: string[] = []) {
  const { stdout } = await promisify(execFile)(process.execPath, [...flags, '--input-type=module', '--eval', text])
  return JSON.parse(stdout) as T
}
const run = (giveBack: string) => runProgram<{ most: number; least: number }>(program(giveBack))

it('memory that is not needed any more is given back where nobody is at work, and not before', async () => {
  const often = { look_ms: 100, idle_share: 0.5, work_ms: 0 }
  const of = (options: object) => `giveBackWhenIdle(${JSON.stringify({ ...often, ...options })})`
  const [idle, busy, alone] = [await run(of({})), await run(of({ idle_share: -1 })), await run('')]
  assert.ok(idle.most - idle.least > 80 * MiB, JSON.stringify(idle))
  for (const { most, least } of [busy, alone]) assert.ok(most - least < 40 * MiB, JSON.stringify({ most, least }))
})

/**
 * Works until its code is compiled for the objects that it is given, of which none is left then, and waits until V8 has collected by itself.
 * Prints whether the code is there still: of the bits that V8 tells of a function the fifth.
 */
const waiting = (begin: string) => `
  import { constants, PerformanceObserver } from 'node:perf_hooks'
  import { runInThisContext } from 'node:vm'
  import { keepCode } from ${JSON.stringify(new URL('./memory.ts', import.meta.url).href)}
  const isCompiled = runInThisContext('work => (%GetOptimizationStatus(work) & 16) > 0')
  ${begin}
  function work() {
    let sum = 0
    for (let n = 0; n < 2_000; n++) {
      const { number, text } = JSON.parse('{"number":' + n + ',"text":"number ' + n + '"}')
      sum += number + text.length
    }
    return sum
  }
  while (!isCompiled(work)) work()
  let held = Array.from({ length: 1_000_000 }, (_, n) => ({ n, text: 'number ' + n }))
  held = undefined
  const { promise: collected, resolve } = Promise.withResolvers()
  // A collection that the work began may end before: V8 begins its own after eight seconds.
  const least = performance.now() + 5_000
  new PerformanceObserver(list => {
    const isMajor = ({ detail }) => detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR
    if (list.getEntries().some(each => isMajor(each) && each.startTime > least)) resolve()
  }).observe({ type: 'gc' })
  const alive = setInterval(() => {}, 1_000)
  await collected
  clearInterval(alive)
  console.log(isCompiled(work))`

it('code is kept while a process waits', async () => {
  const codeOf = (begin: string) => runProgram<boolean>(waiting(begin), ['--allow-natives-syntax'])
  const [kept, alone] = await Promise.all([codeOf('keepCode()'), codeOf('')])
  assert.equal(kept, true)
  // Where V8 keeps it by itself, nobody need tell it to.
  assert.equal(alone, false)
})
