import { daysLater } from '#kernel/day.ts'
import type { Message } from '#kernel/message.ts'
import { printed } from '../messages.ts'

/** The versions that a person may read: effective ones in any case, others by permission or as their author or owner. */
export interface Sight {
  userId: number | null
  drafts: boolean
  obsolete: boolean
}

export const sightOf = ({
  userId,
  permissions,
}: {
  userId: number | null
  permissions: ReadonlySet<string>
}): Sight => ({
  userId,
  drafts: permissions.has('documents.read_drafts'),
  obsolete: permissions.has('documents.read_obsolete'),
})

/** The kinds of state that this person may read in everybody's versions. */
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

const noticeDays = 30

/** The day of the first reminder of a review: some weeks before it is due, or the due date if that is nearer. */
export function noticeOf(review_due_date: string, today: string): string {
  const early = daysLater(review_due_date, -noticeDays)
  return early > today ? early : review_due_date
}

export const isUnderWay = (status_kind: string) => status_kind === 'initial' || status_kind === 'review'

/** Trimmed keywords in their order, without repetitions. */
export const keywordsOf = (words: readonly string[]) => [
  ...new Set(words.map(word => word.trim()).filter(word => word !== '')),
]

interface Label {
  major: number
  minor: number
}

/** The next version label: `major` begins the next whole number, `minor` counts on within the newest. */
export function nextLabel(labels: readonly Label[], change: 'major' | 'minor'): Label {
  const major = Math.max(...labels.map(label => label.major))
  if (change === 'major') return { major: major + 1, minor: 0 }
  return { major, minor: Math.max(...labels.filter(label => label.major === major).map(label => label.minor)) + 1 }
}

/** The status of a version as it is printed on a copy. `isOver`: nobody may work by it any more. */
export function standingOf({
  status: state,
  status_kind,
  approved_at,
  effective_date,
}: {
  status: string
  status_kind: string
  approved_at: string | null
  effective_date: string | null
}): { words: Message; isOver: boolean } {
  const standing =
    status_kind === 'effective'
      ? 'effective'
      : status_kind === 'final'
        ? 'over'
        : approved_at === null
          ? 'not_approved'
          : 'approved'
  return {
    words: printed.document_copy_standing({ state, standing, since: effective_date }),
    isOver: standing === 'over',
  }
}
