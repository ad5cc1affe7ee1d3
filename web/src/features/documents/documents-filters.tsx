import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { ask, askPage } from '../../api/queries.ts'
import { ListFilters } from '../../records/list/list-filters.tsx'
import { PersonFilter } from '../../records/list/person-filter.tsx'
import { useCountFilters } from '../../records/list/use-count-filters.ts'
import { Button } from '../../ui/button.tsx'
import { Filter, type Option, Toggle } from '../../ui/filter.tsx'
import { useLater } from '../../ui/use-later.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { countsOf, type DocumentsSearch, isNarrowed, type Reader } from './search.ts'

type Counts = NonNullable<Answer<'GET /api/documents/'>['facets']>

interface Props {
  search: DocumentsSearch
  reader: Reader
  /** The list that the filters narrow has come. */
  isListed: boolean
  narrow: (change: DocumentsSearch) => void
}

export function Filters({ search, reader, isListed, narrow }: Props) {
  const { documents: w, lists } = useWords()
  const { permissions } = useMe()
  const counts = useCountFilters('GET /api/documents/', countsOf(search, reader), isListed) ?? {}
  return (
    <ListFilters search={w.search} text={search.q} onSearch={q => narrow({ q })}>
      <StatusFilter counts={counts} value={search.status ?? []} onChange={status => narrow({ status })} />
      <TypeFilter counts={counts} value={search.type ?? []} onChange={type => narrow({ type })} />
      <CategoryFilter counts={counts} value={search.category ?? []} onChange={category => narrow({ category })} />
      {permissions.includes('users.read') && (
        <PersonFilter label={lists.owner} value={search.owner ?? []} onChange={owner => narrow({ owner })} />
      )}
      <KeywordFilter counts={counts} value={search.keyword ?? []} onChange={keyword => narrow({ keyword })} />
      <Toggle name={w.mine} isOn={search.mine ?? false} onChange={isOn => narrow({ mine: isOn || undefined })} />
      <Toggle
        name={w.reviewOverdue}
        isOn={search.overdue ?? false}
        onChange={isOn => narrow({ overdue: isOn || undefined })}
      />
      {search.due !== undefined && (
        <Toggle name={lists.reviewDue(search.due)} isOn onChange={() => narrow({ due: undefined })} />
      )}
      <Toggle
        name={w.needsRevision}
        isOn={search.revision ?? false}
        onChange={isOn => narrow({ revision: isOn || undefined })}
      />
      {isNarrowed(search) && (
        <Button
          look="quiet"
          icon={X}
          onPress={() =>
            narrow({
              ...{ q: undefined, status: undefined, type: undefined, category: undefined, keyword: undefined },
              owner: undefined,
              ...{ mine: undefined, overdue: undefined, due: undefined, revision: undefined },
            })
          }
        >
          {w.clear}
        </Button>
      )}
    </ListFilters>
  )
}

interface FilterOf<T> {
  counts: Counts
  value: T[]
  onChange: (value: T[]) => void
}

function StatusFilter({ counts, ...chosen }: FilterOf<string>) {
  const { documents: w, lists, states } = useWords()
  const found = new Map(counts.status?.map(({ value, count }) => [String(value), count]))
  // A workflow of the tenant's own may have other states than ours.
  const ids = [...new Set([...Object.keys(states), ...found.keys()])]
  const options = ids.map((id): Option => {
    const name = (states as Record<string, string>)[id] ?? id.replaceAll('_', ' ')
    return counts.status ? { id, name, count: found.get(id) ?? 0 } : { id, name }
  })
  return <Filter label={w.status} options={options} countLabel={lists.count} {...chosen} />
}

function TypeFilter({ counts, value, onChange }: FilterOf<number>) {
  const { documents: w, lists } = useWords()
  const types = useQuery({
    ...ask('GET /api/document-types/', { query: { page_size: 100, sort: 'name:asc' } }),
    staleTime: 10 * 60_000,
  })
  const found = new Map(counts.document_type?.map(({ value: id, count }) => [Number(id), count]))
  const options = (types.data?.items ?? []).map(
    ({ id, name }): Option => ({
      id: String(id),
      name,
      ...(counts.document_type && { count: found.get(id) ?? 0 }),
    }),
  )
  return (
    <Filter
      label={w.type}
      options={options}
      countLabel={lists.count}
      value={value.map(String)}
      onChange={next => onChange(next.map(Number))}
    />
  )
}

/** Nobody has to guess how a category is spelt: what was used is what there is. */
function CategoryFilter({ counts, value, ...chosen }: FilterOf<string>) {
  const { lists: w } = useWords()
  const used = (counts.category ?? []).map(
    ({ value: id, count }): Option => ({
      id: String(id),
      name: String(id),
      count,
    }),
  )
  const gone = value.filter(id => !used.some(each => each.id === id)).map((id): Option => ({ id, name: id, count: 0 }))
  if (used.length + gone.length === 0) return null
  return <Filter label={w.category} options={[...used, ...gone]} countLabel={w.count} value={value} {...chosen} />
}

/** There may be more keywords than a menu holds: the most used are listed, and others are found by what is typed. */
function KeywordFilter({ counts, value, onChange }: FilterOf<string>) {
  const { lists: w } = useWords()
  const [text, setText] = useState('')
  const q = useLater(text.trim(), 180)
  const { data } = useQuery({
    ...askPage('GET /api/documents/values', { query: { field: 'keywords', q } }),
    enabled: q !== '',
  })
  const used = (q === '' ? counts.keywords : data?.items) ?? []
  const listed = used.map(({ value: id, count }): Option => ({ id: String(id), name: String(id), count }))
  const others = value
    .filter(id => q === '' && !listed.some(each => each.id === id))
    .map((id): Option => ({ id, name: id, count: 0 }))
  if (listed.length + others.length === 0 && text === '') return null
  return (
    <Filter
      label={w.keyword}
      options={[...others, ...listed]}
      countLabel={w.count}
      value={value}
      onChange={onChange}
      search={{ label: w.keyword, text, onChange: setText }}
    />
  )
}
