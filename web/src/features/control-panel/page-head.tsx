import { type ReactNode, useEffect, useRef } from 'react'
import styles from './control-panel.module.css'
import { usePanelTitle } from './words.ts'

interface Props {
  title: string
  about: ReactNode
  children?: ReactNode
}

/** The head of a page, which has the focus when it is opened: readers begin there. */
export function PageHead({ title, about, children }: Props) {
  const heading = useRef<HTMLHeadingElement>(null)
  usePanelTitle(title)
  useEffect(() => heading.current?.focus(), [])
  return (
    <div className={styles.head}>
      <div>
        <h1 ref={heading} tabIndex={-1}>
          {title}
        </h1>
        <p className="soft">{about}</p>
      </div>
      {children && <div className={styles.tools}>{children}</div>}
    </div>
  )
}
