import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { call } from '../../api/client.ts'
import { Loading, Unreadable } from '../../ui/notes.tsx'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './types.module.css'
import { useTypeWords } from './words.ts'

/** A workflow in words, from the draft to the effective version: which approvals it asks for, and of whom. */
export function WorkflowSteps({ template: id }: { template: number }) {
  const w = useTypeWords()
  const { document: dw } = useWords()
  const mayRead = useMe().permissions.includes('workflow_templates.read')
  const { data, error, refetch } = useQuery({
    queryKey: ['POST /api/workflow-templates/{id}/preview', id],
    queryFn: ({ signal }) => call('POST /api/workflow-templates/{id}/preview', { path: { id }, body: {} }, signal),
    enabled: mayRead,
  })
  if (!mayRead) return null
  const approvals = data?.steps.filter(({ rules }) => rules.length > 0) ?? []
  return (
    <section className={styles.box} aria-labelledby="way">
      <h2 id="way">{w.way}</h2>
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : !data ? (
        <Loading lines={4} />
      ) : (
        <>
          <ol className={styles.steps}>
            <li>{w.wayWritten}</li>
            {approvals.map(({ transition, in_words }) => (
              <li key={transition}>
                <b>{(dw.transitions as Record<string, string>)[transition] ?? transition.replaceAll('_', ' ')}</b>
                <p className="soft">{in_words}</p>
              </li>
            ))}
            <li>{w.wayEffective}</li>
          </ol>
          {!data.may_become_effective && (
            <p className={styles.warning}>
              <TriangleAlert size={15} aria-hidden="true" />
              {w.unreadable}
            </p>
          )}
          {data.warnings.map(each => (
            <p key={each} className={styles.warning}>
              <TriangleAlert size={15} aria-hidden="true" />
              {each}
            </p>
          ))}
        </>
      )}
    </section>
  )
}
