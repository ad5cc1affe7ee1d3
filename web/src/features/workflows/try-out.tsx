import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { CircleAlert, CircleCheck } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import { PersonField } from '../../records/fields/person-field.tsx'
import { type Pick, PickMany } from '../../records/fields/pick-many.tsx'
import { RecordPicker } from '../../records/fields/record-picker.tsx'
import { labelOf, labelOfState, type Names } from '../../records/workflow/definition.ts'
import { ruleInWords, transitionInWords } from '../../records/workflow/sentences.ts'
import { useWorkflowSentences } from '../../records/workflow/words.ts'
import { Choice } from '../../ui/choice.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { nameOf, Person } from '../../ui/person.tsx'
import { Select } from '../../ui/select.tsx'
import { useLater } from '../../ui/use-later.ts'
import { useFormat, useLanguage } from '../../words/index.ts'
import { documentTypes, type Template, usePeopleFound } from './choices.ts'
import { withRights } from './places.ts'
import styles from './try-out.module.css'
import type { Design } from './use-design.ts'
import { useDesignerWords } from './words.ts'

type Tried = Answer<'POST /api/workflow-templates/preview'>
type Step = Tried['steps'][number]

interface Props {
  design: Design
  names: Names
  template: Template | undefined
  /** What is tried is not in force. */
  isDraft: boolean
}

/** Who would have to approve a document, by the people and deputies of today; and what if somebody is away. */
export function TryOut({ design, names, template, isDraft }: Props) {
  const { tryOut: w, untitled } = useDesignerWords()
  const { rights } = useWorkflowSentences()
  const language = useLanguage()
  const types = useQuery(documentTypes)
  const using = (types.data ?? []).find(each => each.workflow_templates.some(({ id }) => id === template?.id))
  const [by, setBy] = useState<'type' | 'document'>('type')
  const [type, setType] = useState<string>()
  const [document, setDocument] = useState<number>()
  const [author, setAuthor] = useState<number>()
  const [away, setAway] = useState<Pick[]>([])
  const typeId = type ?? (using ? String(using.id) : '')
  const definition = useLater(design.definition, 300)
  const body = {
    definition,
    name: design.name.trim() || untitled,
    ...(template && { template_id: template.id }),
    ...(by === 'type' && typeId && { document_type_id: Number(typeId) }),
    ...(by === 'document' && document !== undefined && { document_id: document }),
    ...(author !== undefined && { author_id: author }),
    ...(away.length > 0 && { away_ids: away.map(({ id }) => id) }),
  }
  const { data, error, refetch } = useQuery({
    queryKey: ['POST /api/workflow-templates/preview', 'try', body, language],
    queryFn: ({ signal }) => call('POST /api/workflow-templates/preview', { body }, signal),
    placeholderData: keepPreviousData,
  })
  return (
    <div className={styles.columns}>
      <div className={styles.form}>
        <p className="soft">{w.hint}</p>
        <Choice
          label={w.with}
          options={(['type', 'document'] as const).map(id => ({ id, name: w.withs[id] }))}
          value={by}
          onChange={setBy}
        />
        {by === 'type' ? (
          <Select
            label={w.type}
            placeholder="—"
            options={(types.data ?? [])
              .filter(each => each.is_active)
              .map(each => ({ id: String(each.id), name: each.name }))}
            value={typeId}
            onChange={setType}
          />
        ) : (
          <RecordPicker label={w.document} kinds={['document']} onChange={found => setDocument(found?.id)} />
        )}
        <PersonField label={w.author} hint={w.authorHint} onChange={setAuthor} />
        <PickMany
          label={w.away}
          hint={w.awayHint}
          placeholder={w.findPerson}
          chosen={away}
          onChange={setAway}
          useFound={usePeopleFound}
          removeLabel={w.notBack}
        />
      </div>
      <section className={styles.result} aria-label={w.steps} aria-live="polite">
        {isDraft && <p className="soft">{w.asDraft}</p>}
        {error || !data ? (
          <NotRead error={error} onRetry={refetch} lines={8} />
        ) : (
          <>
            <p className={data.may_become_effective ? styles.good : styles.bad}>
              {data.may_become_effective ? (
                <CircleCheck size={17} aria-hidden="true" />
              ) : (
                <CircleAlert size={17} aria-hidden="true" />
              )}
              {data.may_become_effective ? w.possible : w.impossible}
            </p>
            {data.steps.length === 0 && <p>{w.nowhere}</p>}
            {data.document_types
              .filter(each => String(each.id) === typeId || by === 'document')
              .flatMap(({ shortfall }) => shortfall ?? [])
              .map(({ code, detail }) => (
                <p key={code} className={styles.shortfall}>
                  {withRights(detail, rights)}
                </p>
              ))}
            <ol className={styles.steps}>
              {data.steps.map(step => (
                <TriedStep
                  key={`${step.state} ${step.transition}`}
                  step={step}
                  of={data}
                  design={{ ...design, definition }}
                  names={names}
                />
              ))}
            </ol>
          </>
        )}
      </section>
    </div>
  )
}

function TriedStep({
  step,
  of: { deputies },
  design: { definition },
  names,
}: {
  step: Step
  of: Tried
  design: Design
  names: Names
}) {
  const { tryOut: w } = useDesignerWords()
  const sentences = useWorkflowSentences()
  const { day } = useFormat()
  const transition = definition.transitions.find(({ name }) => name === step.transition)
  const away = [...new Map(step.rules.flatMap(rule => rule.away).map(each => [each.person.id, each])).values()]
  const free = new Set(step.rules.flatMap(({ people }) => people.map(({ id }) => id)))
  const represented = deputies.filter(({ person }) => free.has(person.id))
  return (
    <li className={step.issue ? styles.stuck : undefined}>
      <h3>
        {transition ? labelOf(transition) : step.transition}{' '}
        <span className="soft">
          {sentences.fromTo(labelOfState(definition, step.state), labelOfState(definition, step.to))}
        </span>
      </h3>
      {step.rules.length === 0 && transition && (
        <p className="soft">{transitionInWords(transition, definition, names, sentences)}</p>
      )}
      {step.rules.map(({ needed, people, total }, index) => {
        const rule = transition?.approval?.rules[index]
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: rules have nothing else that they are known by
          <div key={index} className={styles.rule}>
            <p>
              {rule && <b>{ruleInWords(rule, names, sentences)}</b>}{' '}
              <span className="soft">{w.needs(needed, total)}</span>
            </p>
            {people.length === 0 ? (
              <p className={styles.nobody}>{w.nobody}</p>
            ) : (
              <ul className={styles.people}>
                {people.map(person => (
                  <li key={person.id}>
                    <Person of={person} />
                  </li>
                ))}
                {total > people.length && <li className="soft">{w.others(total - people.length)}</li>}
              </ul>
            )}
          </div>
        )
      })}
      {away.map(({ person, deputy }) => (
        <p key={person.id} className={deputy ? styles.deputy : styles.nobody}>
          {deputy ? w.deputyFor(nameOf(person), nameOf(deputy)) : w.noDeputy(nameOf(person))}
        </p>
      ))}
      {represented.map(({ person, deputy, ends_on }) => (
        <p key={person.id} className={styles.deputy}>
          {w.deputyToday(nameOf(person), nameOf(deputy), day(ends_on))}
        </p>
      ))}
      {step.excluded.length > 0 && (
        <ul className={styles.excluded} aria-label={w.excluded}>
          {step.excluded.map(({ person, why }) => (
            <li key={`${person.id} ${why.code}`}>
              {w.excluded} {nameOf(person)}. {why.detail}
            </li>
          ))}
        </ul>
      )}
      {step.issue && <p className={styles.issue}>{withRights(step.issue, sentences.rights)}</p>}
    </li>
  )
}
