import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { ask } from '../../api/queries.ts'
import { Filter, type Option } from '../../ui/filter.tsx'
import { useLater } from '../../ui/use-later.ts'
import { useGroupsFound, useProgramsFound } from './choices.ts'
import { useTrainingWords } from './words.ts'

const optionOf = ({ id, name }: { id: number; name: string }): Option => ({ id: String(id), name })

/** What is set by the address, and not among what is listed, is named by what the service says of it. */
const withUnlisted = (listed: Option[], unlisted: Option | undefined) =>
  unlisted && !listed.some(({ id }) => id === unlisted.id) ? [unlisted, ...listed] : listed

interface Props {
  value: number[]
  onChange: (value: number[]) => void
}

export function ProgramFilter({ value, onChange }: Props) {
  const { filters: w } = useTrainingWords()
  const [text, setText] = useState('')
  const found = useProgramsFound(useLater(text, 180)) ?? []
  const first = value[0]
  const { data } = useQuery({
    ...ask('GET /api/training/{id}', { path: { id: first ?? 0 } }),
    enabled: first !== undefined,
  })
  const unlisted = data && optionOf({ id: data.id, name: `${data.number} ${data.title}` })
  return (
    <Filter
      label={w.program}
      options={withUnlisted(found.map(optionOf), unlisted)}
      value={value.map(String)}
      onChange={next => onChange(next.map(Number))}
      search={{ label: w.findProgram, text, onChange: setText }}
    />
  )
}

/** One group, which the service narrows by. */
export function GroupFilter({
  value,
  onChange,
}: {
  value: number | undefined
  onChange: (value: number | undefined) => void
}) {
  const { filters: w } = useTrainingWords()
  const [text, setText] = useState('')
  const found = useGroupsFound(useLater(text, 180)) ?? []
  const { data } = useQuery({
    ...ask('GET /api/groups/{id}', { path: { id: value ?? 0 } }),
    enabled: value !== undefined,
  })
  return (
    <Filter
      label={w.group}
      options={withUnlisted(found.map(optionOf), data && optionOf(data))}
      value={value === undefined ? [] : [String(value)]}
      onChange={next => onChange(next.map(Number).find(each => each !== value))}
      search={{ label: w.findGroup, text, onChange: setText }}
    />
  )
}

/** One role, by its name. Only who may read the roles can choose one. */
export function RoleFilter({
  value,
  onChange,
}: {
  value: string | undefined
  onChange: (value: string | undefined) => void
}) {
  const { filters: w } = useTrainingWords()
  const { data } = useQuery(ask('GET /api/roles/', { query: { page_size: 100, sort: 'name:asc' } }))
  return (
    <Filter
      label={w.role}
      options={(data?.items ?? []).map(({ name }) => ({ id: name, name }))}
      value={value === undefined ? [] : [value]}
      onChange={next => onChange(next.find(each => each !== value))}
    />
  )
}
