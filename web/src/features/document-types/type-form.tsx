import { useMutation, useQueries, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type Answer, call, type Given } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ask, askPage, refresh } from '../../api/queries.ts'
import { isProposal, type Proposal } from '../../records/dialogs/change-proposed.tsx'
import { isPattern, PatternField } from '../../records/fields/pattern-field.tsx'
import { type Pick, PickMany } from '../../records/fields/pick-many.tsx'
import { RecordFormEnd, useRecordDraft } from '../../records/record-form.tsx'
import { bindingOf } from '../../ui/binding.ts'
import { Checkbox } from '../../ui/checkbox.tsx'
import { Choice } from '../../ui/choice.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Select } from '../../ui/select.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFocusOnWrong } from '../../ui/use-focus-on-wrong.ts'
import { useLater } from '../../ui/use-later.ts'
import { useMe } from '../session/session.ts'
import { Effects } from './effects.tsx'
import { type DocumentType, LastChanges } from './last-changes.tsx'
import styles from './types.module.css'
import { useTypeWords } from './words.ts'
import { WorkflowSteps } from './workflow-steps.tsx'

type Workflow = Answer<'GET /api/workflow-templates/'>['items'][number]
type Gate = DocumentType['training_gate']
type Change = Given<'PUT /api/document-types/{id}'>['body']

const gates = ['none', 'before_effective', 'before_access', 'before_sign'] as const satisfies readonly Gate[]

interface Fields {
  name: string
  description: string
  prefix: string
  /** Null in a new type: its prefix and four digits. */
  pattern: string | null
  workflow: string
  others: number[]
  controlled: boolean
  people: string
  signature: boolean
  author_excluded: boolean
  gate: Gate
  threshold: string
  programs: number[]
  months: string
  retention: string
  change_reason: string
  revision: number
}

const fieldsOf = (type: DocumentType | undefined): Fields => ({
  name: type?.name ?? '',
  description: type?.description ?? '',
  prefix: type?.prefix ?? '',
  pattern: type?.number_pattern ?? null,
  workflow: type ? String(type.workflow_template.id) : '',
  others: type?.workflow_templates.map(({ id }) => id).filter(id => id !== type.workflow_template.id) ?? [],
  controlled: type?.controlled ?? true,
  people: String(type?.minimum_approval.people ?? ''),
  signature: type?.minimum_approval.signature ?? false,
  author_excluded: type?.minimum_approval.author_excluded ?? false,
  gate: type?.training_gate ?? 'none',
  threshold: String(type?.training_threshold ?? 100),
  programs: type?.signing_program_ids ?? [],
  months: type?.review_period_months ? String(type.review_period_months) : '',
  retention: type?.retention_years ? String(type.retention_years) : '',
  change_reason: '',
  revision: type?.revision ?? 0,
})

const isWhole = (text: string) => /^\d+$/.test(text.trim())

/** What both a new and a changed type say. */
const commonOf = (fields: Fields) => ({
  name: fields.name.trim(),
  description: fields.description.trim(),
  ...(fields.pattern !== null && { number_pattern: fields.pattern.trim() }),
  workflow_template_id: Number(fields.workflow),
  workflow_template_ids: fields.others.filter(id => id !== Number(fields.workflow)),
  controlled: fields.controlled,
  training_gate: fields.gate,
  review_period_months: isWhole(fields.months) ? Number(fields.months) : null,
  retention_years: isWhole(fields.retention) ? Number(fields.retention) : null,
  ...(isWhole(fields.threshold) && { training_threshold: Number(fields.threshold) }),
  signing_program_ids: fields.programs,
})

const changeOf = (fields: Fields): Change => ({
  ...commonOf(fields),
  minimum_approval: {
    people: Number(fields.people) || 0,
    signature: fields.signature,
    author_excluded: fields.author_excluded,
  },
})

interface Props {
  type?: DocumentType
  onProposed: (change: Proposal) => void
}

/** All rules of a kind of document, and beside them what they mean. */
export function TypeForm({ type, onProposed }: Props) {
  const w = useTypeWords()
  const { id: userId } = useMe()
  const client = useQueryClient()
  const navigate = useNavigate()
  const draft = useRecordDraft<Fields>(`type ${userId} ${type?.id ?? 'new'}`, fieldsOf(type), type)
  const { fields, change, forget, isTyped } = draft
  const [isTried, setTried] = useState(false)
  const { mutate, isPending, error, reset } = useMutation<Answer<'POST /api/document-types/'>, Problem>({
    mutationFn: () => {
      const reason = fields.change_reason.trim()
      return type
        ? call('PUT /api/document-types/{id}', {
            path: { id: type.id },
            body: { ...changeOf(fields), revision: fields.revision, ...(reason && { change_reason: reason }) },
          })
        : call('POST /api/document-types/', { body: { ...commonOf(fields), prefix: fields.prefix.trim() } })
    },
    onSuccess: async answer => {
      forget()
      if (isProposal(answer)) {
        onProposed(answer)
        return refresh(client, 'configuration-changes')
      }
      announce(type ? w.saved(answer.name) : w.created(answer.name))
      await refresh(client, 'document-types/', 'audit/')
      if (!type) void navigate({ to: '/admin/document-types/$id', params: { id: answer.id } })
    },
    onError: ({ status }) => {
      if (status === 409) void refresh(client, 'document-types/')
    },
  })
  const pattern = fields.pattern ?? `${fields.prefix.trim()}-{0000}`
  const next = useNextNumber(type, pattern)
  const isPrefix = /^[A-Z][A-Z0-9]{0,9}$/.test(fields.prefix.trim())
  const missing = {
    name: fields.name.trim() === '' ? w.missing.name : undefined,
    prefix: fields.prefix.trim() === '' ? w.missing.prefix : isPrefix ? undefined : w.prefixWrong,
    pattern: (!type && !isPrefix) || isPattern(pattern) ? undefined : w.patternWrong,
    workflow: fields.workflow === '' ? w.missing.workflow : undefined,
    programs: fields.gate === 'before_sign' && fields.programs.length === 0 ? w.missing.programs : undefined,
    months: fields.months.trim() === '' || isWhole(fields.months) ? undefined : w.whole,
    retention: fields.retention.trim() === '' || isWhole(fields.retention) ? undefined : w.whole,
    threshold: fields.gate !== 'before_effective' || isWhole(fields.threshold) ? undefined : w.whole,
    people: !type || isWhole(fields.people) ? undefined : w.whole,
  }
  const wrong = (field: keyof typeof missing, name: string = field) =>
    error?.within(name) ?? (isTried ? missing[field] : undefined)
  const form = useFocusOnWrong(isTried, error)
  const send = () => {
    setTried(true)
    if (!isPending && Object.values(missing).every(each => each === undefined)) mutate()
  }
  const workflow = Number(fields.workflow) || undefined
  const bind = bindingOf(fields, change)
  return (
    <div className={styles.columns}>
      <Form ref={form} className={styles.form} onSend={send} noValidate>
        <Field label={w.name} isRequired maxLength={120} {...bind('name')} wrong={wrong('name')} />
        <Field
          label={w.description}
          hint={w.descriptionHint}
          rows={2}
          maxLength={2000}
          {...bind('description', error)}
        />
        {!type && (
          <Field
            label={w.prefix}
            hint={w.prefixHint}
            isRequired
            maxLength={10}
            value={fields.prefix}
            onChange={prefix => change({ prefix: prefix.toUpperCase() })}
            wrong={wrong('prefix')}
          />
        )}
        {(type || isPrefix) && (
          <PatternField
            label={w.pattern}
            hasDepartments
            value={pattern}
            onChange={next => change({ pattern: next })}
            next={next}
            wrong={wrong('pattern', 'number_pattern')}
          />
        )}
        <Workflows
          fields={fields}
          type={type}
          change={change}
          wrong={wrong('workflow', 'workflow_template_id')}
          wrongOthers={error?.within('workflow_template_ids')}
        />
        {type && <Least fields={fields} change={change} wrong={wrong('people', 'minimum_approval')} />}
        <Choice
          label={w.gate}
          options={gates.map(id => ({ id, ...w.gates[id] }))}
          {...bind('gate')}
          wrong={error?.of('training_gate')}
        />
        {fields.gate === 'before_effective' && (
          <Field
            label={w.threshold}
            inputMode="numeric"
            {...bind('threshold')}
            wrong={wrong('threshold', 'training_threshold')}
          />
        )}
        {fields.gate === 'before_sign' && (
          <Programs
            ids={fields.programs}
            onChange={programs => change({ programs })}
            wrong={wrong('programs', 'signing_program_ids')}
          />
        )}
        <Field
          label={w.review}
          hint={w.reviewHint}
          inputMode="numeric"
          {...bind('months')}
          wrong={wrong('months', 'review_period_months')}
        />
        <Field
          label={w.retention}
          hint={w.retentionHint}
          inputMode="numeric"
          {...bind('retention')}
          wrong={wrong('retention', 'retention_years')}
        />
        {type && isTyped && <Effects type={type.id} change={changeOf(fields)} />}
        {type && <Field label={w.reason} hint={w.reasonHint} rows={2} {...bind('change_reason', error)} />}
        <RecordFormEnd
          record={type}
          draft={draft}
          overtaken={w.overtaken}
          error={error}
          onGoOn={revision => {
            change({ revision })
            reset()
          }}
          onLeave={() => {
            forget()
            reset()
            setTried(false)
            if (!type) void navigate({ to: '/admin/document-types' })
          }}
          store={type ? w.save : w.createIt}
          isPending={isPending}
        />
      </Form>
      <aside className={styles.side}>
        {workflow !== undefined && <WorkflowSteps template={workflow} />}
        <Creators />
        {type && <LastChanges of={type} />}
      </aside>
    </div>
  )
}

/** What the next document would be called; undefined for a new type, null while it is asked. */
function useNextNumber(type: DocumentType | undefined, pattern: string) {
  const later = useLater(pattern, 300)
  const { data } = useQuery({
    queryKey: ['POST /api/document-types/{id}/effects', type?.id, 'number', later],
    queryFn: ({ signal }) =>
      call(
        'POST /api/document-types/{id}/effects',
        { path: { id: type!.id }, body: { number_pattern: later } },
        signal,
      ),
    enabled: type !== undefined && isPattern(later),
    retry: false,
  })
  if (!type) return undefined
  return later === pattern ? (data?.next_number ?? null) : null
}

interface PartProps {
  fields: Fields
  change: (next: Partial<Fields>) => void
  wrong: string | undefined
}

function Workflows({
  fields,
  type,
  change,
  wrong,
  wrongOthers,
}: PartProps & { type: DocumentType | undefined; wrongOthers: string | undefined }) {
  const w = useTypeWords()
  const { data } = useQuery(ask('GET /api/workflow-templates/', { query: { page_size: 100, sort: 'name:asc' } }))
  if (!data) return null
  const known = new Set(type?.workflow_templates.map(({ id }) => id))
  const offered = data.items.filter(({ id, is_active }) => is_active || known.has(id))
  const detailOf = ({ is_builtin, description }: Workflow) =>
    [is_builtin ? w.shipped : w.own, description].filter(Boolean).join('. ')
  const picks = offered.map((each): Pick => ({ id: each.id, name: each.name, detail: detailOf(each) }))
  const bind = bindingOf(fields, change)
  return (
    <>
      <Select
        label={w.workflow}
        hint={w.workflowHint}
        isRequired
        placeholder={w.choose}
        options={picks.map(({ id, name, detail }) => ({ id: String(id), name, detail }))}
        {...bind('workflow')}
        wrong={wrong}
      />
      <PickMany
        label={w.others}
        hint={w.othersHint}
        placeholder={w.findWorkflow}
        chosen={picks.filter(({ id }) => fields.others.includes(id) && String(id) !== fields.workflow)}
        onChange={next => change({ others: next.map(({ id }) => id) })}
        useFound={text =>
          picks.filter(
            ({ id, name }) => String(id) !== fields.workflow && name.toLowerCase().includes(text.toLowerCase()),
          )
        }
        removeLabel={w.remove}
        wrong={wrongOthers}
      />
    </>
  )
}

/** What no workflow of the type may fall below. */
function Least({ fields, change, wrong }: PartProps) {
  const w = useTypeWords()
  const bind = bindingOf(fields, change)
  return (
    <fieldset className={styles.least}>
      <legend>{w.least}</legend>
      <p className="soft">{w.leastHint}</p>
      <Checkbox
        isSelected={fields.controlled}
        onChange={controlled => change({ controlled })}
        detail={w.controlledHint}
      >
        {w.controlled}
      </Checkbox>
      <Field label={w.people} inputMode="numeric" {...bind('people')} wrong={wrong} />
      <Checkbox isSelected={fields.signature} onChange={signature => change({ signature })}>
        {w.signature}
      </Checkbox>
      <Checkbox isSelected={fields.author_excluded} onChange={author_excluded => change({ author_excluded })}>
        {w.author}
      </Checkbox>
    </fieldset>
  )
}

const nameOfProgram = ({ number, title }: { number: string; title: string }) => `${number} ${title}`

function useProgramsFound(q: string): Pick[] | undefined {
  const { data } = useQuery(askPage('GET /api/training/', { query: { q, status: 'active', page_size: 20 } }))
  return data?.items.map(each => ({ id: each.id, name: nameOfProgram(each) }))
}

interface ProgramsProps {
  ids: number[]
  onChange: (ids: number[]) => void
  wrong: string | undefined
}

function Programs({ ids, onChange, wrong }: ProgramsProps) {
  const w = useTypeWords()
  const found = useQueries({ queries: ids.map(id => ask('GET /api/training/{id}', { path: { id } })) })
  return (
    <PickMany
      label={w.programs}
      placeholder={w.findProgram}
      isRequired
      chosen={ids.map((id, at) => ({ id, name: found[at]?.data ? nameOfProgram(found[at].data) : '…' }))}
      onChange={next => onChange(next.map(({ id }) => id))}
      useFound={useProgramsFound}
      removeLabel={w.remove}
      wrong={wrong}
    />
  )
}

/** Who may create a document: the same for every type, and so nothing to set here. */
function Creators() {
  const w = useTypeWords()
  return (
    <section className={styles.box} aria-labelledby="creators">
      <h2 id="creators">{w.creators}</h2>
      <p className="soft">{w.creatorsHint}</p>
    </section>
  )
}
