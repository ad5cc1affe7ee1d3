import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { ProgressBar } from 'react-aria-components'
import type { Answer, Given } from '../../api/client.ts'
import { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { type Uploading, upload } from '../../api/upload.ts'
import { FileChoice, useFileFault } from '../../records/fields/file-choice.tsx'
import { titleOf } from '../../records/fields/file-rules.ts'
import { bindingOf } from '../../ui/binding.ts'
import { Button } from '../../ui/button.tsx'
import { DayField } from '../../ui/day-field.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { announce } from '../../ui/toasts.tsx'
import { Track } from '../../ui/track.tsx'
import type { useFormDraft } from '../../ui/use-form-draft.ts'
import { useWords } from '../../words/index.ts'
import { CategoryField } from './category-field.tsx'
import styles from './upload-form.module.css'

/** All of them texts, as the form sends them. */
export type UploadFields = Record<'title' | 'category' | 'keywords' | 'description' | 'effective_date', string> &
  Partial<Record<'document_type' | 'department' | 'change_type' | 'change_reason' | 'training_impact', string>>

type Stored = Answer<'POST /api/documents/upload'>
type Target = { [N in Uploading & `POST /api/documents/${string}`]: { name: N; path: Given<N>['path'] } }[Uploading &
  `POST /api/documents/${string}`]

interface Props {
  target: Target
  /** The file is not in it: after a reload it is chosen again. */
  state: ReturnType<typeof useFormDraft<UploadFields>>
  /** The fields that have to be filled in, with what is said where one is not. */
  required: Partial<Record<keyof UploadFields, string>>
  /** The fields before the title. `wrongWith` says what is wrong with one. */
  children: (wrongWith: (field: keyof UploadFields) => string | undefined) => ReactNode
  submit: string
  done: (answer: Stored) => string
  onDone: (answer: Stored) => void
  onLeave: () => void
}

export function UploadForm({ target, state, required, children, submit, done, onDone, onLeave }: Props) {
  const { upload: w, common, document: dw } = useWords()
  const client = useQueryClient()
  const faultWith = useFileFault()
  const { fields, change, forget } = state
  const [file, setFile] = useState<File>()
  const [part, setPart] = useState(0)
  const [isCancelled, setCancelled] = useState(false)
  const [isTried, setTried] = useState(false)
  const controller = useRef<AbortController>(undefined)
  // Whoever leaves the page has given it up.
  useEffect(() => () => controller.current?.abort(), [])

  const { mutate, reset, isPending, error } = useMutation<Stored, Error, File>({
    mutationFn: chosen => {
      const body = new FormData()
      for (const [name, value] of Object.entries(fields)) {
        // Of a version, an empty field empties what the version before had; a day cannot be empty.
        if (value.trim() !== '' || (name in { category: 1, keywords: 1, description: 1 } && target.path))
          body.append(name, value.trim())
      }
      body.append('file', chosen)
      controller.current = new AbortController()
      return upload(target.name, { path: target.path, body } as Given<Uploading>, {
        signal: controller.current.signal,
        onProgress: setPart,
      }) as Promise<Stored>
    },
    onSuccess: answer => {
      forget()
      announce(done(answer), w.nowDraft)
      onDone(answer)
      return refresh(client, 'documents/', 'dashboard/')
    },
  })

  const problem = error instanceof Problem ? error : null
  const isOfFile = problem !== null && (problem.status === 413 || problem.status === 415)
  const fault = file && faultWith(file)
  const wrongFile =
    fault ??
    problem?.of('file') ??
    (isOfFile ? problem.message : undefined) ??
    (isTried && !file ? w.noFile : undefined)
  const isMissing = (field: keyof UploadFields) => required[field] !== undefined && !fields[field]?.trim()
  const wrongWith = (field: keyof UploadFields) =>
    problem?.of(field) ?? (isTried && isMissing(field) ? required[field] : undefined)

  const choose = (chosen: File) => {
    reset()
    setCancelled(false)
    if (fields.title === '' || fields.title === (file && titleOf(file.name))) change({ title: titleOf(chosen.name) })
    setFile(chosen)
  }
  const send = () => {
    if (isPending) return
    setTried(true)
    setCancelled(false)
    if (!file || fault !== undefined || Object.keys(required).some(each => isMissing(each as keyof UploadFields)))
      return
    setPart(0)
    mutate(file)
  }
  const cancel = () => {
    controller.current?.abort()
    reset()
    setCancelled(true)
  }
  const bind = bindingOf(fields, change)
  return (
    <Form className={styles.form} onSend={send} noValidate>
      <FileChoice file={file} onChoose={choose} isDisabled={isPending} wrong={isPending ? undefined : wrongFile} />
      {children(wrongWith)}
      <Field label={w.documentTitle} isRequired {...bind('title')} wrong={wrongWith('title')} />
      <CategoryField {...bind('category')} wrong={wrongWith('category')} />
      <Field label={dw.keywords} hint={w.keywordsHint} {...bind('keywords')} wrong={wrongWith('keywords')} />
      <Field label={dw.description} rows={3} {...bind('description')} wrong={wrongWith('description')} />
      <div className={styles.day}>
        <DayField
          label={dw.plannedDate}
          hint={w.plannedHint}
          {...bind('effective_date')}
          wrong={wrongWith('effective_date')}
        />
      </div>
      {problem && problem.issues.length === 0 && !isOfFile && <Refused error={problem} />}
      {isPending ? (
        <Progress part={part} onCancel={cancel} />
      ) : (
        <footer className={styles.buttons}>
          <p role="status" className="soft">
            {isCancelled && w.cancelled}
          </p>
          <Button onPress={onLeave}>{common.cancel}</Button>
          <Button type="submit" look="main" autoFocus={isCancelled}>
            {submit}
          </Button>
        </footer>
      )}
    </Form>
  )
}

/** What has gone cannot be called back: then there is nothing left to cancel. */
function Progress({ part, onCancel }: { part: number; onCancel: () => void }) {
  const { upload: w } = useWords()
  const isGone = part >= 1
  return (
    <div className={styles.progress}>
      <ProgressBar value={part * 100} aria-label={w.sending}>
        {({ percentage, valueText }) => (
          <>
            <p>
              {isGone ? w.checking : w.sending} <span className="soft">{isGone ? '' : valueText}</span>
            </p>
            <Track percentage={percentage} />
          </>
        )}
      </ProgressBar>
      <Button autoFocus isDisabled={isGone} onPress={onCancel}>
        {w.stop}
      </Button>
    </div>
  )
}
