// The licences under which the product may be passed on: of each package that it runs with or delivers within its pages, as the lockfile says.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { it } from 'node:test'
import { deliveredPackages } from '../tools/page-packages.ts'

const root = resolve(import.meta.dirname, '..')
const allowed = new Set(['MIT', 'MIT-0', 'Apache-2.0', 'ISC', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD', 'BlueOak-1.0.0'])

/** Other ones, each looked at. */
const exceptions: Record<string, string> = {
  '@fontsource-variable/inter': 'OFL-1.1: a font, free to use and to pass on, not to be sold by itself',
  'dejavu-fonts-ttf': 'the licence of the Bitstream Vera fonts: free to embed and to pass on, not to be sold by itself',
  isbot: 'Unlicense: given to the public; the router brings it for servers that render',
  'json-schema': 'AFL-2.1 or BSD-3-Clause, of which we take the second',
  'png-js': 'MIT, by its LICENSE file; its package.json does not say so',
  'type-fest': 'MIT or CC0-1.0, of which we take the first',
}

interface Package {
  version: string
  license?: string
  dev?: boolean
}
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, Package>
}
const nameOf = (path: string) => path.split('node_modules/').at(-1)!
const exceptionOf = (name: string) => Object.keys(exceptions).find(each => name === each || name.startsWith(`${each}-`))
const delivered = new Set(deliveredPackages().map(({ place }) => place))
const shipped = Object.entries(packages).filter(([path, { dev }]) => path !== '' && (!dev || delivered.has(path)))

it('every package that the product runs with has a licence that lets it be passed on', () => {
  assert.ok(shipped.length > 100)
  const others = shipped
    .filter(([path, { license = '' }]) => !allowed.has(license) && !exceptionOf(nameOf(path)))
    .map(([path, { license }]) => `${nameOf(path)}: ${license ?? 'says none'}`)
  assert.deepEqual(others, [])
})

it('no exception is kept for a package that is gone', () => {
  const names = new Set(shipped.map(([path]) => exceptionOf(nameOf(path))))
  assert.deepEqual(
    Object.keys(exceptions).filter(each => !names.has(each)),
    [],
  )
})

it('npm run sbom lists them all, as CycloneDX', () => {
  const text = execFileSync('npm', ['run', '--silent', 'sbom'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 16 * 2 ** 20,
  })
  const { bomFormat, components } = JSON.parse(text) as { bomFormat: string; components: Record<string, string>[] }
  assert.equal(bomFormat, 'CycloneDX')
  const listed = components.map(({ name, version }) => `${name}@${version}`)
  const expected = shipped.map(([path, { version }]) => `${nameOf(path)}@${version}`)
  assert.deepEqual([...new Set(listed)].sort(), [...new Set(expected)].sort())
})
