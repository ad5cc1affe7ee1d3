import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { type Answer, call, type Given } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ask, refreshRecords } from '../../api/queries.ts'
import { paths } from '../../app/paths.ts'
import { useCaseWords } from '../../records/case/words.ts'
import { PersonField } from '../../records/fields/person-field.tsx'
import { RecordPicker } from '../../records/fields/record-picker.tsx'
import { RecordBack } from '../../records/record-head.tsx'
import { bindingOf } from '../../ui/binding.ts'
import { Button } from '../../ui/button.tsx'
import { DayField } from '../../ui/day-field.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Loading, NotPermitted, Refused, Unreadable } from '../../ui/notes.tsx'
import { Select } from '../../ui/select.tsx'
import { priorities } from '../../ui/severities.ts'
import { announce } from '../../ui/toasts.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { useTitle } from '../../ui/use-title.ts'
import { useWords } from '../../words/index.ts'
import { useReportWords } from '../deviations/report-words.ts'
import { useMe, useWhyNot } from '../session/session.ts'
import styles from './new-capa-page.module.css'
import { type Priority, type Source, sources, type Type, types } from './search.ts'
import { useCapaWords } from './words.ts'

type Deviation = Answer<'GET /api/deviations/{id}'>

export function NewCapaPage() {
  const w = useCapaWords()
  const whyNot = useWhyNot('capa.create')
  const { deviation } = useSearch({ from: '/app/capa/new' })
  const from = useQuery({
    ...ask('GET /api/deviations/{id}', { path: { id: deviation ?? 0 } }),
    enabled: deviation !== undefined && whyNot === undefined,
  })
  useTitle(w.write)
  if (whyNot) return <NotPermitted why={whyNot} />
  if (from.error) return <Unreadable error={from.error} onRetry={() => void from.refetch()} />
  if (deviation !== undefined && !from.data) return <Loading lines={8} />
  return <NewCapa key={deviation} from={from.data} />
}

type Body = Given<'POST /api/capa/'>['body']

function NewCapa({ from }: { from: Deviation | undefined }) {
  const w = useCapaWords()
  const cases = useCaseWords()
  const report = useReportWords()
  const { common, priorities: priorityNames } = useWords()
  const navigate = useNavigate()
  const client = useQueryClient()
  const { fields, change, forget } = useFormDraft(`new capa ${useMe().id} ${from?.id ?? ''}`.trim(), {
    title: from?.title ?? '',
    description: from?.description ?? '',
    type: (from ? 'both' : '') as Type | '',
    source: (from ? 'deviation' : '') as Source | '',
    priority: (from?.severity === 'critical' ? 'critical' : from?.severity === 'major' ? 'high' : 'medium') as Priority,
    root_cause: from?.root_cause?.summary ?? '',
    due_date: '',
    document: undefined as number | undefined,
    document_name: '',
  })
  const [person, setPerson] = useState<number>()
  const [isTried, setTried] = useState(false)
  // The same request sent again, because its answer was lost, creates nothing twice.
  const last = useRef({ body: '', key: '' })
  const { mutate, isPending, error } = useMutation<Answer<'POST /api/capa/'>, Problem, Body>({
    mutationFn: body => {
      const text = JSON.stringify(body)
      if (last.current.body !== text) last.current = { body: text, key: crypto.randomUUID() }
      return call('POST /api/capa/', { body }, undefined, last.current.key)
    },
    onSuccess: ({ id, number, status }) => {
      forget()
      announce(w.createdDone(number), status === 'draft' ? w.nowDraft : undefined)
      void navigate({ to: '/capa/$id', params: { id } })
      return refreshRecords(client)
    },
  })
  const given = (text: string) => text.trim() || undefined
  const missing = (isMissing: boolean, text: string) => (isTried && isMissing ? text : undefined)
  const send = () => {
    setTried(true)
    const { title, description, type, source, priority, root_cause, due_date, document } = fields
    if (isPending || !title.trim() || !description.trim() || type === '' || source === '') return
    mutate({
      title: title.trim(),
      description: description.trim(),
      type,
      source,
      priority,
      ...(given(root_cause) && { root_cause: root_cause.trim() }),
      ...(person !== undefined && { assigned_to: person }),
      ...(due_date && { due_date }),
      ...(from && { deviation_ids: [from.id] }),
      ...(document !== undefined && { document_ids: [document] }),
    })
  }
  const bind = bindingOf(fields, change)
  return (
    <div className={styles.page}>
      <header>
        <RecordBack list={paths.capas}>{w.title}</RecordBack>
        <h1>{w.write}</h1>
        {from && <p className="soft">{w.raisedFrom(from.number)}</p>}
      </header>
      <Form className={styles.form} onSend={send} noValidate>
        <Field
          label={report.titleField}
          isRequired
          {...bind('title')}
          wrong={error?.of('title') ?? missing(!fields.title.trim(), report.missing.title)}
        />
        <Field
          label={w.description}
          hint={w.descriptionHint}
          rows={5}
          isRequired
          {...bind('description')}
          wrong={error?.of('description') ?? missing(!fields.description.trim(), w.missing.description)}
        />
        <div className={styles.pair}>
          <Select
            label={w.type}
            isRequired
            options={types.map(id => ({ id, name: w.types[id] }))}
            value={fields.type}
            onChange={type => change({ type: type as Type })}
            wrong={error?.of('type') ?? missing(fields.type === '', w.missing.type)}
          />
          <Select
            label={w.source}
            isRequired
            options={sources.map(id => ({ id, name: w.sources[id] }))}
            value={fields.source}
            onChange={source => change({ source: source as Source })}
            wrong={error?.of('source') ?? missing(fields.source === '', w.missing.source)}
          />
          <Select
            label={w.priority}
            hint={w.priorityHint}
            options={priorities.map(id => ({ id, name: priorityNames[id] }))}
            value={fields.priority}
            onChange={priority => change({ priority: priority as Priority })}
            wrong={error?.of('priority')}
          />
          <DayField label={cases.columns.due} hint={w.dueHint} {...bind('due_date', error)} />
        </div>
        <Field label={w.texts.root_cause.title} rows={3} {...bind('root_cause', error)} />
        <PersonField label={cases.assignee} onChange={setPerson} wrong={error?.of('assigned_to')} />
        <RecordPicker
          label={w.document}
          hint={w.documentHint}
          kinds={['document']}
          shown={fields.document_name}
          onChange={found =>
            change({ document: found?.id, document_name: found ? `${found.number} ${found.title}` : '' })
          }
          wrong={error?.of('document_ids')}
        />
        {error && error.issues.length === 0 && <Refused error={error} />}
        <footer className="row at-end">
          <Button
            onPress={() => {
              forget()
              if (from) void navigate({ to: '/deviations/$id', params: { id: from.id } })
              else void navigate({ to: '/capa' })
            }}
          >
            {common.cancel}
          </Button>
          <Button type="submit" look="main" isPending={isPending}>
            {w.submit}
          </Button>
        </footer>
      </Form>
    </div>
  )
}
