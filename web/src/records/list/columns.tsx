import { Columns3 } from 'lucide-react'
import { useListPreferences } from '../../app/preferences.ts'
import type { Column } from '../../ui/data-table.tsx'
import { Filter } from '../../ui/filter.tsx'
import { useWords } from '../../words/index.ts'

/** The columns of a list that somebody wants to see, and all that there are. The heading of a line is always there: it is its link. */
export function useColumns<T>(list: string, all: Column<T>[], shownAtFirst: readonly string[]) {
  const { columns: chosen = shownAtFirst, keepColumns, error } = useListPreferences(list)
  const optional = all.filter(({ isHeading }) => !isHeading)
  return {
    error,
    shown: all.filter(({ id, isHeading }) => isHeading || chosen.includes(id)),
    choice: {
      options: optional.map(({ id, title }) => ({ id, name: title })),
      value: optional.map(({ id }) => id).filter(id => chosen.includes(id)),
      onChange: (next: string[]) => void keepColumns(next).catch(() => undefined),
    },
  }
}

export function ColumnChoice({ of: choice }: { of: ReturnType<typeof useColumns>['choice'] }) {
  const { lists: w } = useWords()
  return <Filter label={w.columns} icon={Columns3} isPlain {...choice} />
}
