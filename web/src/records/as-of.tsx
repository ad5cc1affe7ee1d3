import { History } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Button } from '../ui/button.tsx'
import { DayField } from '../ui/day-field.tsx'
import { Dialog, DialogButtons } from '../ui/dialog.tsx'
import { Form } from '../ui/form.tsx'
import { useFormat, useWords } from '../words/index.ts'
import styles from './as-of.module.css'

interface BarProps {
  as_of: string
  /** The link to the record as it is. */
  back: ReactNode
  /** Missing until the record is there. */
  reconstruction: { unknown: unknown[]; left_out: string[] } | undefined
  /** What the audit trail does not hold of such a record. */
  leftOut: string
}

/** Above a record as it was: of which time it is, and what it lacks. */
export function AsOfBar({ as_of, back, reconstruction, leftOut }: BarProps) {
  const { reading: w } = useWords()
  const { day, moment } = useFormat()
  const { unknown, left_out } = reconstruction ?? { unknown: [], left_out: [] }
  return (
    <div className={styles.bar} role="note">
      <History size={15} aria-hidden="true" />
      <b>{w.asOf(as_of.length === 10 ? day(as_of) : moment(as_of))}</b>
      {back}
      {reconstruction && <p>{w.fromTrail}</p>}
      {unknown.length > 0 && <p>{w.unknownChanges(unknown.length)}</p>}
      {left_out.length > 0 && <p>{leftOut}</p>}
    </div>
  )
}

interface DialogProps {
  title: string
  hint: string
  onShow: (day: string) => void
  onClose: () => void
}

/** Which day a record is shown as of. */
export function AsOfDialog({ title, hint, onShow, onClose }: DialogProps) {
  const { reading: w, common } = useWords()
  const { today } = useFormat()
  const [day, setDay] = useState('')
  const isOver = day < today()
  const submit = () => {
    if (day === '' || !isOver) return
    onClose()
    onShow(day)
  }
  return (
    <Dialog isOpen onClose={onClose} title={title}>
      <Form onSend={submit}>
        <DayField
          label={w.day}
          hint={hint}
          autoFocus
          isRequired
          value={day}
          onChange={setDay}
          wrong={isOver ? undefined : w.dayNotOver}
        />
        <DialogButtons>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button type="submit" look="main">
            {w.show}
          </Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
