import { useMutation, useQueryClient } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { type Mentioned, Mentions } from '../../records/fields/mentions.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Toggle } from '../../ui/filter.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { focusComment } from './comment-focus.ts'
import styles from './comments.module.css'
import type { Comment } from './comments-query.ts'
import { quoteIn, quoteKey } from './threads.ts'

export function NewComment({ id, version, page }: { id: number; version: string; page: number }) {
  const { document: w, reading: r } = useWords()
  const { id: ownId } = useMe()
  const [draft, setDraft] = useDraft(quoteKey(ownId, id, version))
  const quote = quoteIn(draft)
  const [isOnPage, setOnPage] = useState(true)
  return (
    <CommentForm
      draft={`comment ${ownId} ${id} ${version}`}
      label={w.comment}
      button={w.addComment}
      isFocused={quote !== undefined}
      send={body =>
        call('POST /api/documents/{id}/comments', {
          path: { id },
          body: { ...body, version, ...(quote ? { page: quote.page, quote: quote.text } : isOnPage && { page }) },
        })
      }
      onDone={() => setDraft('')}
      above={
        quote && (
          <div className={styles.quoted}>
            <blockquote>
              {quote.text} <span className="soft">{w.onPage(quote.page)}</span>
            </blockquote>
            <Button look="icon" label={r.dropQuote} icon={X} onPress={() => setDraft('')} />
          </div>
        )
      }
      beside={!quote && <Toggle name={w.aboutPage(page)} isOn={isOnPage} onChange={setOnPage} />}
    />
  )
}

export function ReplyTo({ comment: { id, document_id }, onClose }: { comment: Comment; onClose: () => void }) {
  const { document: w, reading: r } = useWords()
  const { id: ownId } = useMe()
  return (
    <CommentForm
      draft={`reply ${ownId} ${id}`}
      label={w.reply}
      button={r.answer}
      isFocused
      send={body =>
        call('POST /api/documents/{id}/comments', { path: { id: document_id }, body: { ...body, parent_id: id } })
      }
      onDone={onClose}
      onCancel={onClose}
    />
  )
}

export function ChangeComment({ comment, onClose }: { comment: Comment; onClose: () => void }) {
  const { document: w, reading: r } = useWords()
  const { id: ownId } = useMe()
  const { id, document_id, text, mentions } = comment
  return (
    <CommentForm
      draft={`change ${ownId} ${id}`}
      before={text}
      mentioned={mentions}
      label={w.comment}
      button={r.save}
      isFocused
      send={body =>
        call('PUT /api/documents/{id}/comments/{comment_id}', { path: { id: document_id, comment_id: id }, body })
      }
      onDone={onClose}
      onCancel={onClose}
    />
  )
}

interface Props {
  /** The key of its draft. */
  draft: string
  /** What it said until now. */
  before?: string
  mentioned?: readonly Mentioned[]
  label: string
  button: string
  isFocused: boolean
  send: (body: { text: string; mentions?: number[] }) => Promise<Comment>
  onDone: () => void
  onCancel?: () => void
  above?: ReactNode
  beside?: ReactNode
}

function CommentForm(props: Props) {
  const { before = '', mentioned, label, button, isFocused, send, onDone, onCancel, above, beside } = props
  const { document: w, common } = useWords()
  const { permissions } = useMe()
  const client = useQueryClient()
  const [draft, setDraft] = useDraft(props.draft)
  const [isTouched, setTouched] = useState(draft !== '')
  const [people, setPeople] = useState<Mentioned[]>([])
  const text = isTouched ? draft : before
  const change = (next: string) => {
    setTouched(true)
    setDraft(next)
  }
  const { mutate, isPending, error } = useMutation<Comment, Problem>({
    mutationFn: () => send({ text: text.trim(), ...(people.length > 0 && { mentions: people.map(({ id }) => id) }) }),
    onSuccess: ({ id }) => {
      focusComment(id)
      setDraft('')
      setTouched(false)
      setPeople([])
      onDone()
      return refresh(client, 'documents/{id}/comments')
    },
    // Somebody may have answered or resolved it: what can be done with it now is read anew, and what was typed stays.
    onError: ({ status }) => {
      if (status === 409) void refresh(client, 'documents/{id}/comments')
    },
  })
  const submit = () => {
    if (text.trim() && !isPending) mutate()
  }
  return (
    <Form onSend={submit} className={styles.form} data-print="none">
      {above}
      {error && error.of('text') === undefined && <Refused error={error} />}
      <Field
        label={label}
        hint={w.commentHint}
        rows={3}
        autoFocus={isFocused}
        value={text}
        onChange={change}
        wrong={error?.of('text')}
      />
      {permissions.includes('users.read') && (
        <Mentions people={people} onChange={setPeople} {...(mentioned && { kept: mentioned })} />
      )}
      <div className={styles.buttons}>
        {beside}
        <span>
          {onCancel && (
            <Button
              onPress={() => {
                setDraft('')
                onCancel()
              }}
            >
              {common.cancel}
            </Button>
          )}
          <Button type="submit" look={onCancel ? 'plain' : 'main'} isPending={isPending}>
            {button}
          </Button>
        </span>
      </div>
    </Form>
  )
}
