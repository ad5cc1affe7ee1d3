import type { Answer } from '../../api/client.ts'

export type DueRow = Answer<'GET /api/retention/due'>['items'][number]

export const keyOf = ({ kind, id, version }: Pick<DueRow, 'kind' | 'id' | 'version'>) => `${kind} ${id} ${version}`

/** A deviation or a CAPA has no version. */
export const nameOf = ({ number, version }: Pick<DueRow, 'number' | 'version'>) =>
  version === null ? number : `${number} ${version}`
