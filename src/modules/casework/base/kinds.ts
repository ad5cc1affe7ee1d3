import type { Permission } from '#kernel/catalogue.ts'

interface Kind {
  /** The name in the 404, and the noun in a sentence. */
  name: string
  noun: string
  table: string
  /** The column that refers to the record. */
  column: string
  read: Permission
}

/** The kinds of records that share this base. */
export const caseKinds = {
  deviation: {
    name: 'Deviation',
    noun: 'deviation',
    table: 'deviations',
    column: 'deviation_id',
    read: 'deviations.read',
  },
  capa: { name: 'CAPA', noun: 'CAPA', table: 'capas', column: 'capa_id', read: 'capa.read' },
} as const satisfies Record<string, Kind>
export type CaseKind = keyof typeof caseKinds

export interface CaseRef {
  kind: CaseKind
  id: number
  number: string
}

export const ownerOf = ({ kind, id }: CaseRef) => (kind === 'deviation' ? { deviation_id: id } : { capa_id: id })
