import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Check, MessageSquare } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Toggle } from '../../ui/filter.tsx'
import { Empty, Loading, Refused, Unreadable } from '../../ui/notes.tsx'
import { nameOf, Person } from '../../ui/person.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './comments.module.css'
import { commentsOf } from './comments-query.ts'

type Document = Answer<'GET /api/documents/{id}'>
type Comment = Answer<'GET /api/documents/{id}/comments'>['items'][number]

export function Comments({ document, version, page }: { document: Document; version: string; page: number }) {
  const { document: w } = useWords()
  const { id: ownId, permissions } = useMe()
  const { data, error, refetch } = useQuery(commentsOf(document.id, version))
  if (error) return <Unreadable error={error} onRetry={() => void refetch()} />
  if (!data) return <Loading />
  const isTheirs = document.owner.id === ownId || document.created_by?.id === ownId
  return (
    <div className={styles.comments}>
      {data.items.length === 0 ? (
        <Empty icon={<MessageSquare size={22} aria-hidden="true" />} title={w.noComments} />
      ) : (
        <ol>
          {data.items.map(comment => (
            <Line
              key={comment.id}
              comment={comment}
              canResolve={isTheirs || comment.created_by.id === ownId || permissions.includes('documents.review')}
            />
          ))}
        </ol>
      )}
      {permissions.includes('documents.comment') && <NewComment id={document.id} version={version} page={page} />}
    </div>
  )
}

function Line({ comment, canResolve }: { comment: Comment; canResolve: boolean }) {
  const { document: w } = useWords()
  const { moment } = useFormat()
  const [isResolving, setResolving] = useState(false)
  const { text, page, quote, created_at, created_by, resolved_by, reply } = comment
  return (
    <li className={resolved_by ? styles.resolved : ''}>
      <header>
        <b>
          <Person of={created_by} />
        </b>
        <time className="soft" dateTime={created_at}>
          {moment(created_at)}
        </time>
        <span className={styles.place}>{page === null ? w.general : w.onPage(page)}</span>
      </header>
      {quote && <blockquote>{quote}</blockquote>}
      <p>{text}</p>
      {resolved_by ? (
        <p className={styles.done}>
          <Check size={14} aria-hidden="true" /> {w.resolvedBy(nameOf(resolved_by))}
          {reply && `: ${reply}`}
        </p>
      ) : (
        canResolve && (
          <footer data-print="none">
            <Button icon={<Check size={14} aria-hidden="true" />} onPress={() => setResolving(true)}>
              {w.resolve}
            </Button>
          </footer>
        )
      )}
      {isResolving && <ResolveDialog comment={comment} onClose={() => setResolving(false)} />}
    </li>
  )
}

function ResolveDialog({ comment: { id, document_id, text }, onClose }: { comment: Comment; onClose: () => void }) {
  const { document: w, common } = useWords()
  const client = useQueryClient()
  const { id: ownId } = useMe()
  const [reply, setReply] = useDraft(`reply ${ownId} ${id}`)
  const { mutate, isPending, error } = useMutation<Comment, Problem>({
    mutationFn: () =>
      call('POST /api/documents/{id}/comments/{comment_id}/resolve', {
        path: { id: document_id, comment_id: id },
        body: { ...(reply.trim() && { reply: reply.trim() }) },
      }),
    onSuccess: () => {
      setReply('')
      onClose()
      return refresh(client, 'documents/{id}/comments')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isPending) mutate()
  }
  return (
    <Dialog isOpen onClose={onClose} title={w.resolveTitle} about={text}>
      <form onSubmit={submit}>
        {error && error.issues.length === 0 && <Refused error={error} />}
        <Field label={w.reply} rows={3} autoFocus value={reply} onChange={setReply} wrong={error?.of('reply')} />
        <DialogButtons>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button type="submit" look="main" isPending={isPending}>
            {w.resolve}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}

function NewComment({ id, version, page }: { id: number; version: string; page: number }) {
  const { document: w } = useWords()
  const client = useQueryClient()
  const { id: ownId } = useMe()
  const [text, setText] = useDraft(`comment ${ownId} ${id} ${version}`)
  const [isOnPage, setOnPage] = useState(true)
  const { mutate, isPending, error } = useMutation<Comment, Problem>({
    mutationFn: () =>
      call('POST /api/documents/{id}/comments', {
        path: { id },
        body: { text: text.trim(), version, ...(isOnPage && { page }) },
      }),
    onSuccess: () => {
      setText('')
      return refresh(client, 'documents/{id}/comments')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (text.trim() && !isPending) mutate()
  }
  return (
    <form onSubmit={submit} className={styles.form} data-print="none">
      {error && error.issues.length === 0 && <Refused error={error} />}
      <Field
        label={w.comment}
        hint={w.commentHint}
        rows={3}
        value={text}
        onChange={setText}
        wrong={error?.of('text')}
      />
      <div>
        <Toggle isOn={isOnPage} onChange={setOnPage}>
          {w.aboutPage(page)}
        </Toggle>
        <Button type="submit" look="main" isPending={isPending}>
          {w.addComment}
        </Button>
      </div>
    </form>
  )
}
