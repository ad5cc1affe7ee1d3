import { useState } from 'react'
import type { Answer } from '../../api/client.ts'
import { RecordPicker } from '../../records/fields/record-picker.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useMe } from '../session/session.ts'
import { AnswerOf, Writing } from './answered.tsx'
import styles from './assistant.module.css'
import { type Citation, useAnswer } from './use-answer.ts'
import { useAssistantWords } from './words.ts'

export function Examine({ onSource }: { onSource: (citation: Citation) => void }) {
  const w = useAssistantWords()
  const { id } = useMe()
  const [documentId, setDocumentId] = useState<number>()
  const [instructions, setInstructions] = useDraft(`assistant instructions ${id}`)
  const [isTried, setTried] = useState(false)
  const [found, setFound] = useState<Answer<'POST /api/ai/analyze'>>()
  const asking = useAnswer('POST /api/ai/analyze', setFound)
  const { ask, isPending, error } = asking
  const submit = () => {
    setTried(true)
    if (documentId === undefined || !instructions.trim() || isPending) return
    setFound(undefined)
    ask({ document_id: documentId, instructions: instructions.trim() })
  }
  return (
    <div className={styles.column}>
      <Form onSend={submit} className={styles.form}>
        <RecordPicker
          label={w.document}
          kinds={['document']}
          hint={w.documentHint}
          isRequired
          onChange={record => setDocumentId(record?.id)}
          wrong={error?.of('document_id') ?? (isTried && documentId === undefined ? w.documentMissing : undefined)}
        />
        <Field
          label={w.instructions}
          rows={3}
          maxLength={4000}
          isRequired
          value={instructions}
          onChange={setInstructions}
          wrong={error?.of('instructions')}
        />
        <Button type="submit" look="main" isPending={isPending}>
          {w.examine}
        </Button>
      </Form>
      <Writing of={asking} />
      {found && !isPending && (
        <AnswerOf of={found} onSource={onSource}>
          {found.left_out && <p className="soft">{found.left_out}</p>}
        </AnswerOf>
      )}
    </div>
  )
}
