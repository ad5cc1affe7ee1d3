import { Ban, RotateCcw, Undo2 } from 'lucide-react'
import { useState } from 'react'
import { isOffered, whyNotOf } from '../../records/allowed.ts'
import { NextStep } from '../../records/case/next-step.tsx'
import { useCaseWords } from '../../records/case/words.ts'
import { Button } from '../../ui/button.tsx'
import { type Capa, isOver, youOf } from './capa.ts'
import { type Act, CapaActDialog } from './capa-acts.tsx'
import { useCapaWords } from './words.ts'

const forward: Partial<Record<Capa['status'], Act>> = {
  draft: 'approve_draft',
  open: 'start',
  in_progress: 'verify',
  pending_effectiveness: 'close',
}
const others = [
  ['reject_draft', Undo2],
  ['not_effective', RotateCcw],
  ['cancel', Ban],
] as const

/** Where a condition is met. */
const anchors: Record<string, string> = {
  is_assigned: 'people',
  has_root_cause: 'cause',
  has_action: 'actions',
  actions_are_done: 'actions',
  adverse_effects_are_assessed: 'adverse',
  was_found_effective: 'reviews',
  was_found_not_effective: 'reviews',
}

/** What is missing until it can be closed, and what this person can do next. */
export function CapaStep({ of: capa }: { of: Capa }) {
  const w = useCapaWords()
  const cases = useCaseWords()
  const [act, setAct] = useState<Act>()
  const { status } = capa
  const you = youOf(capa)
  const awaitsApproval = isOffered(you, 'approve_plan')
  // Of an urgent one the plan is approved before anybody carries it out.
  const next = you.may.includes('approve_plan') ? 'approve_plan' : forward[status]
  const shown = next && isOffered(you, next) ? { act: next, button: w.acts[next].action } : undefined
  return (
    <>
      <NextStep
        title={isOver(capa) ? w.isOver[status as 'closed'] : cases.missingTitle}
        text={isOver(capa) ? w.isOverText[status as 'closed'] : undefined}
        you={you}
        next={shown}
        goal="close"
        onTake={each => setAct(each as Act)}
        anchorOf={condition => anchors[condition]}
      >
        {awaitsApproval && next !== 'approve_plan' && (
          <Button whyNot={whyNotOf(you, 'approve_plan')}>{w.acts.approve_plan.action}</Button>
        )}
        {others
          .filter(([name]) => (name === 'not_effective' ? you.may.includes(name) : isOffered(you, name)))
          .map(([name, Icon]) => (
            <Button key={name} icon={Icon} whyNot={whyNotOf(you, name)} onPress={() => setAct(name)}>
              {w.acts[name].action}
            </Button>
          ))}
      </NextStep>
      {act && <CapaActDialog of={capa} act={act} onClose={() => setAct(undefined)} />}
    </>
  )
}
