import { ArrowLeft, ArrowRight, Check } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { Checkbox, CheckboxGroup, Label, Radio, RadioGroup } from 'react-aria-components'
import { Button } from '../../ui/button.tsx'
import styles from './questions.module.css'
import page from './training-page.module.css'
import type { Question } from './training-steps.ts'
import { useTrainingWords } from './words.ts'

interface Props {
  questions: Question[]
  answers: Record<string, string[]>
  at: number
  onAnswer: (question: string, options: string[]) => void
  onMove: (to: number) => void
  onBack: (() => void) | undefined
  onEnd: () => void
}

/** One question at a time. Nothing here says what is right, not even to who could know it. */
export function Questions({ questions, answers, at, onAnswer, onMove, onBack, onEnd }: Props) {
  const { doing: w } = useTrainingWords()
  const title = useRef<HTMLHeadingElement>(null)
  const before = useRef(at)
  // Who moves on by a button is led to the next question, also by a reader.
  useEffect(() => {
    if (before.current !== at) title.current?.focus()
    before.current = at
  }, [at])
  const question = questions[at]!
  const chosen = answers[question.key] ?? []
  const isLast = at === questions.length - 1
  const open = questions.findIndex(({ key }) => (answers[key] ?? []).length === 0)
  const goOn = () => {
    if (!isLast) onMove(at + 1)
    else if (open >= 0) onMove(open)
    else onEnd()
  }
  return (
    <section aria-label={w.step.questions}>
      <div className={styles.progress}>
        <span>{w.questionOf(at + 1, questions.length)}</span>
        <span className={styles.track} aria-hidden="true">
          <span style={{ width: `${((at + 1) / questions.length) * 100}%` }} />
        </span>
      </div>
      <h2 ref={title} tabIndex={-1} className={styles.question}>
        {question.text}
      </h2>
      <Options
        key={question.key}
        question={question}
        chosen={chosen}
        onChange={options => onAnswer(question.key, options)}
      />
      <footer className={page.bar} data-print="none">
        {at > 0 ? (
          <Button icon={ArrowLeft} onPress={() => onMove(at - 1)}>
            {w.previous}
          </Button>
        ) : (
          onBack && (
            <Button icon={ArrowLeft} onPress={onBack}>
              {w.back}
            </Button>
          )
        )}
        <Button look="main" whyNot={chosen.length === 0 ? w.chooseFirst : undefined} onPress={goOn}>
          {isLast ? w.toSignature : w.next}
          <ArrowRight size={15} aria-hidden="true" />
        </Button>
      </footer>
    </section>
  )
}

interface OptionsProps {
  question: Question
  chosen: string[]
  onChange: (options: string[]) => void
}

function Options({ question: { type, options }, chosen, onChange }: OptionsProps) {
  const { doing: w } = useTrainingWords()
  if (type === 'multiple')
    return (
      <CheckboxGroup className={styles.options!} value={chosen} onChange={onChange}>
        <Label>{w.chooseSome}</Label>
        {options.map(({ key, text }) => (
          <Checkbox key={key} value={key} className={styles.option!}>
            <span className={styles.box} aria-hidden="true">
              <Check size={14} strokeWidth={3} />
            </span>
            {text}
          </Checkbox>
        ))}
      </CheckboxGroup>
    )
  return (
    <RadioGroup className={styles.options!} value={chosen[0] ?? null} onChange={key => onChange([key])}>
      <Label>{w.chooseOne}</Label>
      {options.map(({ key, text }) => (
        <Radio key={key} value={key} className={styles.option!}>
          <span className={styles.dot} aria-hidden="true" />
          {text}
        </Radio>
      ))}
    </RadioGroup>
  )
}
