// Reads docs/access.md: for each request the permission that it needs, and which of the roles have it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface AccessRow {
  /** As the description of the API writes it: `GET /api/users/{id}`. */
  request: string
  permission: string
  /** By role. */
  allowed: Record<string, boolean>
}

export function readAccessTable(): AccessRow[] {
  const file = join(import.meta.dirname, '../../docs/access.md')
  const [head, , ...rows] = readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line.startsWith('|'))
    .map(cellsOf)
  const roles = head!.slice(2)
  return rows.map(([request, permission, ...marks]) => ({
    request: request!,
    permission: permission!,
    allowed: Object.fromEntries(roles.map((role, index) => [role, isYes(marks[index], request!)])),
  }))
}

const cellsOf = (line: string) =>
  line
    .split('|')
    .slice(1, -1)
    .map(cell => cell.trim().replaceAll('`', ''))

function isYes(mark: string | undefined, request: string) {
  if (mark !== 'yes' && mark !== '-') throw new Error(`docs/access.md says neither yes nor - of ${request}: ${mark}`)
  return mark === 'yes'
}
