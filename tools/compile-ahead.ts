// Compiles the program for a user who may not write beside it, and would compile it at each start:
//
//   node tools/compile-ahead.ts USER-ID
//
// By root, in the folder where the program will run, after each upgrade of it or of Node. What is kept belongs to root, and anybody may
// read it.
import { execFileSync } from 'node:child_process'
import { chownSync, mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compiledFolder } from '#platform/compiled.ts'
import { takeOver } from './take-over.ts'

const [uid] = process.argv.slice(2).map(Number)
if (!Number.isSafeInteger(uid) || uid! <= 0) throw new Error('which user? Give an id, as in 1000')

const pathOf = (path: string) => resolve(import.meta.dirname, '../src', path)
const urlOf = (path: string) => JSON.stringify(pathToFileURL(pathOf(path)).href)
/** All that a command or the service loads at its start, and what makes PDFs in threads. */
const load = `
const { commands } = await import(${urlOf('commands/index.ts')})
await Promise.all(commands.map(command => command.load()))
await import(${urlOf('platform/pdf/make.ts')})`

// Anew, because what an earlier run left is root's, and that user could not replace it.
rmSync(compiledFolder, { recursive: true, force: true })
mkdirSync(compiledFolder, { recursive: true })
// Node keeps it by user, and with rights for that user alone.
chownSync(compiledFolder, uid!, uid!)
let files = 0
try {
  const run = (words: string[]) =>
    execFileSync(process.execPath, words, {
      uid: uid!,
      gid: uid!,
      cwd: '/',
      env: { NODE_COMPILE_CACHE: compiledFolder },
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  run(['--input-type=module', '--eval', load])
  // The entry, which is no module to import: it runs a command.
  run([pathOf('main.ts'), '--help'])
} finally {
  files = takeOver(compiledFolder)
}
console.log(`${files} files are kept compiled for user ${uid}`)
