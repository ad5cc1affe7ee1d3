import { ChevronLeft, ChevronRight } from 'lucide-react'
import { useWords } from '../words/index.ts'
import { Button } from './button.tsx'
import styles from './pager.module.css'

interface Props {
  of: { items: unknown[]; page: number; pages: number; total: number }
  /** How many there are on a full page. */
  size: number
  onPage: (page: number) => void
}

export function Pager({ of: { items, page, pages, total }, size, onPage }: Props) {
  const { documents: w } = useWords()
  const before = (page - 1) * size
  return (
    <footer className={styles.pager}>
      <span role="status">{w.range(before + 1, before + items.length, total)}</span>
      {pages > 1 && (
        <span data-print="none">
          <Button
            look="icon"
            label={w.previous}
            icon={ChevronLeft}
            isDisabled={page <= 1}
            onPress={() => onPage(page - 1)}
          />
          <Button
            look="icon"
            label={w.next}
            icon={ChevronRight}
            isDisabled={page >= pages}
            onPress={() => onPage(page + 1)}
          />
        </span>
      )}
    </footer>
  )
}
