import { FileSearch, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Empty } from '../../ui/notes.tsx'
import { useWords } from '../../words/index.ts'

interface Props {
  isNarrowed: boolean
  onClear: () => void
  /** That nothing fits, where the list is of other records than documents. */
  none?: string
  /** For a list that has no records at all. */
  icon: LucideIcon
  title: string
  hint: string
  /** What begins the first one. */
  begin?: ReactNode
}

/** A list without a line: because there is nothing, or because nothing fits. */
export function Nothing({ isNarrowed, onClear, none, icon, title, hint, begin }: Props) {
  const { documents: w } = useWords()
  if (!isNarrowed)
    return (
      <Empty icon={icon} title={title}>
        <p>{hint}</p>
        {begin}
      </Empty>
    )
  return (
    <Empty icon={FileSearch} title={none ?? w.none}>
      <p>{w.noneHint}</p>
      <Button onPress={onClear}>{w.clear}</Button>
    </Empty>
  )
}
