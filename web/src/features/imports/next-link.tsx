import { ArrowRight } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { type Batch, doneSteps, nextStep } from './batch.ts'
import styles from './imports.module.css'
import { type StepName, stepNames } from './names.ts'
import type { ImportSearch } from './search.ts'
import { useImportWords } from './words.ts'

interface Props {
  batch: Batch
  here: StepName
  go: (next: ImportSearch) => void
}

/** The way on from a step that has nothing left to do: to the one after it, or to where the import stands. */
export function NextLink({ batch, here, go }: Props) {
  const { page: w, steps } = useImportWords()
  const after = stepNames[stepNames.indexOf(here) + 1]
  if (!doneSteps(batch)[here] || after === undefined) return null
  // The first steps are gone through in turn: a setting or a column may be worth a look although nothing is missing.
  const next = here === 'describe' || here === 'files' ? after : nextStep(batch)
  if (next === here) return null
  return (
    <p className={styles.next} data-print="none">
      <Button icon={ArrowRight} onPress={() => go({ step: next })}>
        {w.nextStep(steps[next])}
      </Button>
    </p>
  )
}
