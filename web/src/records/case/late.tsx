import { OctagonAlert } from 'lucide-react'
import type { ReactNode } from 'react'
import { useWords } from '../../words/index.ts'
import list from '../list/list-page.module.css'

/** A day that has passed has a shape and a word, not a colour alone. */
export function Late({ isLate, children }: { isLate: boolean; children: ReactNode }) {
  const { work } = useWords()
  if (!isLate) return <>{children}</>
  return (
    <span className={list.late}>
      <OctagonAlert size={14} aria-hidden="true" />
      {children}
      <span className="visually-hidden">{work.overdue}</span>
    </span>
  )
}
