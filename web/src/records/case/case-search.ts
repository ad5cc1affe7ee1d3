import { asOfIn, personIn } from '../../app/addresses.ts'

const tabs = ['comments', 'timeline', 'history'] as const
export type CaseTab = 'record' | (typeof tabs)[number]

export interface CaseSearch {
  /** Missing: the record itself. */
  tab?: (typeof tabs)[number] | undefined
  /** A day or a moment: the record as it was then. */
  as_of?: string | undefined
  /** Whose deputy opened it from their work. */
  for?: number | undefined
}

export function caseSearch({ tab, as_of, for: person }: Record<string, unknown>): CaseSearch {
  const known = tabs.find(each => each === tab)
  return { ...(known && { tab: known }), ...asOfIn(as_of), ...personIn(person) }
}
