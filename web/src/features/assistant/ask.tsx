import { SendHorizontal } from 'lucide-react'
import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useMe } from '../session/session.ts'
import { AnswerOf, Writing } from './answered.tsx'
import styles from './assistant.module.css'
import { type Answered, type Citation, useAnswer } from './use-answer.ts'
import { useAssistantWords } from './words.ts'

interface Turn {
  question: string
  answer: Answered
}

/** Questions and their answers, the newest last, until the page is left: they are stored nowhere. */
export function Ask({ onSource }: { onSource: (citation: Citation) => void }) {
  const w = useAssistantWords()
  const { id } = useMe()
  const [turns, setTurns] = useState<Turn[]>([])
  const [question, setQuestion] = useDraft(`assistant question ${id}`)
  const asking = useAnswer('POST /api/ai/chat', (answer, { message }) => {
    setTurns(before => [...before, { question: message, answer }])
    // What was typed meanwhile is the next question.
    if (question.trim() === message) setQuestion('')
  })
  const { ask, asked, isPending, error } = asking
  const submit = () => {
    if (question.trim() && !isPending) ask({ message: question.trim() })
  }
  return (
    <div className={styles.column}>
      {turns.length === 0 && !isPending && (
        <div className={styles.begin}>
          <p>{w.begin}</p>
          <p className="soft">{w.beginHint}</p>
        </div>
      )}
      <ol className={styles.turns}>
        {turns.map((turn, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: turns are only added
          <li key={index}>
            <h2>{turn.question}</h2>
            <AnswerOf of={turn.answer} onSource={onSource} />
          </li>
        ))}
      </ol>
      {isPending && <h2 className={styles.question}>{asked?.message}</h2>}
      <Writing of={asking} />
      <Form onSend={submit} className={styles.form}>
        <Field
          label={w.question}
          rows={3}
          maxLength={4000}
          value={question}
          onChange={setQuestion}
          autoFocus
          wrong={error?.of('message')}
        />
        <Button type="submit" look="main" isPending={isPending} icon={SendHorizontal}>
          {w.ask}
        </Button>
      </Form>
    </div>
  )
}
