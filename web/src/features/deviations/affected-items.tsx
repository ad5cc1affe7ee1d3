import { useQuery } from '@tanstack/react-query'
import { Plus, X } from 'lucide-react'
import { askPage } from '../../api/queries.ts'
import { ValueField } from '../../records/fields/value-field.tsx'
import { Button } from '../../ui/button.tsx'
import { Select } from '../../ui/select.tsx'
import { useLater } from '../../ui/use-later.ts'
import { type AffectedItem, itemKinds } from './report.ts'
import styles from './report-page.module.css'
import { useReportWords } from './report-words.ts'

interface Props {
  items: AffectedItem[]
  onChange: (items: AffectedItem[]) => void
  wrong?: string | undefined
}

/** Batches, equipment and what else is affected, as many as there are. */
export function AffectedItems({ items, onChange, wrong }: Props) {
  const w = useReportWords()
  return (
    <fieldset className={styles.items}>
      <legend>{w.affected}</legend>
      {items.map((item, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a line has nothing else that it is known by
        <div key={index} className={styles.item}>
          <div className={styles.kind}>
            <Select
              label={w.kind}
              options={itemKinds.map(id => ({ id, name: w.kinds[id] }))}
              value={item.kind}
              onChange={kind => onChange(items.with(index, { ...item, kind: kind as AffectedItem['kind'] }))}
            />
          </div>
          <Identifier
            value={item.identifier}
            onChange={identifier => onChange(items.with(index, { ...item, identifier }))}
          />
          <Button
            look="icon"
            label={w.dropItem(item.identifier)}
            icon={X}
            onPress={() => onChange(items.toSpliced(index, 1))}
          />
        </div>
      ))}
      {wrong && <p className={styles.wrong}>{wrong}</p>}
      <div>
        <Button
          icon={Plus}
          onPress={() => onChange([...items, { kind: items.at(-1)?.kind ?? 'batch', identifier: '' }])}
        >
          {w.addItem}
        </Button>
      </div>
    </fieldset>
  )
}

function Identifier({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const w = useReportWords()
  const q = useLater(value.trim(), 200)
  const { data } = useQuery(
    askPage('GET /api/deviations/values', { query: { field: 'affected_items', ...(q && { q: q.slice(0, 100) }) } }),
  )
  return <ValueField label={w.identifier} used={data?.items ?? []} value={value} onChange={onChange} />
}
