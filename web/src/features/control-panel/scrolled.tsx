import type { ReactNode } from 'react'
import styles from './control-panel.module.css'

/** A table that is wider than a telephone. */
export const Scrolled = ({ label, children }: { label: string; children: ReactNode }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard
  <section className={styles.scrolled} tabIndex={0} aria-label={label}>
    {children}
  </section>
)
