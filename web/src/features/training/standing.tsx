import { BookOpen, ListChecks, type LucideIcon, Presentation, Wrench } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { Status } from '../../ui/status.tsx'
import { useTrainingWords } from './words.ts'

export type Assignment = Answer<'GET /api/training/assignments/'>['items'][number]
export type TrainingType = Assignment['type']

export const typeIcons: Record<TrainingType, LucideIcon> = {
  read_and_understand: BookOpen,
  quiz: ListChecks,
  on_the_job: Wrench,
  classroom: Presentation,
}

export const isOpen = ({ status }: Pick<Assignment, 'status'>) => status === 'assigned' || status === 'in_progress'

/** How an assignment stands today, which is more than the state that is stored. */
export function standingOf({
  status,
  is_overdue,
  is_valid,
  verification: { required, verified_at },
}: Pick<Assignment, 'status' | 'is_overdue' | 'is_valid' | 'verification'>) {
  if (is_overdue) return 'overdue'
  if (status !== 'completed') return status
  if (required && verified_at === null) return 'awaiting_verification'
  return is_valid ? 'completed' : 'expired'
}

export function Standing({ of: assignment, size = 'm' }: { of: Assignment; size?: 's' | 'm' }) {
  const { standings: w } = useTrainingWords()
  const standing = standingOf(assignment)
  return <Status of={standing} name={w[standing]} size={size} />
}
