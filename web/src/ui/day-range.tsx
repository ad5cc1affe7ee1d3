import { CalendarDays, ChevronDown } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button as AriaButton, Dialog, DialogTrigger, Popover } from 'react-aria-components'
import { useFormat, useWords } from '../words/index.ts'
import { Button } from './button.tsx'
import { DayField } from './day-field.tsx'
import styles from './day-range.module.css'
import chip from './filter.module.css'

export interface Days {
  from?: string | undefined
  to?: string | undefined
}

interface Props {
  label: string
  value: Days
  onChange: (value: Days) => void
  /** By which clock a day is counted. */
  hint?: ReactNode
  /** Says what it is set to even where nobody set it. */
  shown?: string
  /** Without it, some days always stay set. */
  canClear?: boolean
}

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text)

/** From one day to another, both included; either may be open. Says what it is set to without being opened. */
export function DayRange({ label, value, onChange, hint, shown, canClear = true }: Props) {
  const { dayRange: w } = useWords()
  const { day, locale } = useFormat()
  const [typed, setTyped] = useState<Days>()
  const { from, to } = typed ?? value
  const isOn = value.from !== undefined || value.to !== undefined
  const isReversed = from !== undefined && to !== undefined && from > to
  const change = (next: Days) => {
    setTyped(next)
    const texts = [next.from, next.to].filter(each => each !== undefined)
    if (texts.every(isDay) && !(next.from && next.to && next.from > next.to)) onChange(next)
  }
  const name =
    value.from && value.to
      ? new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' }).formatRange(
          new Date(value.from),
          new Date(value.to),
        )
      : value.from
        ? w.since(day(value.from))
        : value.to
          ? w.until(day(value.to))
          : shown
  return (
    <DialogTrigger onOpenChange={() => setTyped(undefined)}>
      <AriaButton className={`${chip.chip} ${isOn ? chip.on : ''}`}>
        <CalendarDays size={14} aria-hidden="true" />
        {label}
        {name && <b>{name}</b>}
        <ChevronDown size={14} aria-hidden="true" />
      </AriaButton>
      <Popover className={chip.popover!} offset={4} placement="bottom start">
        <Dialog className={styles.range!} aria-label={label}>
          <DayField
            label={w.from}
            autoFocus
            value={from ?? ''}
            onChange={next => change({ from: next || undefined, to })}
          />
          <DayField
            label={w.to}
            value={to ?? ''}
            onChange={next => change({ from, to: next || undefined })}
            wrong={isReversed ? w.reversed : undefined}
          />
          {hint && <p className="soft">{hint}</p>}
          {canClear && isOn && <Button onPress={() => change({})}>{w.clear}</Button>}
        </Dialog>
      </Popover>
    </DialogTrigger>
  )
}
