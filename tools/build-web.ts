// Builds the pages: web/ into web/dist, where what is there was not built from these sources.
//
//   npm run build
//   sh tools/node tools/build-web.ts --if-possible   before a start: says why it cannot be built, and the service starts without it
//
// vite and what the pages are made of are no part of a production installation: pages that were built before they were removed are kept.
import { createHash } from 'node:crypto'
import { existsSync, globSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { deliveredPackages } from './page-packages.ts'

const root = resolve(import.meta.dirname, '..')
const web = join(root, 'web')
const dist = join(web, 'dist')
const stamp = '.built-from'
const lockfile = join(root, 'package-lock.json')
const isBuilderInstalled = () => existsSync(join(root, 'node_modules/vite/package.json'))

/** Not the time of the files: a checkout makes all of them new, a copy all of them old. */
function digestOfSources() {
  const hash = createHash('sha256')
  const sources = globSync(['*.ts', '*.json', '*.html', 'control-panel/*.html', 'public/**/*.*', 'src/**/*.*'], {
    cwd: web,
  }).sort()
  for (const path of [...sources.map(each => join(web, each)), import.meta.filename])
    hash
      .update(`${path.slice(root.length)}\0`)
      .update(readFileSync(path))
      .update('\0')
  const { packages } = JSON.parse(readFileSync(lockfile, 'utf8')) as { packages: Record<string, { version: string }> }
  for (const name of ['vite', '@react-aria/optimize-locales-plugin'])
    hash.update(`${name} ${packages[`node_modules/${name}`]?.version}\0`)
  for (const { place, version } of deliveredPackages()) hash.update(`${place} ${version}\0`)
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
      'vite is not installed. Run "npm ci && npm run build && npm prune --omit=dev", which builds the pages and removes vite again',
    )
  // Beside its place and then into it: who serves or tests the page meanwhile never sees half of it.
  const draft = `${dist}.${process.pid}`
  const old = `${draft}.old`
  const { NODE_ENV } = process.env
  try {
    const { build } = await import('vite')
    await build({
      configFile: join(web, 'vite.config.ts'),
      configLoader: 'native',
      logLevel: 'error',
      build: { outDir: draft, emptyOutDir: true },
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

// Nothing here waits at the top level: what a test imports is loaded at once.
if (import.meta.main) {
  buildWeb().then(
    // Before a start, standard output is for the service's own lines of JSON.
    isBuilt => {
      if (isBuilt) console.error('The web pages are built.')
    },
    (error: Error) => {
      console.error(`The web pages could not be built: ${error.message}`)
      if (!process.argv.includes('--if-possible')) process.exitCode = 1
    },
  )
}
