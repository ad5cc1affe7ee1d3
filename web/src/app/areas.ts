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
  Settings,
  Signature,
  Sparkles,
  TriangleAlert,
  UserRoundCog,
} from 'lucide-react'
import type { Words } from '../words/en.ts'
import { adminParts } from './admin-parts.ts'
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
    | 'accounts'
    | 'admin']
  icon: LucideIcon
  /** Shown to people who hold one of them. */
  permissions: string[]
}

/** In the order of the navigation, in groups with a gap between them. */
export const areas: Area[][] = [
  [
    { name: 'work', path: paths.work, icon: Inbox, permissions: ['dashboard.read'] },
    { name: 'notifications', path: paths.notifications, icon: Bell, permissions: ['notifications.read'] },
  ],
  [
    { name: 'documents', path: paths.documents, icon: FileText, permissions: ['documents.read'] },
    { name: 'deviations', path: paths.deviations, icon: TriangleAlert, permissions: ['deviations.read'] },
    { name: 'capa', path: paths.capas, icon: ClipboardCheck, permissions: ['capa.read'] },
    { name: 'training', path: paths.training, icon: GraduationCap, permissions: ['training.read_own'] },
  ],
  [
    { name: 'search', path: paths.search, icon: Search, permissions: ['search.use'] },
    { name: 'assistant', path: paths.assistant, icon: Sparkles, permissions: ['ai.use'] },
  ],
  [
    { name: 'metrics', path: paths.metrics, icon: ChartColumn, permissions: ['dashboard.stats'] },
    { name: 'signatures', path: paths.signatures, icon: Signature, permissions: ['signatures.read'] },
    { name: 'audit', path: paths.audit, icon: ScrollText, permissions: ['audit.read'] },
    { name: 'accessReviews', path: paths.accounts, icon: UserRoundCog, permissions: ['users.read_logins'] },
    {
      name: 'administration',
      path: paths.admin,
      icon: Settings,
      permissions: Object.values(adminParts).flatMap(parts => parts.flatMap(part => part.permissions)),
    },
  ],
]

export const areasOf = (permissions: string[]) =>
  areas
    .map(group => group.filter(area => area.permissions.some(each => permissions.includes(each))))
    .filter(group => group.length > 0)
