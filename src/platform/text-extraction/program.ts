import { mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'

/** The descriptor by which a process is given its program. */
export const program_descriptor = 4

/** What such a process does first: it takes the files of the program from there, and any other from the disk. */
const takeGiven = `
import { fstatSync, readSync } from 'node:fs'
import { registerHooks } from 'node:module'
const bytes = Buffer.alloc(fstatSync(${program_descriptor}).size)
readSync(${program_descriptor}, bytes, 0, bytes.length, 0)
const program = JSON.parse(bytes.toString())
registerHooks({
  load(url, context, next) {
    const source = program[url]
    return source === undefined ? next(url, context) : { format: 'module', source, shortCircuit: true }
  },
})`
export const taking_given = `--import=data:text/javascript,${encodeURIComponent(takeGiven)}`

let given: Promise<number> | undefined

/**
 * A descriptor of the program of `reader.ts`, as JavaScript by the addresses of its files; the same one each time. Node translates
 * TypeScript anew in each process that may keep nothing on the disk, which takes a third of the time of reading a short text.
 */
export function givenProgram(): Promise<number> {
  given ??= translated().catch(error => {
    given = undefined
    throw error
  })
  return given
}

async function translated(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<Record<string, string>>()
  const thread = new Worker(new URL('./translate.ts', import.meta.url), {
    workerData: new URL('./reader.ts', import.meta.url).href,
    env: {},
    execArgv: ['--no-warnings'],
  })
  thread.once('message', resolve).once('error', reject)
  const text = JSON.stringify(await promise)
  // Of a file without a name, which is gone with this process.
  const folder = mkdtempSync(join(tmpdir(), 'attest-reader-'))
  const path = join(folder, 'program.json')
  try {
    writeFileSync(path, text, { mode: 0o600 })
    return openSync(path, 'r')
  } finally {
    rmSync(folder, { recursive: true })
  }
}
