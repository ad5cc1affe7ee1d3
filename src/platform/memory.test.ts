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

const run = async (giveBack: string) => {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program(giveBack)])
  return JSON.parse(stdout) as { most: number; least: number }
}

it('memory that is not needed any more is given back where nobody is at work, and not before', async () => {
  const often = { look_ms: 100, idle_share: 0.5, work_ms: 0 }
  const of = (options: object) => `giveBackWhenIdle(${JSON.stringify({ ...often, ...options })})`
  const [idle, busy, alone] = [await run(of({})), await run(of({ idle_share: -1 })), await run('')]
  assert.ok(idle.most - idle.least > 80 * MiB, JSON.stringify(idle))
  for (const { most, least } of [busy, alone]) assert.ok(most - least < 40 * MiB, JSON.stringify({ most, least }))
})
