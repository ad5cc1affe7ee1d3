import { Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { Checkbox, Input, TextField } from 'react-aria-components'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { type FormOption, type FormQuestion, faultOf, trueOrFalse } from './program-form.ts'
import styles from './program-page.module.css'
import { useTrainingWords } from './words.ts'

const questionTypes = ['single', 'multiple', 'true_false'] as const
const most_options = 20

interface Props {
  question: FormQuestion
  isNew: boolean
  onSave: (question: FormQuestion) => void
  onClose: () => void
}

/** One question with its answers, and which of them are right. */
export function QuestionDialog({ question, isNew, onSave, onClose }: Props) {
  const { editor: w } = useTrainingWords()
  const [draft, setDraft] = useState(question)
  const [isTried, setTried] = useState(false)
  const fault = faultOf(draft)
  const change = (next: Partial<FormQuestion>) => setDraft({ ...draft, ...next })
  const setOption = (index: number, next: Partial<FormOption>) =>
    change({
      options: draft.options.map((option, at) =>
        at === index
          ? { ...option, ...next }
          : // Of one right answer, another one takes the place.
            next.is_correct && draft.type !== 'multiple'
            ? { ...option, is_correct: false }
            : option,
      ),
    })
  const save = () => {
    setTried(true)
    if (!fault) onSave(draft)
  }
  return (
    <Dialog isOpen onClose={onClose} title={isNew ? w.addQuestion : w.editQuestion} size="m">
      <Form onSend={save}>
        <Field
          label={w.question}
          rows={2}
          autoFocus
          isRequired
          value={draft.text}
          onChange={text => change({ text })}
          wrong={isTried && fault === 'text' ? w.faults.text : undefined}
        />
        <Choice
          label={w.kind}
          options={questionTypes.map(id => ({ id, name: w.kinds[id] }))}
          value={draft.type}
          onChange={type =>
            change({
              type,
              ...(type === 'true_false' && { options: trueOrFalse(w.yes, w.no) }),
              ...(type === 'single' && {
                options: draft.options.map((option, at) => ({
                  ...option,
                  is_correct: at === draft.options.findIndex(({ is_correct }) => is_correct),
                })),
              }),
            })
          }
        />
        <fieldset className={styles.options}>
          <legend>{w.answers}</legend>
          {draft.options.map((option, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: an answer that is typed is known by its place alone
            <div key={index} className={styles.option}>
              <Checkbox
                className={styles.right!}
                isSelected={option.is_correct}
                onChange={is_correct => setOption(index, { is_correct })}
              >
                <span className={styles.rightMark}>{w.right}</span>
                <span className="visually-hidden">{w.answerNumber(index + 1)}</span>
              </Checkbox>
              <TextField
                aria-label={w.answerNumber(index + 1)}
                className={styles.optionText!}
                value={option.text}
                onChange={text => setOption(index, { text })}
              >
                <Input />
              </TextField>
              {draft.type !== 'true_false' && (
                <Button
                  look="icon"
                  label={w.removeAnswer(index + 1)}
                  icon={Trash2}
                  onPress={() => change({ options: draft.options.filter((_, at) => at !== index) })}
                />
              )}
            </div>
          ))}
          {draft.type !== 'true_false' && draft.options.length < most_options && (
            <Button
              look="quiet"
              icon={Plus}
              onPress={() => change({ options: [...draft.options, { text: '', is_correct: false }] })}
            >
              {w.addAnswer}
            </Button>
          )}
          {isTried && fault && fault !== 'text' && <Refused>{w.faults[fault]}</Refused>}
        </fieldset>
        <Field
          label={w.explanation}
          hint={w.explanationHint}
          rows={2}
          value={draft.explanation}
          onChange={explanation => change({ explanation })}
        />
        <DialogButtons>
          <Button onPress={onClose}>{w.cancel}</Button>
          <Button type="submit" look="main">
            {w.keep}
          </Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
