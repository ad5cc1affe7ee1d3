import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, Pencil, Reply, RotateCcw } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { refresh } from '../../api/queries.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Refused } from '../../ui/notes.tsx'
import { nameOf, Person } from '../../ui/person.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { useCommentFocus } from './comment-focus.ts'
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
          <Button look="quiet" icon={Reply} whyNot={whyNotOf(first, 'reply')} onPress={() => setDoing('reply')}>
            {r.answer}
          </Button>
          {resolved_by ? (
            <Button icon={RotateCcw} whyNot={whyNotOf(first, 'reopen')} onPress={() => setDoing('reopen')}>
              {r.reopen}
            </Button>
          ) : (
            <Button icon={Check} whyNot={whyNotOf(first, 'resolve')} onPress={() => setDoing('resolve')}>
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
  const head = useCommentFocus(comment.id, !isChanging)
  const { text, page, quote, parent_id, mentions, created_at, created_by, edited_at, document_id, version } = comment
  const place = page === null ? w.general : w.onPage(page)
  return (
    <>
      <header ref={head} tabIndex={-1}>
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
              <Button look="quiet" icon={Pencil} whyNot={whyNotOf(comment, 'update')} onPress={() => setChanging(true)}>
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

function ResolveDialog({ comment, onClose }: DialogProps) {
  const { document: w } = useWords()
  const path = { id: comment.document_id, comment_id: comment.id }
  return (
    <RemarkDialog
      comment={comment}
      title={w.resolveTitle}
      field="reply"
      label={w.reply}
      submit={w.resolve}
      send={reply => call('POST /api/documents/{id}/comments/{comment_id}/resolve', { path, body: { ...reply } })}
      onClose={onClose}
    />
  )
}

function ReopenDialog({ comment, onClose }: DialogProps) {
  const { reading: w } = useWords()
  const path = { id: comment.document_id, comment_id: comment.id }
  return (
    <RemarkDialog
      comment={comment}
      title={w.reopenTitle}
      field="reason"
      label={w.reason}
      submit={w.reopen}
      send={reason => call('POST /api/documents/{id}/comments/{comment_id}/reopen', { path, body: { ...reason } })}
      onClose={onClose}
    />
  )
}

interface RemarkProps<F extends string> extends DialogProps {
  title: string
  /** The name of the remark in the request. */
  field: F
  label: string
  submit: string
  /** Nothing where nothing was remarked. */
  send: (remark: { [N in F]?: string }) => Promise<Comment>
}

/** An act on a comment, with a remark if one likes. */
function RemarkDialog<F extends string>({
  comment: { id, text },
  title,
  field,
  label,
  submit,
  send,
  onClose,
}: RemarkProps<F>) {
  const { common } = useWords()
  const client = useQueryClient()
  const { id: ownId } = useMe()
  const [remark, setRemark] = useDraft(`${field} ${ownId} ${id}`)
  const { mutate, isPending, error } = useMutation<Comment, Problem>({
    mutationFn: () => send((remark.trim() ? { [field]: remark.trim() } : {}) as { [N in F]?: string }),
    onSuccess: () => {
      setRemark('')
      onClose()
      return refresh(client, 'documents/{id}/comments')
    },
  })
  return (
    <Dialog isOpen onClose={onClose} title={title} about={text}>
      <Form onSend={() => isPending || mutate()}>
        {error && error.issues.length === 0 && <Refused error={error} />}
        <Field label={label} rows={3} autoFocus value={remark} onChange={setRemark} wrong={error?.of(field)} />
        <DialogButtons>
          <Button onPress={onClose}>{common.cancel}</Button>
          <Button type="submit" look="main" isPending={isPending}>
            {submit}
          </Button>
        </DialogButtons>
      </Form>
    </Dialog>
  )
}
