import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, Pencil, Reply, RotateCcw } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Refused } from '../../ui/notes.tsx'
import { nameOf, Person } from '../../ui/person.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { ChangeComment, ReplyTo } from './comment-form.tsx'
import styles from './comments.module.css'
import type { Comment } from './comments-query.ts'
import { type Thread, whyNotOf } from './threads.ts'

export function CommentThread({ thread: { first, replies }, canComment }: { thread: Thread; canComment: boolean }) {
  const { document: w, reading: r } = useWords()
  const [doing, setDoing] = useState<'reply' | 'resolve' | 'reopen'>()
  const { resolved_by, reply } = first
  const close = () => setDoing(undefined)
  return (
    <li className={resolved_by ? styles.resolved : ''}>
      <Words comment={first} canComment={canComment} />
      {replies.length > 0 && (
        <ol className={styles.replies} aria-label={r.replies}>
          {replies.map(each => (
            <li key={each.id}>
              <Words comment={each} canComment={canComment} />
            </li>
          ))}
        </ol>
      )}
      {resolved_by && (
        <p className={styles.done}>
          <Check size={14} aria-hidden="true" /> {w.resolvedBy(nameOf(resolved_by))}
          {reply && `: ${reply}`}
        </p>
      )}
      {doing === 'reply' && <ReplyTo comment={first} onClose={close} />}
      {canComment && doing !== 'reply' && (
        <footer data-print="none">
          <Button
            look="quiet"
            icon={<Reply size={14} aria-hidden="true" />}
            whyNot={whyNotOf(first, 'reply')}
            onPress={() => setDoing('reply')}
          >
            {r.answer}
          </Button>
          {resolved_by ? (
            <Button
              icon={<RotateCcw size={14} aria-hidden="true" />}
              whyNot={whyNotOf(first, 'reopen')}
              onPress={() => setDoing('reopen')}
            >
              {r.reopen}
            </Button>
          ) : (
            <Button
              icon={<Check size={14} aria-hidden="true" />}
              whyNot={whyNotOf(first, 'resolve')}
              onPress={() => setDoing('resolve')}
            >
              {w.resolve}
            </Button>
          )}
        </footer>
      )}
      {doing === 'resolve' && <ResolveDialog comment={first} onClose={close} />}
      {doing === 'reopen' && <ReopenDialog comment={first} onClose={close} />}
    </li>
  )
}

function Words({ comment, canComment }: { comment: Comment; canComment: boolean }) {
  const { document: w, reading: r } = useWords()
  const { moment, list } = useFormat()
  const { id: ownId } = useMe()
  const [isChanging, setChanging] = useState(false)
  const { text, page, quote, parent_id, mentions, created_at, created_by, edited_at, document_id, version } = comment
  const place = page === null ? w.general : w.onPage(page)
  return (
    <>
      <header>
        <b>
          <Person of={created_by} />
        </b>
        <time className="soft" dateTime={created_at}>
          {moment(created_at)}
        </time>
        {edited_at && (
          <span className={styles.edited} title={moment(edited_at)}>
            {r.edited}
          </span>
        )}
        {parent_id === null &&
          (page === null ? (
            <span className={styles.place}>{place}</span>
          ) : (
            <Link
              className={styles.place}
              to="/documents/$id"
              params={{ id: document_id }}
              search={{ version, page }}
              title={r.showPage(page)}
            >
              {place}
            </Link>
          ))}
      </header>
      {quote && <blockquote>{quote}</blockquote>}
      {isChanging ? (
        <ChangeComment comment={comment} onClose={() => setChanging(false)} />
      ) : (
        <>
          <p className={styles.text}>{text}</p>
          {mentions.length > 0 && (
            <p className={styles.mentioned}>{r.mentioned(list(mentions.map(nameOf), 'conjunction'))}</p>
          )}
          {canComment && created_by.id === ownId && (
            <div className={styles.own} data-print="none">
              <Button
                look="quiet"
                icon={<Pencil size={14} aria-hidden="true" />}
                whyNot={whyNotOf(comment, 'update')}
                onPress={() => setChanging(true)}
              >
                {r.change}
              </Button>
            </div>
          )}
        </>
      )}
    </>
  )
}

interface DialogProps {
  comment: Comment
  onClose: () => void
}

function ResolveDialog({ comment: { id, document_id, text }, onClose }: DialogProps) {
  const { document: w, common } = useWords()
  const client = useQueryClient()
  const { id: ownId } = useMe()
  const [reply, setReply] = useDraft(`resolution ${ownId} ${id}`)
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

function ReopenDialog({ comment: { id, document_id, text }, onClose }: DialogProps) {
  const { reading: w, common } = useWords()
  const client = useQueryClient()
  const { id: ownId } = useMe()
  const [reason, setReason] = useDraft(`reopening ${ownId} ${id}`)
  const { mutate, isPending, error } = useMutation<Comment, Problem>({
    mutationFn: () =>
      call('POST /api/documents/{id}/comments/{comment_id}/reopen', {
        path: { id: document_id, comment_id: id },
        body: { ...(reason.trim() && { reason: reason.trim() }) },
      }),
    onSuccess: () => {
      setReason('')
      onClose()
      return refresh(client, 'documents/{id}/comments')
    },
  })
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (!isPending) mutate()
  }
  return (
    <Dialog isOpen onClose={onClose} title={w.reopenTitle} about={text}>
      <form onSubmit={submit}>
        {error && error.issues.length === 0 && <Refused error={error} />}
        <Field label={w.reason} rows={3} autoFocus value={reason} onChange={setReason} wrong={error?.of('reason')} />
        <DialogButtons>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button type="submit" look="main" isPending={isPending}>
            {w.reopen}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
