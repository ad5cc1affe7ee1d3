import { CircleCheck, CircleMinus, CircleX, type LucideIcon, TriangleAlert } from 'lucide-react'
import styles from './control-panel.module.css'

/** A shape for each state, so that the colour is not all that tells them apart. */
const looks: Record<string, [LucideIcon, string]> = {
  Operational: [CircleCheck, 'good'],
  Degraded: [TriangleAlert, 'warned'],
  Down: [CircleX, 'bad_'],
  'Not configured': [CircleMinus, 'idle'],
}

/** The class that gives a state its colour. */
export const toneOf = (status: string) => styles[looks[status]?.[1] ?? 'idle']!

export function StatusMark({ status, size = 18 }: { status: string; size?: number }) {
  const [Icon, tone] = looks[status] ?? [CircleMinus, 'idle']
  return <Icon size={size} className={styles[tone]} aria-hidden="true" />
}
