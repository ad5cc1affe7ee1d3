import { useQuery } from '@tanstack/react-query'
import { X } from 'lucide-react'
import { useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import { ActDialog, Subject } from '../../records/dialogs/act-dialog.tsx'
import { PersonField } from '../../records/fields/person-field.tsx'
import { Button } from '../../ui/button.tsx'
import { Choice } from '../../ui/choice.tsx'
import { DayField } from '../../ui/day-field.tsx'
import { Field } from '../../ui/field.tsx'
import { Person, type PersonShape } from '../../ui/person.tsx'
import { Select } from '../../ui/select.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useDraft } from '../../ui/use-draft.ts'
import { useActWords } from '../../words/acts.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import styles from './configure-dialog.module.css'
import { documentTypes } from './what-follows.tsx'

interface Props {
  document: Answer<'GET /api/documents/{id}'>
  workflow: Answer<'GET /api/documents/{id}/workflow'>
  onClose: () => void
}

type Named = PersonShape & { id: number }

/** Another workflow, other approvers or another due date, for this version alone. Whoever chooses does not decide. */
export function ConfigureDialog({ document, workflow, onClose }: Props) {
  const w = useActWords()
  const { document: dw } = useWords()
  const { data: types } = useQuery(documentTypes)
  const templates = types?.items.find(({ id }) => id === document.document_type.id)?.workflow_templates ?? []
  const now = String(document.workflow?.template.id ?? '')
  const [template, setTemplate] = useState(now)
  const steps = workflow.approvals.filter(({ status }) => status !== 'given')
  const [step, setStep] = useState(steps[0]?.transition ?? '')
  const [who, setWho] = useState<'usual' | 'named'>('usual')
  const [people, setPeople] = useState<Named[]>([])
  const [count, setCount] = useState('1')
  const [due, setDue] = useState('')
  const [reason, setReason] = useDraft(`configure ${useMe().id} ${document.id} ${workflow.version}`)
  const [isTried, setTried] = useState(false)

  const isOtherTemplate = template !== now
  const isNamed = who === 'named' && !isOtherTemplate
  const wrongPeople = isNamed && people.length === 0 ? w.configure.missing : undefined
  const wrongReason = (isNamed || isOtherTemplate) && reason.trim() === '' ? w.missing.reason : undefined
  const ids = people.map(({ id }) => id)
  const approvers = [
    { kind: 'user' as const, who: ids.length === 1 ? ids[0]! : ids, ...(ids.length > 1 && { count: Number(count) }) },
  ]
  return (
    <ActDialog
      title={w.configure.title}
      about={<Subject of={document} version={workflow.version} />}
      size="m"
      revision={document.revision}
      isComplete={() => {
        setTried(true)
        return !wrongPeople && !wrongReason && (isNamed || isOtherTemplate || due !== '')
      }}
      send={revision =>
        call('POST /api/documents/{id}/configure-approval', {
          path: { id: document.id },
          body: {
            revision,
            ...(isOtherTemplate ? { workflow_template_id: Number(template) } : { transition: step }),
            ...(isNamed && { approvers }),
            ...(!isOtherTemplate && due && { due_date: due }),
            ...(reason.trim() && { change_reason: reason.trim() }),
          },
        })
      }
      onDone={({ number }) => {
        setReason('')
        announce(w.configure.done(number))
      }}
      onClose={onClose}
      submit={w.configure.submit}
    >
      {problem => (
        <>
          <p>{w.configure.text}</p>
          {templates.length > 1 && (
            <Select
              label={w.configure.workflow}
              options={templates.map(({ id, name }) => ({ id: String(id), name }))}
              value={template}
              onChange={setTemplate}
              wrong={problem?.of('workflow_template_id')}
            />
          )}
          {!isOtherTemplate && (
            <>
              {steps.length > 1 && (
                <Select
                  label={w.configure.step}
                  options={steps.map(({ transition }) => ({
                    id: transition,
                    name: (dw.transitions as Record<string, string>)[transition] ?? transition.replaceAll('_', ' '),
                  }))}
                  value={step}
                  onChange={setStep}
                  wrong={problem?.of('transition')}
                />
              )}
              <Choice
                label={w.configure.who}
                options={[
                  {
                    id: 'usual',
                    name: w.configure.usual,
                    detail: steps
                      .find(({ transition }) => transition === step)
                      ?.rules.map(({ in_words }) => in_words)
                      .join(', '),
                  },
                  { id: 'named', name: w.configure.named },
                ]}
                value={who}
                onChange={setWho}
              />
              {isNamed && (
                <div className={styles.named}>
                  <NamedPeople people={people} onChange={setPeople} />
                  {people.length > 1 && (
                    <Field
                      label={w.configure.count(people.length)}
                      type="number"
                      value={count}
                      onChange={setCount}
                      wrong={problem?.of('count')}
                    />
                  )}
                  {((isTried && wrongPeople) || problem?.of('approvers') || problem?.of('who')) && (
                    <p role="alert" className={styles.wrong}>
                      {wrongPeople ?? problem?.of('approvers') ?? problem?.of('who')}
                    </p>
                  )}
                </div>
              )}
              <DayField
                label={w.configure.due}
                value={due}
                onChange={setDue}
                wrong={problem?.of('due_date') ?? (isTried && !isNamed && due === '' ? w.configure.nothing : undefined)}
              />
            </>
          )}
          <Field
            label={w.reason}
            rows={2}
            isRequired={isNamed || isOtherTemplate}
            value={reason}
            onChange={setReason}
            wrong={problem?.of('change_reason') ?? (isTried ? wrongReason : undefined)}
          />
        </>
      )}
    </ActDialog>
  )
}

function NamedPeople({ people, onChange }: { people: Named[]; onChange: (people: Named[]) => void }) {
  const w = useActWords()
  return (
    <>
      {people.length > 0 && (
        <ul className={styles.people}>
          {people.map(person => (
            <li key={person.id}>
              <Person of={person} />
              <Button
                look="icon"
                label={w.configure.remove(person.full_name ?? person.username)}
                icon={X}
                onPress={() => onChange(people.filter(each => each.id !== person.id))}
              />
            </li>
          ))}
        </ul>
      )}
      <PersonField
        // It is empty again for the next one.
        key={people.length}
        label={w.configure.add}
        without={people.map(({ id }) => id)}
        onChange={(_, person) => person && onChange([...people, person])}
      />
    </>
  )
}
