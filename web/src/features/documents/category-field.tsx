import { useQuery } from '@tanstack/react-query'
import { askPage } from '../../api/queries.ts'
import { ValueField } from '../../records/fields/value-field.tsx'
import { useLater } from '../../ui/use-later.ts'
import { useWords } from '../../words/index.ts'

interface Props {
  value: string
  onChange: (value: string) => void
  wrong?: string | undefined
}

export function CategoryField({ value, ...others }: Props) {
  const { document: w } = useWords()
  const q = useLater(value.trim(), 200)
  const { data } = useQuery(
    askPage('GET /api/documents/values', { query: { field: 'category', ...(q && { q: q.slice(0, 100) }) } }),
  )
  return <ValueField label={w.category} used={data?.items ?? []} value={value} {...others} />
}
