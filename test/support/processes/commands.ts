// The command line, as often as a test likes: one process that has the program loaded runs one command after the other, because to load
// it takes longer than most commands. What a start, an end or a kill of the process means is tested with processes of their own.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { environmentOfPrograms } from '../world/environment.ts'
import { urlsOf } from '../world/postgres.ts'
import type { World } from '../world/world.ts'
import type { Asked, Told } from './command-process.ts'

const program = join(import.meta.dirname, 'command-process.ts')

/** `environment`: what every command of these gets; each may add to it. */
export function openCommands(environment: () => Asked['env'] = () => ({})) {
  let child: ChildProcess | undefined
  let last: Promise<unknown> = Promise.resolve()

  async function runNext(words: readonly string[], more: Asked['env'], input: string): Promise<Told> {
    const given = environmentOfPrograms()
    child ??= fork(program, { env: given, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    const asked: Asked = { words: [...words], env: { ...given, PORT: '0', ...environment(), ...more }, input }
    const answered = new AbortController()
    const ended = once(child, 'exit', { signal: answered.signal }).then(([code, signal]) => {
      child = undefined
      throw new Error(`${words.join(' ')}: the process ended with ${code ?? signal}`)
    })
    const answer = once(child, 'message')
    child.send(asked)
    const [told] = await Promise.race([answer, ended])
    answered.abort()
    return told as Told
  }

  return {
    /** Those that are asked for at once are run one after the other. */
    run(words: readonly string[], more: Asked['env'] = {}, input = ''): Promise<Told> {
      const told = last.then(() => runNext(words, more, input))
      last = told.catch(() => {})
      return told
    },
    async close() {
      await last
      if (!child) return
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}

/** On the database and the folder of a world, which may be made later. */
export const commandsOf = (world: () => World) =>
  openCommands(() => {
    const { folder, postgres, services } = world()
    return { SECRET_KEY: services.config.secret_key, DATA_DIR: folder, ...urlsOf(postgres) }
  })
