import { Bell, ClipboardCheck, FileText, Inbox, type LucideIcon, TriangleAlert } from 'lucide-react'
import type { Words } from '../words/en.ts'
import { paths } from './paths.ts'

interface Area {
  name: keyof Words['shell']['areas']
  path: (typeof paths)['work' | 'documents' | 'deviations' | 'capas' | 'notifications']
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
  ],
]

export const areasOf = (permissions: string[]) =>
  areas
    .map(group => group.filter(({ permission }) => permissions.includes(permission)))
    .filter(group => group.length > 0)
