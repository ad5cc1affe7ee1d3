import { ChevronDown } from 'lucide-react'
import { Button, Dialog, DialogTrigger, Popover } from 'react-aria-components'
import { Field } from '../../ui/field.tsx'
import styles from '../../ui/filter.module.css'
import { useFormat, useWords } from '../../words/index.ts'
import own from './day-filter.module.css'

interface Props {
  label: string
  from: string | undefined
  to: string | undefined
  onChange: (days: { from?: string | undefined; to?: string | undefined }) => void
}

/** From a day to a day, either of them open. Says what it is set to without being opened. */
export function DayFilter({ label, from, to, onChange }: Props) {
  const { cases: w } = useWords()
  const { day } = useFormat()
  const isOn = from !== undefined || to !== undefined
  return (
    <DialogTrigger>
      <Button className={`${styles.chip} ${isOn ? styles.on : ''}`}>
        {label}
        {isOn && <b>{w.days(from && day(from), to && day(to))}</b>}
        <ChevronDown size={14} aria-hidden="true" />
      </Button>
      <Popover className={styles.popover!} offset={4} placement="bottom start">
        <Dialog aria-label={label} className={own.days!}>
          <Field
            label={w.fromDay}
            type="date"
            value={from ?? ''}
            onChange={next => onChange({ from: next || undefined })}
          />
          <Field label={w.toDay} type="date" value={to ?? ''} onChange={next => onChange({ to: next || undefined })} />
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}
