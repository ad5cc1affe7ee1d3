import { randomUUID } from 'node:crypto'

/** So long an archive can be downloaded. */
export const availableDays = 7
const dayMs = 24 * 60 * 60 * 1000

export const expiryOf = (completed_at: Date) => new Date(completed_at.getTime() + availableDays * dayMs)

export const numberOf = (id: number) => `Export ${id}`

export const archiveName = (slug: string, snapshot_at: string) =>
  `attest-export-${slug}-${snapshot_at.slice(0, 10)}.zip`

/** A place that belongs to no tenant's files: no sweep looks there, and no backup copies it. */
export const archiveKey = (tenantId: number) => `export/${tenantId}/${randomUUID()}`
