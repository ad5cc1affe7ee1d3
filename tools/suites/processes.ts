// Which suites share a process. To start Node and load the whole program takes a second or two of a processor, so neighbours share that.
// In the process each is a suite of its own, with the hooks at its top level as its own hooks.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')
const ending = '.process.mjs'
const begin = `import { beginSuite } from ${JSON.stringify(resolve(root, 'test/support/world/statements.ts'))}`
/**
 * A process ends at the latest when the suites of so large files are done; a suite takes about as long as it is large. Few suites are
 * shared out more finely, so that no processor waits for the last of them.
 */
const largest_process_bytes = 300_000
const least_process_bytes = 60_000

/** These suites share one Swift (test/support/fakes/swift.ts), because each start of its four servers costs four seconds of a processor. */
const sharesServer = /\.s3\./
/** Suites that take as long as a whole group, or that another program makes differ in length from machine to machine. */
const alone = [
  // It measures the memory of its process.
  /^src\/platform\/storage\/gcp\.test\.ts$/,
  /^src\/commands\/(audit-key|backup|backup-killed|commands|doctor)\.test\.ts$/,
  /^test\/faults\//,
  /^test\/(bad-input|canary|demo|every-route|races|schema|status)\.test\.ts$/,
  /\.(external|libreoffice|poppler|tesseract|clamav|lemonldap|python)\./,
]
const startsPrograms = /\b(startService|openCompany|runProgram|openEmbedded|spawn|spawnSync|fork|execFile)\(/
/** Cannot be loaded at once, as those of a shared process are: what they test waits at its top level. */
const waitsAtTopLevel = /^test\/(verifier|control-panel)/
const isBrowsed = (file: string) => file.includes('.browser.')
/** Browsers and what they wait for take longer than other suites of their size. */
const largest_browsed_bytes = 50_000
/** `src/modules`, `src/platform`, `test` and so on: neighbours load much the same. */
const roomOf = (file: string) =>
  dirname(file)
    .split('/')
    .slice(0, isBrowsed(file) ? 1 : 2)
    .join('/') + (isBrowsed(file) ? ' in a browser' : '')

/** The long ones come first, so that no processor waits for the last of them. */
function placeOf(suites: string[]) {
  if (suites.length > 1 || suites[0] === 'test/bad-input.test.ts') return 0
  if (suites[0]!.startsWith('test/')) return 1
  return suites[0]!.startsWith('src/commands/') ? 2 : 3
}

/** Groups `files`, relative to the folder of the project, by process, in the order in which `at_once` of them are to begin. */
export function groupSuites(files: string[], at_once: number): string[][] {
  const textOf = (file: string) => readFileSync(join(root, file), 'utf8')
  const all_bytes = files.reduce((sum, file) => sum + Buffer.byteLength(textOf(file)), 0)
  const process_bytes = Math.min(largest_process_bytes, Math.max(least_process_bytes, all_bytes / (2 * at_once)))
  const groups: string[][] = []
  const sharing = files.filter(file => sharesServer.test(file))
  if (sharing.length > 0) groups.push(sharing)
  const others = files.filter(file => !sharesServer.test(file))
  for (const neighbours of Map.groupBy(others, roomOf).values()) {
    let bytes = Number.POSITIVE_INFINITY
    for (const file of neighbours) {
      const text = textOf(file)
      const isLong = file.startsWith('test/') && !isBrowsed(file) && startsPrograms.test(text)
      if (isLong || [...alone, waitsAtTopLevel].some(each => each.test(file))) {
        groups.unshift([file])
        continue
      }
      const own_bytes = Buffer.byteLength(text)
      if (bytes + own_bytes > (isBrowsed(file) ? largest_browsed_bytes : process_bytes)) {
        groups.push([])
        bytes = 0
      }
      groups.at(-1)!.push(file)
      bytes += own_bytes
    }
  }
  return groups.sort((one, other) => placeOf(one) - placeOf(other))
}

/** Writes a program for each group into `folder`, by names in the order of the groups: node:test takes them in that of their names. */
export function writeProcesses(groups: string[][], folder: string): Map<string, string[]> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const digits = String(groups.length).length
  return new Map(
    groups.map((suites, index) => {
      const name = `${String(index).padStart(digits, '0')}-${basename(suites[0]!).split('.')[0]}${ending}`
      const path = (suite: string) => JSON.stringify(resolve(root, suite))
      const lines =
        suites.length === 1
          ? [begin, `beginSuite(${JSON.stringify(suites[0])})`, `await import(${path(suites[0]!)})`]
          : [
              begin,
              "import { createRequire } from 'node:module'",
              "import { before, describe } from 'node:test'",
              'const require = createRequire(import.meta.url)',
              ...suites.map(suite => {
                const name = JSON.stringify(suite)
                // Loaded at once, so that what stands at the top level of the file belongs to the suite.
                return `describe(${name}, () => { before(() => beginSuite(${name})); require(${path(suite)}) })`
              }),
            ]
      writeFileSync(join(folder, name), `${lines.join('\n')}\n`)
      return [join(folder, name), suites]
    }),
  )
}

/** Whether this is the program of a process, to which node:test attributes a suite as a whole, rather than a file of tests. */
export const isProcess = (file: string) => file.endsWith(ending)
