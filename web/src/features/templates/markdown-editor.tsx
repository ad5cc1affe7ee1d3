import { Bold, Heading, List } from 'lucide-react'
import { type Ref, useId, useImperativeHandle, useRef } from 'react'
import { Button } from '../../ui/button.tsx'
import { type Fault, piecesOf } from './template.ts'
import styles from './templates.module.css'
import { useTemplateWords } from './words.ts'

export interface EditorHandle {
  /** Writes at the cursor, or over what is selected. */
  insert: (text: string) => void
  /** Shows a place: selected, and in sight. */
  select: (from: number, to: number) => void
}

interface Props {
  ref: Ref<EditorHandle>
  value: string
  onChange: (value: string) => void
  faults: readonly Fault[]
  wrong: string | undefined
}

/** The text of a template. What is wrong is marked where it stands, by a copy of the text beneath the field. */
export function MarkdownEditor({ ref, value, onChange, faults, wrong }: Props) {
  const w = useTemplateWords()
  const id = useId()
  const field = useRef<HTMLTextAreaElement>(null)
  // By the browser's own way of typing, so that it can be undone.
  const insert = (text: string) => {
    field.current!.focus()
    document.execCommand('insertText', false, text)
  }
  useImperativeHandle(ref, () => ({
    insert,
    select(from, to) {
      field.current!.focus()
      field.current!.setSelectionRange(from, to)
      marks.current?.querySelector(`[data-from="${from}"]`)?.scrollIntoView({ block: 'center' })
    },
  }))
  const marks = useRef<HTMLDivElement>(null)
  const around = (before: string, after: string, usual: string) => {
    const { selectionStart, selectionEnd } = field.current!
    insert(`${before}${value.slice(selectionStart, selectionEnd) || usual}${after}`)
  }
  const atLine = (mark: string, usual: string) => {
    const { selectionStart, selectionEnd } = field.current!
    const isAtStart = selectionStart === 0 || value[selectionStart - 1] === '\n'
    const chosen = value.slice(selectionStart, selectionEnd) || usual
    insert(
      `${isAtStart ? '' : '\n\n'}${chosen
        .split('\n')
        .map(line => mark + line)
        .join('\n')}`,
    )
  }
  let at = 0
  return (
    <div className={styles.editor}>
      <div className={styles.editorHead}>
        <label htmlFor={id}>
          {w.text}
          <span aria-hidden="true"> *</span>
        </label>
        <div role="toolbar" aria-label={w.bar}>
          <Button look="icon" label={w.heading} icon={Heading} onPress={() => atLine('## ', w.headingText)} />
          <Button look="icon" label={w.bold} icon={Bold} onPress={() => around('**', '**', w.boldText)} />
          <Button look="icon" label={w.list} icon={List} onPress={() => atLine('- ', '')} />
        </div>
      </div>
      <div className={styles.paper}>
        <div ref={marks} className={styles.marks} aria-hidden="true">
          {piecesOf(value, faults).map(({ text, kind }) => {
            const from = at
            at += text.length
            return kind === 'text' ? (
              text
            ) : (
              <mark key={from} data-from={from} className={kind === 'wrong' ? styles.wrongMark : styles.place}>
                {text}
              </mark>
            )
          })}
          {'\n'}
        </div>
        <textarea
          ref={field}
          id={id}
          value={value}
          spellCheck="true"
          aria-required="true"
          aria-invalid={wrong !== undefined || faults.length > 0 || undefined}
          aria-describedby={`${id}-hint ${id}-wrong`}
          onChange={event => onChange(event.target.value)}
        />
      </div>
      <p id={`${id}-hint`} className={styles.hint}>
        {w.textHint}
      </p>
      <p id={`${id}-wrong`} className={styles.wrong}>
        {wrong ?? faults.map(({ text }) => text).join(' ')}
      </p>
    </div>
  )
}
