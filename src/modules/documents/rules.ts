import type { Actor } from '#action'
import { daysLater } from '#kernel/day.ts'

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

/** The kinds of state that this person reads whoever's version it is. */
export const readableKinds = ({ drafts, obsolete }: Sight): string[] => [
  'effective',
  ...(drafts ? ['initial', 'review'] : []),
  ...(obsolete ? ['final'] : []),
]

export const readsAll = ({ drafts, obsolete }: Sight) => drafts && obsolete

interface Seen {
  status_kind: string
  owner_id: number
  created_by: number
}

export const canRead = (sight: Sight, { status_kind, owner_id, created_by }: Seen) =>
  readableKinds(sight).includes(status_kind) || sight.userId === owner_id || sight.userId === created_by

const days_of_notice = 30

/** The day on which its people are told of a review: early enough to do it, and on the day itself where that is nearer. */
export function noticeOf(review_due_date: string, today: string): string {
  const early = daysLater(review_due_date, -days_of_notice)
  return early > today ? early : review_due_date
}

export const isUnderWay = (status_kind: string) => status_kind === 'initial' || status_kind === 'review'

/** Each word once, without the blanks around it, in their order. */
export const keywordsOf = (words: readonly string[]) => [
  ...new Set(words.map(word => word.trim()).filter(word => word !== '')),
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

/** Where a version stands, in the words of a printed copy. `isOver`: nobody may work by it any more. */
export function standingOf({
  status,
  status_kind,
  approved_at,
  effective_date,
}: {
  status: string
  status_kind: string
  approved_at: string | null
  effective_date: string | null
}): { words: string; isOver: boolean } {
  const name = status.replaceAll('_', ' ').toUpperCase()
  if (status_kind === 'effective') return { words: `${name} since ${effective_date}`, isOver: false }
  if (status_kind === 'final') return { words: name, isOver: true }
  return { words: approved_at === null ? name : `${name} - NOT YET EFFECTIVE`, isOver: false }
}
