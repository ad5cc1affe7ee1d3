import { type ReactNode, useId } from 'react'
import styles from './account.module.css'

interface Props {
  title: string
  about?: ReactNode
  action?: ReactNode
  children?: ReactNode
}

export function Section({ title, about, action, children }: Props) {
  const id = useId()
  return (
    <section className={styles.section} aria-labelledby={id}>
      <header>
        <div>
          <h2 id={id}>{title}</h2>
          {about && <p className="soft">{about}</p>}
        </div>
        {action}
      </header>
      {children}
    </section>
  )
}
