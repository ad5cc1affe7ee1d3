import type { Actor } from '#action'

/** Which versions a person reads: the effective ones by right, what is not effective yet or no more by permission or as one's own. */
export interface Sight {
  userId: number | null
  drafts: boolean
  obsolete: boolean
}

export const sightOf = ({ userId, permissions }: Actor): Sight => ({
  userId,
  drafts: permissions.has('documents.read_drafts'),
  obsolete: permissions.has('documents.read_obsolete'),
})

interface Seen {
  status_kind: string
  owner_id: number
  created_by: number
}

/** `named`: the person has a part in the approval that the version awaits, and decides on what they can read. */
export function canRead(
  { userId, drafts, obsolete }: Sight,
  { status_kind, owner_id, created_by }: Seen,
  named = false,
) {
  if (status_kind === 'effective' || named || userId === owner_id || userId === created_by) return true
  return status_kind === 'final' ? obsolete : drafts
}

/** The words of a comma-separated field, each once, in their order. */
export const keywordsOf = (text: string | undefined) => [
  ...new Set(
    (text ?? '')
      .split(',')
      .map(word => word.trim())
      .filter(word => word !== ''),
  ),
]

interface Label {
  major: number
  minor: number
}

/** The label after these: `major` begins the next whole number, `minor` counts on within the newest. */
export function nextLabel(labels: readonly Label[], change: 'major' | 'minor'): Label {
  const major = Math.max(...labels.map(label => label.major))
  if (change === 'major') return { major: major + 1, minor: 0 }
  return { major, minor: Math.max(...labels.filter(label => label.major === major).map(label => label.minor)) + 1 }
}

/** A day some months later; where that month is too short, its last one. */
export function monthsLater(day: Date, months: number): string {
  const date = new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + months + 1, 0))
  date.setUTCDate(Math.min(day.getUTCDate(), date.getUTCDate()))
  return date.toISOString().slice(0, 10)
}
