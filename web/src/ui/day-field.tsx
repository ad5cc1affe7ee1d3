import { parseDate } from '@internationalized/date'
import { CalendarDays, ChevronLeft, ChevronRight } from 'lucide-react'
import { type ClipboardEvent, type ReactNode, useState } from 'react'
import {
  Button,
  Calendar,
  CalendarCell,
  CalendarGrid,
  DateInput,
  DatePicker,
  DateSegment,
  Dialog,
  FieldError,
  Group,
  Heading,
  Label,
  Popover,
  Text,
} from 'react-aria-components'
import styles from './day-field.module.css'
import { dayFromText, isDay } from './days.ts'
import field from './field.module.css'

const firstYear = 1000

interface Props {
  label: string
  hint?: ReactNode
  /** As the API writes it, 2026-03-01; empty for no day. */
  value: string
  onChange: (value: string) => void
  isRequired?: boolean
  autoFocus?: boolean
  wrong?: string | undefined
}

/** A day, written in the order of the page's language, whatever the browser's is: typed, pasted, or chosen from a calendar. */
export function DayField({ label, hint, value, onChange, isRequired = false, autoFocus = false, wrong }: Props) {
  // What is typed stands here at once, whoever keeps the day: an address, for one, is another a moment later.
  const [typed, setTyped] = useState(value)
  const [given, setGiven] = useState(value)
  const [told, setTold] = useState(value)
  if (given !== value) {
    setGiven(value)
    if (value !== told) setTyped(value)
  }
  const tell = (day: string) => {
    setTold(day)
    if (day !== value) onChange(day)
  }
  const paste = (event: ClipboardEvent) => {
    const day = dayFromText(event.clipboardData.getData('text'))
    if (day === undefined) return
    event.preventDefault()
    setTyped(day)
    tell(day)
  }
  return (
    <DatePicker
      className={field.field!}
      value={isDay(typed) ? parseDate(typed) : null}
      onChange={day => {
        setTyped(day?.toString() ?? '')
        // While a year is typed, its first digits are none.
        tell(day && day.year >= firstYear ? day.toString() : '')
      }}
      isInvalid={wrong !== undefined}
      validationBehavior="aria"
      shouldForceLeadingZeros
      isRequired={isRequired}
      autoFocus={autoFocus}
    >
      <Label className={styles.label!}>
        {label}
        {isRequired && <span aria-hidden="true"> *</span>}
      </Label>
      <Group className={styles.group!} onPasteCapture={paste}>
        <DateInput className={styles.input!}>
          {segment => <DateSegment segment={segment} className={styles.segment!} />}
        </DateInput>
        <Button className={styles.open!}>
          <CalendarDays size={15} aria-hidden="true" />
        </Button>
      </Group>
      {hint && <Text slot="description">{hint}</Text>}
      <FieldError>{wrong}</FieldError>
      <Popover className={styles.popover!} offset={4}>
        <Dialog className={styles.dialog!}>
          <Calendar firstDayOfWeek="mon">
            <header className={styles.head}>
              <Button slot="previous" className={styles.turn!}>
                <ChevronLeft size={16} aria-hidden="true" />
              </Button>
              <Heading className={styles.month!} />
              <Button slot="next" className={styles.turn!}>
                <ChevronRight size={16} aria-hidden="true" />
              </Button>
            </header>
            <CalendarGrid className={styles.grid!}>
              {day => <CalendarCell date={day} className={styles.cell!} />}
            </CalendarGrid>
          </Calendar>
        </Dialog>
      </Popover>
    </DatePicker>
  )
}
