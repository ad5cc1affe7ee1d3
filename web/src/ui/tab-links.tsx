import { type ReactNode, useEffect, useRef } from 'react'
import styles from './tab-links.module.css'

/** Pages that belong together, as tabs: `children` are list items with a link each. */
export function TabLinks({ label, children }: { label: string; children: ReactNode }) {
  const list = useRef<HTMLUListElement>(null)
  // On a narrow screen the tabs are scrolled sideways, and the one of this page may be beyond the edge. After each drawing, for it may be another.
  useEffect(() => {
    const link = list.current?.querySelector<HTMLElement>('[aria-current="page"]')
    if (!list.current || !link) return
    const { left, right } = list.current.getBoundingClientRect()
    const { left: from, right: to } = link.getBoundingClientRect()
    if (from < left || to > right) list.current.scrollBy(from - left - (right - left - (to - from)) / 2, 0)
  })
  return (
    <nav className={styles.tabs} aria-label={label} data-print="none">
      <ul ref={list}>{children}</ul>
    </nav>
  )
}
