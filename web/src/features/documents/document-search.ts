import { textOf } from '../../app/addresses.ts'

const tabs = ['comments', 'versions', 'training', 'copies', 'timeline'] as const
export type DocumentTab = 'read' | (typeof tabs)[number]

export interface DocumentSearch {
  /** Missing: the pages of the file. */
  tab?: (typeof tabs)[number] | undefined
  version?: string | undefined
}

export function documentSearch({ tab, version }: Record<string, unknown>): DocumentSearch {
  const known = tabs.find(each => each === tab)
  return {
    ...(known && { tab: known }),
    ...(/^\d+\.\d+$/.test(textOf(version)) && { version: textOf(version) }),
  }
}
