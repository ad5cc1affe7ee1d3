// The packages that are delivered within the pages. They are of development alone, because an installation runs without them; but their code
// reaches each user, so the bill of materials and the check of licences name them like those that the service runs with.
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

/** What the sources of the pages import. test/pages.test.ts compares. */
export const pagePackages = [
  '@dagrejs/dagre',
  '@fontsource-variable/inter',
  '@internationalized/date',
  '@tanstack/react-query',
  '@tanstack/react-router',
  'diff',
  'lucide-react',
  'markdown-to-jsx',
  'pdfjs-dist',
  'react',
  'react-aria-components',
  'react-dom',
  'uqr',
]

interface Package {
  version: string
  dependencies?: Record<string, string>
}

/**
 * They and all that they need, by their places in the lockfile. What is optional is not: pdf.js draws by a native canvas only in Node.
 */
export function deliveredPackages(): { place: string; name: string; version: string }[] {
  const lockfile = join(resolve(import.meta.dirname, '..'), 'package-lock.json')
  const { packages } = JSON.parse(readFileSync(lockfile, 'utf8')) as { packages: Record<string, Package> }
  const places = new Set<string>()
  const add = (name: string, from: string) => {
    const place = placeOf(name, from)
    if (place === undefined || places.has(place)) return
    places.add(place)
    for (const each of Object.keys(packages[place]!.dependencies ?? {})) add(each, place)
  }
  /** As Node looks for a package: below who needs it first, then a level up. */
  function placeOf(name: string, from: string): string | undefined {
    const place = `${from && `${from}/`}node_modules/${name}`
    if (place in packages) return place
    if (from === '') return undefined
    return placeOf(name, from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))))
  }
  for (const name of pagePackages) add(name, '')
  return [...places].map(place => ({
    place,
    name: place.split('node_modules/').at(-1)!,
    version: packages[place]!.version,
  }))
}
