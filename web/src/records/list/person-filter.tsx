import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask, askPage } from '../../api/queries.ts'
import { Filter, type Option } from '../../ui/filter.tsx'
import { nameOf } from '../../ui/person.tsx'
import { useLater } from '../../ui/use-later.ts'
import { useWords } from '../../words/index.ts'

interface Props {
  label: string
  value: number[]
  onChange: (value: number[]) => void
}

/** Some people of the company. Only who may read the list of users can choose them. */
export function PersonFilter({ label, value, onChange }: Props) {
  const { lists: w } = useWords()
  const [text, setText] = useState('')
  const q = useLater(text, 180)
  const people = useQuery(askPage('GET /api/users/', { query: { q, page_size: 20, sort: 'full_name:asc' } }))
  const [known, setKnown] = useState(new Map<number, string>())
  const first = value[0]
  // One that came with the address, and is not among those that are listed.
  const unlisted = useQuery({
    ...ask('GET /api/users/{id}', { path: { id: first ?? 0 } }),
    enabled: first !== undefined && people.data !== undefined && !known.has(first),
  })
  const seen = [...(people.data?.items ?? []), ...(unlisted.data ? [unlisted.data] : [])]
  const chosenHere = seen.filter(({ id }) => value.includes(id) && !known.has(id))
  if (chosenHere.length > 0) setKnown(new Map([...known, ...chosenHere.map(each => [each.id, nameOf(each)] as const)]))
  const listed = (people.data?.items ?? []).map((each): Option => ({ id: String(each.id), name: nameOf(each) }))
  const others = [...known]
    .filter(([id]) => value.includes(id) && !listed.some(each => each.id === String(id)))
    .map(([id, name]): Option => ({ id: String(id), name }))
  return (
    <Filter
      label={label}
      options={[...others, ...listed]}
      value={value.map(String)}
      onChange={next => onChange(next.map(Number))}
      search={{ label: w.findOwner, text, onChange: setText }}
    />
  )
}
