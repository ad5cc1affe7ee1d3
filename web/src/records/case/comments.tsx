import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { MessageSquare } from 'lucide-react'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { askAll, refresh } from '../../api/queries.ts'
import { useMe } from '../../features/session/session.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Empty, NotRead, Refused } from '../../ui/notes.tsx'
import { Person } from '../../ui/person.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useFormat, useWords } from '../../words/index.ts'
import type { Case, CaseKind } from './case.ts'
import styles from './parts.module.css'
import { useCaseWords } from './words.ts'

export const commentsOn = (kind: CaseKind, id: number) =>
  askAll(`GET /api/${kind}/{id}/comments`, { path: { id }, query: { sort: 'id:asc' } })

export function Comments({ of: record }: { of: Case }) {
  const w = useCaseWords()
  const { moment } = useFormat()
  const { kind, id, you } = record
  const { data, error, refetch } = useQuery(commentsOn(kind, id))
  if (error || !data) return <NotRead error={error} onRetry={refetch} />
  return (
    <div className={styles.talk}>
      {data.length === 0 ? (
        <Empty icon={MessageSquare} title={w.noComments} />
      ) : (
        <ol className={styles.comments}>
          {data.map(({ id: comment, text, created_at, created_by }) => (
            <li key={comment}>
              <header>
                <b>
                  <Person of={created_by} />
                </b>
                <time className="soft" dateTime={created_at}>
                  {moment(created_at)}
                </time>
              </header>
              <p className={styles.text}>{text}</p>
            </li>
          ))}
        </ol>
      )}
      {you.may.includes('comment') && <NewComment of={record} />}
    </div>
  )
}

function NewComment({ of: { kind, id } }: { of: Case }) {
  const cases = useCaseWords()
  const { document: w } = useWords()
  const client = useQueryClient()
  const [text, setText] = useDraft(`comment ${useMe().id} ${kind} ${id}`)
  const { mutate, isPending, error } = useMutation<Answer<'POST /api/deviations/{id}/comments'>, Problem>({
    mutationFn: () => call(`POST /api/${kind}/{id}/comments`, { path: { id }, body: { text: text.trim() } }),
    onSuccess: () => {
      setText('')
      return refresh(client, `${kind}/{id}/comments`, `${kind}/{id}/timeline`)
    },
  })
  const submit = () => {
    if (text.trim() && !isPending) mutate()
  }
  return (
    <Form onSend={submit} className={styles.form} data-print="none">
      {error && error.of('text') === undefined && <Refused error={error} />}
      <Field
        label={w.comment}
        hint={cases.commentHint}
        rows={3}
        value={text}
        onChange={setText}
        wrong={error?.of('text')}
      />
      <div className="row at-end">
        <Button type="submit" look="main" isPending={isPending}>
          {w.addComment}
        </Button>
      </div>
    </Form>
  )
}
