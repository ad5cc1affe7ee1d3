import type { Words } from '../words/en.ts'
import { paths } from './paths.ts'

export interface AdminPart {
  name: keyof Words['shell']['adminParts']
  path: string
  /** Who has none of them is not shown the part. Each of its requests asks for its own. */
  permissions: string[]
}

/** Who may do what. */
const people: AdminPart[] = []

/** By what rules records go their way. */
const rules: AdminPart[] = []

/** How the company's installation behaves, and what it did. */
const company: AdminPart[] = [{ name: 'setUp', path: paths.setUp, permissions: ['settings.read'] }]

/** The parts of the administration, in the order of its pages. */
export const adminParts = { people, rules, company }

const mayRead = (permissions: string[]) => (part: AdminPart) =>
  part.permissions.some(each => permissions.includes(each))

/** The parts that somebody is shown, by their groups; a group of which nothing is left is left out. */
export const adminPartsOf = (permissions: string[]) =>
  (Object.keys(adminParts) as (keyof typeof adminParts)[])
    .map(group => ({ group, parts: adminParts[group].filter(mayRead(permissions)) }))
    .filter(({ parts }) => parts.length > 0)
