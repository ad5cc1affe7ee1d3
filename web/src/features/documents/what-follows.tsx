import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { call } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { Loading, Unreadable } from '../../ui/notes.tsx'
import { nameOf, Person } from '../../ui/person.tsx'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import panel from './approval-panel.module.css'
import { Step } from './approval-panel.tsx'
import styles from './what-follows.module.css'

export const documentTypes = {
  ...ask('GET /api/document-types/', { query: { is_active: true, page_size: 100, sort: 'name:asc' } }),
  staleTime: 10 * 60_000,
}

const most_named = 4

/** The way from the draft to the effective version: which approvals a document of the type needs, and who can give them. */
export function WhatFollows({ type: id, day: planned }: { type: number | undefined; day: string }) {
  const { upload: w, document: dw } = useWords()
  const { day, list } = useFormat()
  const me = useMe()
  const types = useQuery(documentTypes)
  const type = types.data?.items.find(each => each.id === id)
  const template = type?.workflow_template.id
  const isReadable = me.permissions.includes('workflow_templates.read')
  const { data, error, refetch } = useQuery({
    queryKey: ['POST /api/workflow-templates/{id}/preview', template],
    // Nothing is stored by it. Whoever uploads is the author, which excludes them where the workflow says so.
    queryFn: ({ signal }) =>
      call('POST /api/workflow-templates/{id}/preview', { path: { id: template! }, body: {} }, signal),
    enabled: template !== undefined && isReadable,
  })
  if (!type) return <p className="soft">{w.chooseType}</p>
  // The steps that need nobody, such as becoming effective, say nothing about who decides.
  const approvals = data?.steps.filter(({ rules, issue }) => rules.length > 0 || issue !== null) ?? []
  const { people, signature } = type.minimum_approval
  const months = type.review_period_months
  return (
    <>
      <p className="soft">{type.workflow_template.name}</p>
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : data ? (
        <ol className={panel.steps}>
          <Step kind="pending" title={dw.written} detail={w.now}>
            <Person of={me} />
          </Step>
          {approvals.map(({ transition, rules, issue }) => (
            <Step
              key={transition}
              kind="ahead"
              title={(dw.transitions as Record<string, string>)[transition] ?? transition.replaceAll('_', ' ')}
            >
              {rules.map(({ in_words, needed, people, total }) => {
                const named = people.slice(0, most_named).map(nameOf)
                return (
                  <p key={in_words} className="soft" title={in_words}>
                    {w.decidedBy(
                      needed,
                      list(total > named.length ? [...named, dw.others(total - named.length)] : named),
                      total,
                    )}
                  </p>
                )
              })}
              {issue && <p className={styles.issue}>{issue}</p>}
            </Step>
          ))}
          <Step kind="ahead" title={dw.inForce}>
            <p className="soft">{planned ? w.effectiveOn(day(planned)) : w.effectiveAtOnce}</p>
          </Step>
        </ol>
      ) : isReadable ? (
        <Loading lines={4} />
      ) : (
        <p>{w.minimum(people, signature)}</p>
      )}
      {data?.warnings.map(each => (
        <p key={each} className={styles.warning}>
          <TriangleAlert size={15} aria-hidden="true" />
          {each}
        </p>
      ))}
      <ul className={styles.terms}>
        {months !== null && <li>{w.reviewedEvery(months)}</li>}
        {type.training_gate !== 'none' && <li>{w.gates[type.training_gate]}</li>}
      </ul>
    </>
  )
}
