import { Filter, type Option } from '../../ui/filter.tsx'
import { useWords } from '../../words/index.ts'

interface Props<T extends string> {
  label: string
  /** The values there can be; without them, those that are in use. */
  all?: readonly T[]
  /** How many there are of each; undefined until the service has said so. */
  counts: readonly { value: string | number; count: number }[] | undefined
  nameOf?: (value: T) => string
  value: T[]
  onChange: (value: T[]) => void
}

/** Some values of a field, each with how many records have it. */
export function FacetFilter<T extends string>({ label, all, counts, nameOf = String, value, onChange }: Props<T>) {
  const { lists: w } = useWords()
  const found = new Map(counts?.map(each => [String(each.value), each.count]))
  const ids = all ?? [...new Set([...found.keys(), ...value])]
  if (ids.length === 0) return null
  const options = ids.map((id): Option => ({ id, name: nameOf(id as T), ...(counts && { count: found.get(id) ?? 0 }) }))
  return (
    <Filter
      label={label}
      options={options}
      countLabel={w.count}
      value={value}
      onChange={next => onChange(next as T[])}
    />
  )
}
