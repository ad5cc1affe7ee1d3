import { X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useMe } from '../../features/session/session.ts'
import { Button } from '../../ui/button.tsx'
import { DayRange } from '../../ui/day-range.tsx'
import { Toggle } from '../../ui/filter.tsx'
import { useWords } from '../../words/index.ts'
import { ListFilters } from '../list/list-filters.tsx'
import { PersonFilter } from '../list/person-filter.tsx'
import { type CaseListSearch, cleared, isNarrowed } from './case-list.ts'
import { useCaseWords } from './words.ts'

interface Props<S extends CaseListSearch> {
  search: S
  narrow: (change: Partial<S>) => void
  /** What the days are of. */
  days: string
  /** The filters of this kind of record, and its own toggle. */
  children: ReactNode
  toggle?: ReactNode
}

/** The filters of a list of deviations or CAPAs. */
export function CaseFilters<S extends CaseListSearch>({ search, narrow, days, children, toggle }: Props<S>) {
  const w = useCaseWords()
  const { documents } = useWords()
  const { permissions } = useMe()
  const set = (change: CaseListSearch) => narrow(change as Partial<S>)
  return (
    <ListFilters search={w.search} text={search.q} onSearch={q => set({ q })}>
      {children}
      {permissions.includes('users.read') && (
        <PersonFilter
          label={w.columns.assigned}
          value={search.assigned ?? []}
          onChange={assigned => set({ assigned })}
        />
      )}
      <DayRange
        label={days}
        value={{ from: search.from, to: search.to }}
        onChange={({ from, to }) => set({ from, to })}
      />
      <Toggle name={w.assignedToMe} isOn={search.mine ?? false} onChange={isOn => set({ mine: isOn || undefined })} />
      {toggle}
      <Toggle
        name={w.unassigned}
        isOn={search.unassigned ?? false}
        onChange={isOn => set({ unassigned: isOn || undefined })}
      />
      <Toggle name={w.overdue} isOn={search.overdue ?? false} onChange={isOn => set({ overdue: isOn || undefined })} />
      {isNarrowed(search) && (
        <Button look="quiet" icon={X} onPress={() => narrow(cleared(search))}>
          {documents.clear}
        </Button>
      )}
    </ListFilters>
  )
}
