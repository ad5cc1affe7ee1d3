import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Message } from '#kernel/message.ts'
import { type Config, type Environment, readConfig } from '#platform/config.ts'
import { createLog } from '#platform/log/log.ts'
import { type Command, print, Refusal, readOptions, say } from './command.ts'
import { helpOf } from './demo/help.ts'
import { markDemo } from './demo/mark.ts'
import { lines } from './demo/messages.ts'
import { cast, demoPassword } from './demo/people.ts'
import { keptSecretKey } from './demo/secret-key.ts'
import { listen } from './serve.ts'
import type { Service } from './service.ts'
import { start } from './start.ts'

type Filling = typeof import('./demo/fill.ts')

const interrupted = 130
const loopback = ['127.0.0.1', '::1', 'localhost']

/** Logs warnings and errors by default, because a line for each request would push the help off the screen. */
async function configOf(env: Environment): Promise<Config> {
  const given = env.SECRET_KEY || undefined
  const config = readConfig({
    ...env,
    LOG_LEVEL: env.LOG_LEVEL || 'warning',
    SECRET_KEY: given ?? randomBytes(32).toString('base64'),
  })
  if (config.environment === 'production') throw new Refusal(lines.demo_in_production())
  return { ...config, bootstrap: undefined, secret_key: given ?? (await keptSecretKey(config.data_dir)) }
}

/** Creates the missing records. Ctrl-C ends it between two requests, and the records so far are kept. */
async function fillUnlessInterrupted({ fill }: Filling, service: Service, progress: (step: Message) => void) {
  const stop = new AbortController()
  const abort = () => stop.abort()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, abort)
  try {
    await fill(service, { say: progress, signal: stop.signal })
    return true
  } catch (error) {
    if (stop.signal.aborted) return false
    throw error
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, abort)
  }
}

export const demo: Command = {
  options: {},
  async run(args, env) {
    readOptions(args, {})
    const begun = performance.now()
    const progress = ({ text }: Message) =>
      print(`${((performance.now() - begun) / 1000).toFixed(1).padStart(5)} s  ${text}`)
    const config = await configOf(env)
    await markDemo(config.data_dir)
    const log = createLog({
      format: config.log_format,
      level: config.log_level,
      write: line => process.stdout.write(line),
    })
    if (!config.database_url)
      progress(
        existsSync(join(config.data_dir, 'postgres'))
          ? lines.demo_postgres_starting({ folder: config.data_dir })
          : lines.demo_postgres_making({ folder: config.data_dir }),
      )
    const service = await start(config, log, { demo: { password: demoPassword, people: cast } })
    try {
      // Loaded only here, because the library that draws PDFs takes memory.
      const filling = await import('./demo/fill.ts')
      if (!(await fillUnlessInterrupted(filling, service, progress))) {
        await service.close()
        say(lines.demo_stopped())
        return interrupted
      }
      const secret = await filling.platformUserSecret(service)
      progress(lines.demo_complete())
      if (!loopback.includes(config.host)) say(lines.demo_reachable({ host: config.host }))
      process.once('SIGINT', () => say(lines.demo_stopping()))
      return await listen(service, address => print(helpOf(address, secret)))
    } catch (error) {
      await service.close()
      throw error
    }
  },
}
