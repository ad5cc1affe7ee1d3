import type { ReactNode } from 'react'
import { SearchText } from '../../ui/search-text.tsx'
import { useWords } from '../../words/index.ts'
import styles from './list-page.module.css'

interface Props {
  /** What is looked for; missing: nothing can be typed. */
  search?: string
  text?: string | undefined
  onSearch?: (text: string | undefined) => void
  children?: ReactNode
}

/** What narrows a list: what is typed, and filters beside it. */
export function ListFilters({ search, text = '', onSearch, children }: Props) {
  const { documents: w } = useWords()
  return (
    <search className={styles.filters} aria-label={w.filters} data-print="none">
      {search !== undefined && onSearch && <SearchText label={search} text={text} onChange={onSearch} />}
      {children && <div className={styles.chips}>{children}</div>}
    </search>
  )
}
