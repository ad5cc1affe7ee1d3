import { useQuery } from '@tanstack/react-query'
import type { Answer } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { nameOf } from '../../ui/person.tsx'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './types.module.css'
import { useTypeWords } from './words.ts'

export type DocumentType = Answer<'GET /api/document-types/{id}'>

/** Who changed it last, and why; for who may read the audit trail. */
export function LastChanges({ of: { id, updated_at, updated_by } }: { of: DocumentType }) {
  const w = useTypeWords()
  const { moment } = useFormat()
  const mayRead = useMe().permissions.includes('audit.read')
  const { data } = useQuery({
    ...ask('GET /api/audit/', {
      query: { resource_type: ['document_type'], resource_id: id, page_size: 5, sort: 'id:desc' },
    }),
    enabled: mayRead,
  })
  const changes =
    data?.items.map(each => ({
      id: each.id,
      at: each.occurred_at,
      by: each.user.full_name ?? each.user.username,
      reason: each.reason,
    })) ?? (updated_by ? [{ id: 0, at: updated_at, by: nameOf(updated_by), reason: null }] : [])
  if (changes.length === 0) return null
  return (
    <section className={styles.box} aria-labelledby="changes">
      <h2 id="changes">{w.history}</h2>
      <ol className={styles.changes}>
        {changes.map(({ id: key, at, by, reason }) => (
          <li key={key}>
            <p className="soft">
              {moment(at)}
              {by && ` · ${by}`}
            </p>
            {mayRead && <p className={reason ? '' : 'soft'}>{reason ?? w.noReason}</p>}
          </li>
        ))}
      </ol>
    </section>
  )
}
