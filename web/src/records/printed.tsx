import { useMe } from '../features/session/session.ts'
import { nameOf } from '../ui/person.tsx'
import { useFormat, useWords } from '../words/index.ts'

/** On paper only: who printed it, and when. */
export function Printed() {
  const { document: w } = useWords()
  const { moment } = useFormat()
  return (
    <p className="soft" data-print="only">
      {w.printed(nameOf(useMe()), moment(new Date().toISOString()))}
    </p>
  )
}
