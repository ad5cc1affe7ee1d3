const tabs = ['comments', 'versions', 'timeline'] as const
export type DocumentTab = 'read' | (typeof tabs)[number]

export interface DocumentSearch {
  /** Missing: the pages of the file. */
  tab?: (typeof tabs)[number]
  version?: string
}

export function documentSearch({ tab, version }: Record<string, unknown>): DocumentSearch {
  const known = tabs.find(each => each === tab)
  return {
    ...(known && { tab: known }),
    ...(version !== undefined && /^\d+\.\d+$/.test(String(version)) && { version: String(version) }),
  }
}
