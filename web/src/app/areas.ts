import {
  Bell,
  ChartColumn,
  ClipboardCheck,
  FileText,
  GraduationCap,
  Inbox,
  type LucideIcon,
  ScrollText,
  Search,
  Signature,
  Sparkles,
  TriangleAlert,
  UserRoundCog,
} from 'lucide-react'
import type { Words } from '../words/en.ts'
import { paths } from './paths.ts'

interface Area {
  name: keyof Words['shell']['areas']
  path: (typeof paths)[
    | 'work'
    | 'documents'
    | 'deviations'
    | 'capas'
    | 'notifications'
    | 'training'
    | 'search'
    | 'assistant'
    | 'metrics'
    | 'audit'
    | 'signatures'
    | 'accounts']
  icon: LucideIcon
  /** Who lacks it does not see the area at all. */
  permission: string
}

/** In the order of the navigation, in groups with a gap between them. */
export const areas: Area[][] = [
  [
    { name: 'work', path: paths.work, icon: Inbox, permission: 'dashboard.read' },
    { name: 'notifications', path: paths.notifications, icon: Bell, permission: 'notifications.read' },
  ],
  [
    { name: 'documents', path: paths.documents, icon: FileText, permission: 'documents.read' },
    { name: 'deviations', path: paths.deviations, icon: TriangleAlert, permission: 'deviations.read' },
    { name: 'capa', path: paths.capas, icon: ClipboardCheck, permission: 'capa.read' },
    { name: 'training', path: paths.training, icon: GraduationCap, permission: 'training.read_own' },
  ],
  [
    { name: 'search', path: paths.search, icon: Search, permission: 'search.use' },
    { name: 'assistant', path: paths.assistant, icon: Sparkles, permission: 'ai.use' },
  ],
  [
    { name: 'metrics', path: paths.metrics, icon: ChartColumn, permission: 'dashboard.stats' },
    { name: 'signatures', path: paths.signatures, icon: Signature, permission: 'signatures.read' },
    { name: 'audit', path: paths.audit, icon: ScrollText, permission: 'audit.read' },
    { name: 'accessReviews', path: paths.accounts, icon: UserRoundCog, permission: 'users.read_logins' },
  ],
]

export const areasOf = (permissions: string[]) =>
  areas
    .map(group => group.filter(({ permission }) => permissions.includes(permission)))
    .filter(group => group.length > 0)
