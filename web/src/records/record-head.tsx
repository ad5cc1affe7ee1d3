import { Link } from '@tanstack/react-router'
import { ChevronLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import type { paths } from '../app/paths.ts'
import { Printed } from './printed.tsx'
import styles from './record-page.module.css'

interface Props {
  /** Where the list of such records is, and what it is called. */
  list: (typeof paths)[keyof typeof paths]
  back: string
  number?: string
  title: string
  /** Beside the title: the menu of what can be done. */
  actions?: ReactNode
  /** The actions are buttons with words: on a telephone they stand below the title. */
  areActionsWide?: boolean
  /** The state, and what else one knows it by. */
  state: ReactNode
  /** Warnings. */
  children?: ReactNode
}

/** The head of the page of a record. */
export function RecordHead({ list, back, number, title, actions, areActionsWide = false, state, children }: Props) {
  return (
    <header className={styles.head}>
      <RecordBack list={list}>{back}</RecordBack>
      <div className={areActionsWide ? `${styles.title} ${styles.wraps}` : styles.title}>
        <h1>
          <span className={styles.number}>{number}</span> {title}
        </h1>
        {actions}
      </div>
      <p className={styles.state}>{state}</p>
      {children}
      <Printed />
    </header>
  )
}

/** The way back to the list, above the title. */
export const RecordBack = ({ list, children }: { list: Props['list']; children: string }) => (
  <Link to={list} className={styles.back} data-print="none">
    <ChevronLeft size={14} aria-hidden="true" />
    {children}
  </Link>
)
