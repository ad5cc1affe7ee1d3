// Builds the operators' page: web/ into web/dist, where what is there was not built from these sources.
//
//   npm run build
//   sh tools/node tools/build-web.ts --if-possible   before a start: says why it cannot be built, and the service starts without it
//
// vite, which builds it, is no part of a production installation: a page that was built before vite was removed is kept.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const root = resolve(import.meta.dirname, '..')
const web = join(root, 'web')
const dist = join(web, 'dist')
const stamp = '.built-from'
const lockfile = join(root, 'package-lock.json')
const isBuilderInstalled = () => existsSync(join(root, 'node_modules/vite/package.json'))

/** Not the time of the files: a checkout makes all of them new, a copy all of them old. */
function digestOfSources() {
  const hash = createHash('sha256')
  const sources = globSync(['index.html', 'tsconfig.json', 'public/**/*', 'src/**/*.*'], { cwd: web }).sort()
  for (const path of [...sources.map(each => join(web, each)), import.meta.filename])
    hash
      .update(`${path.slice(root.length)}\0`)
      .update(readFileSync(path))
      .update('\0')
  const { packages } = JSON.parse(readFileSync(lockfile, 'utf8')) as { packages: Record<string, { version: string }> }
  for (const name of ['vite', 'react', 'react-dom'])
    hash.update(`${name} ${packages[`node_modules/${name}`]?.version}\0`)
  return hash.digest('hex')
}

function isBuiltFrom(digest: string) {
  const path = join(dist, stamp)
  return existsSync(path) && readFileSync(path, 'utf8') === digest
}

/** Says whether there was anything to do. */
export async function buildWeb(): Promise<boolean> {
  const digest = digestOfSources()
  if (isBuiltFrom(digest)) return false
  if (!isBuilderInstalled())
    throw new Error(
      'vite is not installed. Run "npm ci && npm run build && npm prune --omit=dev", which builds the page and removes vite again',
    )
  // Beside its place and then into it: who serves or tests the page meanwhile never sees half of it.
  const draft = `${dist}.${process.pid}`
  const old = `${draft}.old`
  const { NODE_ENV } = process.env
  try {
    const { build } = await import('vite')
    await build({
      configFile: false,
      root: web,
      base: '/control-panel/',
      logLevel: 'error',
      // A picture within the page would need `data:` in its Content-Security-Policy.
      build: { outDir: draft, emptyOutDir: true, assetsInlineLimit: 0, modulePreload: { polyfill: false } },
    })
    writeFileSync(join(draft, stamp), digest)
    if (existsSync(dist)) renameSync(dist, old)
    try {
      renameSync(draft, dist)
    } catch (error) {
      // Another process that built the same was first.
      if (!isBuiltFrom(digest)) throw error
    }
  } finally {
    // Vite sets it for the whole process, where a test may go on.
    if (NODE_ENV === undefined) delete process.env.NODE_ENV
    else process.env.NODE_ENV = NODE_ENV
    for (const each of [draft, old]) rmSync(each, { recursive: true, force: true })
  }
  return true
}

if (import.meta.main) {
  try {
    // Before a start, standard output is for the service's own lines of JSON.
    if (await buildWeb()) console.error("The operators' page is built.")
  } catch (error) {
    console.error(`The operators' page could not be built: ${(error as Error).message}`)
    if (!process.argv.includes('--if-possible')) process.exitCode = 1
  }
}
