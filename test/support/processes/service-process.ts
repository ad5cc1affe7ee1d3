import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import type { Timing } from '#platform/jobs/boss.ts'
import { environmentOfPrograms } from '../world/environment.ts'

const root = new URL('../../..', import.meta.url).pathname

const environmentOf = (environment: Record<string, string>) => ({
  ...environmentOfPrograms(),
  SECRET_KEY: 'f0d1c2b3a495867718293a4b5c6d7e8f-process',
  PORT: '0',
  LOG_FORMAT: 'json',
  ...(environment.ENVIRONMENT !== 'production' && { RATE_LIMITS: 'off' }),
  ...environment,
})

/** A command of the program as it is given at the command line, with the same secret; answers what it says. */
export async function runProgram(words: string[], environment: Record<string, string>): Promise<string> {
  const options = { cwd: root, env: environmentOf(environment) }
  return (await promisify(execFile)(process.execPath, ['src/main.ts', ...words], options)).stdout
}

/** A service whose background work is timed otherwise than in production: what the test does not wait for in vain. */
export const programWith = (timing: Partial<Timing>) => [
  'test/support/processes/timed-process.ts',
  JSON.stringify(timing),
]

/** The service as it is started, a process of its own; resolves once it listens. */
export async function startService(
  environment: Record<string, string>,
  { listeners = 1, program = ['src/main.ts', 'serve'] } = {},
) {
  const child: ChildProcess = spawn(process.execPath, program, {
    cwd: root,
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const lines: Record<string, unknown>[] = []
  let wake = () => {}
  const errors = text(child.stderr!)
  let code: number | undefined
  const ended = Promise.all([once(child, 'exit'), once(child.stdout!, 'close')]).then(([[status]]) => {
    code = status as number
    wake()
    return code
  })
  const reading = createInterface(child.stdout!)
  reading.on('line', line => {
    lines.push(JSON.parse(line))
    wake()
  })
  /** The first `count` lines with `pattern` in their message, from the line `from` on. */
  const until = async (pattern: RegExp, { count = 1, from = 0 } = {}) => {
    for (;;) {
      const found = lines.slice(from).filter(({ msg }) => pattern.test(String(msg)))
      if (found.length >= count) return found
      if (code !== undefined) throw new Error(`it ended with ${code}: ${JSON.stringify(lines)} ${await errors}`)
      await new Promise<void>(done => {
        wake = done
      })
    }
  }
  const [first] = await until(/^listening on /, { count: listeners }).catch(error => {
    child.kill('SIGKILL')
    throw error
  })
  const address = /(http:[^\s,]+)/.exec(String(first!.msg))![1]!
  /** Discards further output: reading it would take time from the measurement. */
  const hearNoMore = () => {
    reading.close()
    child.stdout!.resume()
  }
  return { child, address, port: Number(new URL(address).port), lines, until, hearNoMore, ended }
}
export type ServiceProcess = Awaited<ReturnType<typeof startService>>
