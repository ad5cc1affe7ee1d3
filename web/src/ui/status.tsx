import {
  Archive,
  BadgeCheck,
  Ban,
  CircleCheck,
  CircleDashed,
  CircleDot,
  CircleX,
  Eye,
  LoaderCircle,
  type LucideIcon,
  PenLine,
  Search as SearchIcon,
} from 'lucide-react'
import { useWords } from '../words/index.ts'
import styles from './status.module.css'

/** The look of a state. A workflow of the tenant's own may have others: they look idle and bear their own name. */
const looks: Record<string, [LucideIcon, keyof typeof styles]> = {
  draft: [CircleDashed, 'idle'],
  in_review: [Eye, 'info'],
  in_approval: [PenLine, 'sign'],
  approved: [CircleCheck, 'good'],
  effective: [BadgeCheck, 'good'],
  superseded: [Archive, 'idle'],
  obsolete: [Ban, 'idle'],
  cancelled: [CircleX, 'idle'],
  open: [CircleDot, 'info'],
  active: [CircleCheck, 'good'],
  inactive: [Ban, 'idle'],
  archived: [Archive, 'idle'],
  under_investigation: [SearchIcon, 'info'],
  in_progress: [LoaderCircle, 'info'],
  pending_approval: [PenLine, 'sign'],
  pending_effectiveness: [Eye, 'info'],
  rejected: [CircleX, 'idle'],
  closed: [CircleCheck, 'good'],
  done: [CircleCheck, 'good'],
}

/** `version`: of another version than the one that the line is about. */
export function Status({ of: state, size = 'm', version }: { of: string; size?: 's' | 'm'; version?: string }) {
  const { states, recordStates } = useWords()
  const [Icon, look] = looks[state] ?? [CircleDashed, 'idle']
  const name = ({ ...recordStates, ...states } as Record<string, string>)[state] ?? state.replaceAll('_', ' ')
  return (
    <span
      title={version && `${version}: ${name}`}
      className={`${styles.status} ${styles[look]} ${size === 's' ? styles.small : ''}`}
    >
      <Icon size={size === 's' ? 12 : 14} aria-hidden="true" />
      {version ?? name}
      {version && <span className="visually-hidden">{name}</span>}
    </span>
  )
}
