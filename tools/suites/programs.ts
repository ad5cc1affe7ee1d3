// The programs that suites start, each in one file: to load the whole program from its two thousand files takes a second and a half of a
// processor, and a run starts it some 150 times. A start from the sources is tried by the commands of the README: see first-start.ts.
import { symlinkSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

const root = resolve(import.meta.dirname, '../..')
const programs = [
  'src/main.ts',
  ...['command', 'export', 'job', 'removal', 'timed'].map(name => `test/support/processes/${name}-process.ts`),
]
/** Packages of hundreds of files. The others stay where they are, because some look for what lies beside them. */
const takenIn = /^(typebox|kysely)(\/|$)/

/**
 * Writes the programs into `folder`, and a module that a program loads first (`--import`): started by its path as ever, it then runs from
 * there. Files are still found where the sources are.
 */
export async function bundlePrograms(folder: string): Promise<string> {
  const bundle = await rolldown({
    input: Object.fromEntries(programs.map(path => [nameOf(path), join(root, path)])),
    platform: 'node',
    external: id => /^[\w@]/.test(id) && !takenIn.test(id),
    plugins: [
      {
        name: 'where the sources are',
        transform(code, id) {
          if (!id.startsWith(`${root}/`) || !code.includes('import.meta')) return null
          return code
            .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(id).href))
            .replaceAll('import.meta.dirname', JSON.stringify(resolve(id, '..')))
        },
      },
    ],
  })
  await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: 'parts/[name]-[hash].js',
  })
  await bundle.close()
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const loader = join(folder, 'load.mjs')
  const places = Object.fromEntries(
    programs.map(path => [
      pathToFileURL(join(root, path)).href,
      pathToFileURL(join(folder, `${nameOf(path)}.js`)).href,
    ]),
  )
  writeFileSync(
    loader,
    `import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
const place = process.argv[1] === undefined ? undefined : ${JSON.stringify(places)}[pathToFileURL(process.argv[1]).href]
if (place !== undefined) {
  const hooks = registerHooks({
    resolve(specifier, context, next) {
      if (context.parentURL !== undefined) return next(specifier, context)
      hooks.deregister()
      return { url: place, format: 'module', shortCircuit: true }
    },
  })
}
`,
  )
  return loader
}

const nameOf = (path: string) => path.replace(/\.ts$/, '').replaceAll('/', '-')
