import { useQuery } from '@tanstack/react-query'
import { TriangleAlert } from 'lucide-react'
import { type Answer, call } from '../../api/client.ts'
import { ask } from '../../api/queries.ts'
import { Loading, Unreadable } from '../../ui/notes.tsx'
import { nameOf } from '../../ui/person.tsx'
import { useFormat, useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './types.module.css'
import { useTypeWords } from './words.ts'

type Step = Answer<'POST /api/workflow-templates/{id}/preview'>['steps'][number]
type Transition = Answer<'GET /api/workflow-templates/{id}'>['definition']['transitions'][number]

const most_named = 4

/** A workflow in words, from the draft to the effective version: which approvals it asks for, and of whom. */
export function WorkflowSteps({ template: id }: { template: number }) {
  const w = useTypeWords()
  const mayRead = useMe().permissions.includes('workflow_templates.read')
  const template = useQuery({ ...ask('GET /api/workflow-templates/{id}', { path: { id } }), enabled: mayRead })
  const tried = useQuery({
    queryKey: ['POST /api/workflow-templates/{id}/preview', id],
    queryFn: ({ signal }) => call('POST /api/workflow-templates/{id}/preview', { path: { id }, body: {} }, signal),
    enabled: mayRead,
  })
  if (!mayRead) return null
  const error = template.error ?? tried.error
  const steps = tried.data?.steps ?? []
  const approvals = steps.filter(({ rules }) => rules.length > 0)
  return (
    <section className={styles.box} aria-labelledby="way">
      <h2 id="way">{w.way}</h2>
      {error ? (
        <Unreadable error={error} />
      ) : !template.data || !tried.data ? (
        <Loading lines={4} />
      ) : (
        <>
          <ol className={styles.steps}>
            <li>{w.wayWritten}</li>
            {approvals.map(step => {
              const way = template.data.definition.transitions.find(({ name }) => name === step.transition)
              return way && <Approval key={step.transition} step={step} way={way} />
            })}
            <li>{w.wayEffective}</li>
          </ol>
          {[...steps.flatMap(({ issue }) => (issue ? [w.ofYours(issue)] : [])), ...tried.data.warnings].map(each => (
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

/** The approvers that a transition asks, and on what terms. */
function Approval({ step: { transition, rules }, way: { label, approval } }: { step: Step; way: Transition }) {
  const w = useTypeWords()
  const { document: dw, upload } = useWords()
  const { list } = useFormat()
  const named = (name: string) => (dw.transitions as Record<string, string>)[name] ?? name.replaceAll('_', ' ')
  const asked = rules.map(({ needed, people, total }, index) => {
    const { kind, who } = approval?.rules[index] ?? {}
    if (kind === 'role') return w.ofRole(needed, list([who].flat().map(String)))
    // Permissions, groups and people are known by those who are meant.
    const names = people.slice(0, most_named).map(nameOf)
    return upload.decidedBy(
      needed,
      list(total > names.length ? [...names, dw.others(total - names.length)] : names),
      total,
    )
  })
  const terms = [
    ...(approval?.author_may_approve === false ? [w.notAuthor] : []),
    ...(approval?.excludes_approvers_of ?? []).map(other => w.notApprover(named(other))),
    ...(approval?.signature_required ? [w.signed] : []),
    ...(approval?.due_days === undefined ? [] : [w.dueAfter(approval.due_days)]),
  ]
  return (
    <li>
      <b>{label ?? named(transition)}</b>
      {asked.map(each => (
        <p key={each}>{each}</p>
      ))}
      {terms.length > 0 && <p className="soft">{terms.join(' · ')}</p>}
    </li>
  )
}
