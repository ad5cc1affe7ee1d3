export interface InOrder {
  id: number
  number: string
  title: string
  isArchived: boolean
  is_prerequisite: boolean
}

/** What has to be completed before the one at a place: every prerequisite above it. */
export const before = (programs: readonly InOrder[], at: number) =>
  programs.slice(0, at).filter(({ is_prerequisite }) => is_prerequisite)
