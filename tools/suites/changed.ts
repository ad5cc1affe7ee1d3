// Which suites say most about what was changed: `npm test -- --changed`.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '../..')

/** These put the whole program together: what reaches a file by way of them says nothing of that file in particular. */
const composition = ['src/app.ts', 'src/commands/start.ts', 'src/commands/index.ts', 'test/support/world/world.ts']
/** So many imports from a suite to what was changed: the suite itself, what it tests or a helper, and what that is made of. */
const farthest = 2
/** The suites that sweep over the whole, by the files that can break them. */
const sweeps: [changed: RegExp, suites: RegExp][] = [
  [/\.tsx?$/, /^test\/architecture\.test\.ts$/],
  [/^src\/(action|http|kernel|modules)\/|^migrations\//, /^test\/(every-route|openapi)\.test\.ts$/],
  [/^migrations\/|^src\/platform\/db\//, /^test\/(audit-guard|schema|upgrade)\.test\.ts$/],
  [/^package(-lock)?\.json$/, /^test\/licences\.test\.ts$/],
  [/^deploy\/|^src\/platform\/config/, /^test\/deploy\.test\.ts$/],
  [/\.md$/, /^test\/readme\.test\.ts$/],
  [/^web\//, /^test\/(control-panel|pages\.|web-)/],
]

/**
 * Files that differ from `since`, committed or not, relative to the folder of the project. Without `since` from where this branch left the
 * one that it follows; where there is none, from the last commit, or from the one before it where nothing is uncommitted.
 */
export function changedFiles(since: string | undefined): { files: string[]; since: string } {
  const git = (...words: string[]) =>
    execFileSync('git', words, { cwd: root, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
  const lines = (text: string) => text.split('\n').filter(Boolean)
  const differing = (from: string) => [
    ...lines(git('diff', '--name-only', from)),
    ...lines(git('ls-files', '--others', '--exclude-standard')),
  ]
  if (since !== undefined) return { files: differing(since), since }
  try {
    const fork = git('merge-base', 'HEAD', '@{upstream}').trim()
    const files = differing(fork)
    if (files.length > 0) return { files, since: fork.slice(0, 7) }
  } catch {
    // It follows none.
  }
  const uncommitted = differing('HEAD')
  return uncommitted.length > 0
    ? { files: uncommitted, since: 'the last commit' }
    : { files: differing('HEAD~1'), since: 'the commit before the last' }
}

/** The room that a file is in: `src/modules/documents`, `src/platform/db`, `src/http`. */
const roomOf = (file: string) => /^src\/(?:modules|platform)\/[^/]+(?=\/)|^src\/[^/]+(?=\/)/.exec(file)?.[0]

/** The suites beside the changed files, those that import them from near by, and the sweeps over their kind. */
export function suitesOf(changed: string[], suites: string[]): string[] {
  const rooms = new Set(changed.map(roomOf).filter(room => room !== undefined))
  const isChanged = new Set(changed)
  const importsOf = importReader()
  const reaches = (file: string, left: number): boolean =>
    isChanged.has(file) ||
    (left > 0 && !composition.includes(file) && importsOf(file).some(each => reaches(each, left - 1)))
  return suites.filter(
    suite =>
      rooms.has(roomOf(suite) ?? '') ||
      reaches(suite, farthest) ||
      sweeps.some(([kind, which]) => which.test(suite) && changed.some(file => kind.test(file))),
  )
}

/** The imports of a file within the project. */
function importReader() {
  const { imports } = JSON.parse(readFileSync(resolve(root, 'package.json'), 'utf8')) as {
    imports: Record<string, string>
  }
  const known = new Map<string, string[]>()
  const target = (from: string, name: string) => {
    if (name.startsWith('.')) return resolve(root, dirname(from), name).slice(root.length + 1)
    const alias = Object.keys(imports).find(
      each => name === each || (each.endsWith('*') && name.startsWith(each.slice(0, -1))),
    )
    return alias && imports[alias]!.replace('*', name.slice(alias.length - 1)).slice(2)
  }
  return (file: string): string[] => {
    const before = known.get(file)
    if (before) return before
    const path = resolve(root, file)
    const text = /\.[mc]?[jt]s$/.test(file) && existsSync(path) ? readFileSync(path, 'utf8') : ''
    const found = [...text.matchAll(/^(?:import|export)\b[^'"]*?['"]([^'"]+)['"]/gm)]
      .map(([, name]) => target(file, name!))
      .filter(each => each !== undefined)
    known.set(file, found)
    return found
  }
}
