import { useQuery } from '@tanstack/react-query'
import { MessageSquare } from 'lucide-react'
import type { Answer } from '../../api/client.ts'
import { Empty, NotRead } from '../../ui/notes.tsx'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { NewComment } from './comment-form.tsx'
import { CommentThread } from './comment-thread.tsx'
import styles from './comments.module.css'
import { commentsOf } from './comments-query.ts'
import { threadsOf } from './threads.ts'

interface Props {
  document: Answer<'GET /api/documents/{id}'>
  version: string
  page: number
}

export function Comments({ document: { id }, version, page }: Props) {
  const { document: w } = useWords()
  const { permissions } = useMe()
  const { data, error, refetch } = useQuery(commentsOf(id, version))
  if (error || !data) return <NotRead error={error} onRetry={refetch} />
  const canComment = permissions.includes('documents.comment')
  return (
    <div className={styles.comments}>
      {data.length === 0 ? (
        <Empty icon={MessageSquare} title={w.noComments} />
      ) : (
        <ol>
          {threadsOf(data).map(thread => (
            <CommentThread key={thread.first.id} thread={thread} canComment={canComment} />
          ))}
        </ol>
      )}
      {canComment && <NewComment key={version} id={id} version={version} page={page} />}
    </div>
  )
}
