import type { ReactNode } from 'react'
import { Brand } from '../../app/brand.tsx'
import { useTitle } from '../../ui/use-title.ts'
import styles from './session.module.css'

/** A page before the shell: one thing to do. */
export function Card({ title, about, children }: { title: string; about?: ReactNode; children: ReactNode }) {
  useTitle(title)
  return (
    <main className={styles.page}>
      <div className={styles.card}>
        <Brand />
        <div>
          <h1>{title}</h1>
          {about && <p className="soft">{about}</p>}
        </div>
        {children}
      </div>
    </main>
  )
}
