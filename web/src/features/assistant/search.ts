const tabs = ['examine', 'write'] as const

export interface AssistantSearch {
  /** Missing: questions. */
  tab?: (typeof tabs)[number] | undefined
}

export function assistantSearch({ tab }: Record<string, unknown>): AssistantSearch {
  const known = tabs.find(each => each === tab)
  return known ? { tab: known } : {}
}
