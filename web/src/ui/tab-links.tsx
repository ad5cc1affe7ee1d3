import type { ReactNode } from 'react'
import styles from './tab-links.module.css'

/** Pages that belong together, as tabs: `children` are list items with a link each. */
export const TabLinks = ({ label, children }: { label: string; children: ReactNode }) => (
  <nav className={styles.tabs} aria-label={label} data-print="none">
    <ul>{children}</ul>
  </nav>
)
