// `npm run --silent sbom`: the packages that the product runs with or delivers within its pages, as CycloneDX. npm's own `--omit dev` leaves out also what a tool of
// the tests needs besides the product, so everything is asked for, and what the lockfile marks as of development alone is left out here.
import { execFileSync } from 'node:child_process'
import { resolve } from 'node:path'
import { deliveredPackages } from './page-packages.ts'

interface Component {
  'bom-ref': string
  properties?: { name: string; value: string }[]
}
interface Bill {
  components: Component[]
  dependencies: { ref: string; dependsOn: string[] }[]
}

const text = execFileSync(
  'npm',
  ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'],
  { cwd: resolve(import.meta.dirname, '..'), encoding: 'utf8', maxBuffer: 64 * 2 ** 20 },
)
const bill = JSON.parse(text) as Bill
const delivered = new Set(deliveredPackages().map(({ name, version }) => `${name}@${version}`))
const isDevelopment = ({ properties = [], ...component }: Component) =>
  properties.some(({ name, value }) => name === 'cdx:npm:package:development' && value === 'true') &&
  !delivered.has(component['bom-ref'])
const left = new Set(bill.components.filter(isDevelopment).map(each => each['bom-ref']))
bill.components = bill.components.filter(each => !left.has(each['bom-ref']))
bill.dependencies = bill.dependencies
  .filter(({ ref }) => !left.has(ref))
  .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(each => !left.has(each)) }))
console.log(JSON.stringify(bill, null, 2))
