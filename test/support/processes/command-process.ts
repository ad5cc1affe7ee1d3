// Runs the commands that it is told, and answers what each printed and its exit code: see commands.ts.
import { Readable } from 'node:stream'
import { runCommand } from '../../../src/commands/index.ts'

export interface Asked {
  words: string[]
  env: Record<string, string | undefined>
  /** What it reads from its standard input. */
  input: string
}
export interface Told {
  code: number
  out: string
  err: string
}

let told: Told = { code: 0, out: '', err: '' }
process.stdout.write = (chunk: string | Uint8Array) => {
  told.out += chunk
  return true
}
process.stderr.write = (chunk: string | Uint8Array) => {
  told.err += chunk
  return true
}

let input: Readable
Object.defineProperty(process, 'stdin', { get: () => input })

async function run({ words, env, input: given }: Asked) {
  told = { code: 0, out: '', err: '' }
  input = Readable.from([given])
  told.code = await runCommand(words, env)
  process.send!(told)
}
process.on('message', (asked: Asked) => void run(asked))
process.once('disconnect', () => process.exit(0))
