import { useNavigate } from '@tanstack/react-router'
import { Ban, ClipboardPlus, RotateCcw, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { isOffered, whyNotOf } from '../../records/allowed.ts'
import { NextStep } from '../../records/case/next-step.tsx'
import { useCaseWords } from '../../records/case/words.ts'
import { Button } from '../../ui/button.tsx'
import { useMe } from '../session/session.ts'
import { type Deviation, isOver, youOf } from './deviation.ts'
import { type Act, DeviationActDialog } from './deviation-acts.tsx'
import { useDeviationWords } from './words.ts'

const forward: Partial<Record<Deviation['status'], Act>> = {
  open: 'investigate',
  under_investigation: 'submit',
  pending_approval: 'close',
}
const others = [
  ['send_back', Undo2],
  ['reopen', RotateCcw],
  ['cancel', Ban],
] as const

/** Where a condition is met. */
const anchors: Record<string, string> = {
  assigned: 'people',
  root_cause: 'root-cause',
  impact_assessed: 'impact',
  form_complete: 'form',
  capa_decided: 'no-capa',
}

/** What is missing until it can be closed, and what this person can do next. */
export function DeviationStep({ of: deviation }: { of: Deviation }) {
  const w = useDeviationWords()
  const cases = useCaseWords()
  const navigate = useNavigate()
  const { permissions } = useMe()
  const [act, setAct] = useState<Act>()
  const { id, status } = deviation
  const you = youOf(deviation)
  const next = forward[status]
  const shown = next && isOffered(you, next) ? { act: next, button: w.acts[next].action } : undefined
  const canRaise = permissions.includes('capa.create') && !isOver(deviation)
  return (
    <>
      <NextStep
        title={isOver(deviation) ? w.isOver[status as 'closed'] : cases.missingTitle}
        text={isOver(deviation) ? w.isOverText[status as 'closed'] : undefined}
        you={you}
        next={shown}
        goal="close"
        onTake={each => setAct(each as Act)}
        anchorOf={condition => anchors[condition]}
      >
        {others
          .filter(([name]) => isOffered(you, name))
          .map(([name, Icon]) => (
            <Button key={name} icon={Icon} whyNot={whyNotOf(you, name)} onPress={() => setAct(name)}>
              {w.acts[name].action}
            </Button>
          ))}
        {canRaise && (
          <Button icon={ClipboardPlus} onPress={() => void navigate({ to: '/capa/new', search: { deviation: id } })}>
            {w.raiseCapa}
          </Button>
        )}
      </NextStep>
      {act && <DeviationActDialog of={deviation} act={act} onClose={() => setAct(undefined)} />}
    </>
  )
}
