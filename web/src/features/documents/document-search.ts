import { textOf } from '../../app/addresses.ts'

const tabs = ['comments', 'versions', 'timeline'] as const
export type DocumentTab = 'read' | (typeof tabs)[number]

export interface DocumentSearch {
  /** Missing: the pages of the file. */
  tab?: (typeof tabs)[number] | undefined
  version?: string | undefined
  /** Of the file, to begin with. */
  page?: number | undefined
}

export function documentSearch({ tab, version, page }: Record<string, unknown>): DocumentSearch {
  const known = tabs.find(each => each === tab)
  return {
    ...(known && { tab: known }),
    ...(/^\d+\.\d+$/.test(textOf(version)) && { version: textOf(version) }),
    ...(/^[1-9]\d{0,4}$/.test(textOf(page)) && { page: Number(textOf(page)) }),
  }
}
