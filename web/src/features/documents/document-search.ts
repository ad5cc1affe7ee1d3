import { asOfIn, personIn, textOf } from '../../app/addresses.ts'

const tabs = ['comments', 'versions', 'training', 'copies', 'timeline'] as const
export type DocumentTab = 'read' | (typeof tabs)[number]

const longestMark = 300

export interface DocumentSearch {
  /** Missing: the pages of the file. */
  tab?: (typeof tabs)[number] | undefined
  version?: string | undefined
  /** Of the file, to begin with. */
  page?: number | undefined
  /** Words that are marked on the pages. */
  mark?: string | undefined
  /** A day or a moment: the document as it was then. */
  as_of?: string | undefined
  /** Whose deputy opened it from their work. */
  for?: number | undefined
}

export function documentSearch({
  tab,
  version,
  page,
  mark,
  as_of,
  for: person,
}: Record<string, unknown>): DocumentSearch {
  const known = tabs.find(each => each === tab)
  return {
    ...(known && { tab: known }),
    ...(/^\d+\.\d+$/.test(textOf(version)) && { version: textOf(version) }),
    ...(/^[1-9]\d{0,4}$/.test(textOf(page)) && { page: Number(textOf(page)) }),
    ...(textOf(mark) !== '' && { mark: textOf(mark).slice(0, longestMark) }),
    ...asOfIn(as_of),
    ...personIn(person),
  }
}
