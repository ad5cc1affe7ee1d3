import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { CircleAlert, Plus, TextCursorInput } from 'lucide-react'
import { useRef, useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import { type Issue, Problem } from '../../api/problem.ts'
import { ask, refresh } from '../../api/queries.ts'
import { OrderedList } from '../../records/fields/ordered-list.tsx'
import { ValueField } from '../../records/fields/value-field.tsx'
import { RecordFormEnd, useRecordDraft } from '../../records/record-form.tsx'
import { bindingOf } from '../../ui/binding.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { Loading, Refused, Unreadable } from '../../ui/notes.tsx'
import { Select } from '../../ui/select.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFocusOnWrong } from '../../ui/use-focus-on-wrong.ts'
import { useLater } from '../../ui/use-later.ts'
import { useFormat } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { type EditorHandle, MarkdownEditor } from './markdown-editor.tsx'
import {
  builtins,
  type DraftVariable,
  type Fault,
  faultsOf,
  holds,
  renamed,
  sentVariables,
  type Template,
  variablesOf,
} from './template.ts'
import styles from './templates.module.css'
import { VariableDialog } from './variable-dialog.tsx'
import { useTemplateWords } from './words.ts'

interface Fields {
  name: string
  description: string
  category: string
  document_type: string
  body: string
  variables: DraftVariable[]
  change_reason: string
  revision: number
}

const newVariable = (label = '', name = ''): DraftVariable => ({
  id: `new ${crypto.randomUUID()}`,
  ...{ name, label, type: 'text', required: true, default: '', help: '', options: '' },
})

/** A template as it is written: its text, how that reads, and what is filled in. */
export function TemplateEditor({ template }: { template?: Template }) {
  const w = useTemplateWords()
  const { id: userId } = useMe()
  const client = useQueryClient()
  const navigate = useNavigate()
  const draft = useRecordDraft<Fields>(
    `template ${userId} edit ${template?.id ?? 'new'}`,
    {
      name: template?.name ?? '',
      description: template?.description ?? '',
      category: template?.category ?? '',
      document_type: template?.document_type ? String(template.document_type.id) : 'none',
      body: template?.body ?? '',
      variables: template ? variablesOf(template.variables) : [],
      change_reason: '',
      revision: template?.revision ?? 0,
    },
    template,
  )
  const { fields, change, forget } = draft
  const { body, variables } = fields
  const editor = useRef<EditorHandle>(null)
  const [edited, setEdited] = useState<DraftVariable>()
  const [isTried, setTried] = useState(false)
  const sent = sentVariables(variables)
  const tried = useTried({ body, variables: sent, title: fields.name.trim() })
  const { mutate, isPending, error, reset } = useMutation<Template, Problem>({
    mutationFn: () => {
      const content = {
        name: fields.name.trim(),
        description: fields.description.trim(),
        category: fields.category.trim(),
        document_type_id: fields.document_type === 'none' ? null : Number(fields.document_type),
        body,
        variables: sent,
      }
      return template
        ? call('PUT /api/templates/{id}', {
            path: { id: template.id },
            body: { ...content, change_reason: fields.change_reason.trim(), revision: fields.revision },
          })
        : call('POST /api/templates/', { body: content })
    },
    onSuccess: async answer => {
      forget()
      announce(template ? w.saved(answer.name) : w.created(answer.name))
      await refresh(client, 'templates/')
      if (!template) void navigate({ to: '/admin/templates/$id', params: { id: answer.id } })
    },
    onError: ({ status }) => {
      if (status === 409) void refresh(client, 'templates/')
    },
  })
  const faults = tried.data ? faultsOf(body, tried.data.issues) : []
  const inText = faults.filter(({ variable }) => variable === undefined)
  const missing = {
    name: fields.name.trim() === '' ? w.missing.name : undefined,
    category: fields.category.trim() === '' ? w.missing.category : undefined,
    body: body.trim() === '' ? w.missing.body : undefined,
    change_reason: template && fields.change_reason.trim() === '' ? w.reasonMissing : undefined,
  }
  const wrong = (field: keyof typeof missing) => error?.of(field) ?? (isTried ? missing[field] : undefined)
  const form = useFocusOnWrong(isTried, error)
  const send = () => {
    setTried(true)
    // What is not checked yet is checked by the service as it is stored.
    const isWrong = tried.isCurrent && faults.length > 0
    if (!isWrong && !isPending && Object.values(missing).every(each => each === undefined)) mutate()
  }
  const insert = (name: string) => editor.current?.insert(`{{${name}}}`)
  const keep = (variable: DraftVariable) => {
    const old = variables.find(({ id }) => id === variable.id)
    change({
      variables: old ? variables.map(each => (each.id === variable.id ? variable : each)) : [...variables, variable],
      ...(old && old.name !== variable.name && { body: renamed(body, old.name, variable.name) }),
    })
    setEdited(undefined)
    // Once the dialog has given the focus back.
    if (!old && !holds(body, variable.name)) requestAnimationFrame(() => insert(variable.name))
  }
  const isChanged =
    !template ||
    body !== template.body ||
    JSON.stringify(sent) !== JSON.stringify(sentVariables(variablesOf(template.variables)))
  const bind = bindingOf(fields, change)
  return (
    <>
      <Form ref={form} className={styles.form} onSend={send} noValidate>
        <Facts fields={fields} change={change} wrong={wrong} />
        <div className={styles.columns}>
          <div className={styles.left}>
            <MarkdownEditor
              ref={editor}
              value={body}
              onChange={next => change({ body: next })}
              faults={inText}
              wrong={isTried ? missing.body : undefined}
            />
            {inText.length > 0 && (
              <Faults
                faults={inText}
                onGo={range => editor.current?.select(...range)}
                onDeclare={name => setEdited(newVariable('', name))}
              />
            )}
          </div>
          <Preview tried={tried} isEmpty={body.trim() === ''} />
        </div>
        <Variables
          variables={variables}
          body={body}
          faults={faults}
          onOrder={next => change({ variables: next })}
          onEdit={setEdited}
          onRemove={({ id }) => change({ variables: variables.filter(each => each.id !== id) })}
          onAdd={() => setEdited(newVariable())}
          onInsert={insert}
        />
        <Builtins onInsert={insert} />
        {template && (
          <div className={styles.about}>
            <Field
              label={w.reason}
              isRequired
              rows={2}
              maxLength={2000}
              {...bind('change_reason')}
              wrong={wrong('change_reason')}
            />
          </div>
        )}
        {isTried && faults.length > 0 && <Refused>{w.faults(faults.length)}</Refused>}
        <RecordFormEnd
          record={template}
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
            if (!template) void navigate({ to: '/admin/templates' })
          }}
          store={!template ? w.createIt : isChanged ? w.save(template.version + 1) : w.saveOther}
          isPending={isPending}
        />
      </Form>
      {/* Beside the form: what is submitted within the dialog would reach a form around it. */}
      {edited && (
        <VariableDialog
          variable={edited}
          isNew={!variables.some(({ id }) => id === edited.id)}
          taken={variables.filter(({ id }) => id !== edited.id).map(({ name }) => name)}
          wrong={field =>
            faults.find(
              fault =>
                fault.variable !== undefined && variables[fault.variable]?.id === edited.id && fault.field === field,
            )?.text
          }
          onKeep={keep}
          onClose={() => setEdited(undefined)}
        />
      )}
    </>
  )
}

interface FactsProps {
  fields: Fields
  change: (next: Partial<Fields>) => void
  wrong: (field: 'name' | 'category') => string | undefined
}

function Facts({ fields, change, wrong }: FactsProps) {
  const w = useTemplateWords()
  const types = useQuery(ask('GET /api/document-types/', { query: { is_active: true, page_size: 100 } }))
  const others = useQuery(ask('GET /api/templates/', { query: { page_size: 100 } }))
  const used = [...new Set(others.data?.items.map(({ category }) => category))].sort()
  const typed = fields.category.trim().toLowerCase()
  const bind = bindingOf(fields, change)
  return (
    <div className={styles.facts}>
      <Field label={w.name} isRequired maxLength={200} {...bind('name')} wrong={wrong('name')} />
      <ValueField
        label={`${w.category} *`}
        used={used.filter(each => each.toLowerCase().includes(typed)).map(value => ({ value }))}
        {...bind('category')}
        wrong={wrong('category')}
      />
      {types.data && (
        <Select
          label={w.type}
          hint={w.typeHint}
          options={[
            { id: 'none', name: w.noType },
            ...types.data.items.map(({ id, name }) => ({ id: String(id), name })),
          ]}
          {...bind('document_type')}
        />
      )}
      <div className={styles.about}>
        <Field label={w.description} rows={2} maxLength={2000} {...bind('description')} />
      </div>
    </div>
  )
}

interface FaultsProps {
  faults: Fault[]
  onGo: (range: [number, number]) => void
  onDeclare: (name: string) => void
}

/** Each place that is wrong, with the way to it. */
function Faults({ faults, onGo, onDeclare }: FaultsProps) {
  const w = useTemplateWords()
  return (
    <section className={styles.faults} aria-label={w.faults(faults.length)}>
      <ul>
        {faults.map((fault, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two places may be wrong in the same words
          <li key={`${fault.text} ${index}`}>
            <CircleAlert size={15} aria-hidden="true" />
            <span>{fault.text}</span>
            <span className={styles.faultActs}>
              {fault.range && (
                <Button look="quiet" onPress={() => onGo(fault.range!)}>
                  {w.goTo(fault.line!)}
                </Button>
              )}
              {fault.code === 'template_variable_undeclared' && fault.name !== undefined && (
                <Button look="quiet" onPress={() => onDeclare(fault.name!)}>
                  {w.declare(fault.name)}
                </Button>
              )}
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

interface Tried {
  preview: Answer<'POST /api/templates/preview'> | undefined
  issues: Issue[]
}

/** What the service makes of the text, whenever it stands still. */
function useTried(draft: { body: string; variables: ReturnType<typeof sentVariables>; title: string }) {
  const later = useLater(JSON.stringify(draft), 500)
  const query = useQuery({
    queryKey: ['POST /api/templates/preview', later],
    queryFn: async ({ signal }): Promise<Tried> => {
      const { title, ...body } = JSON.parse(later) as typeof draft
      if (body.body.trim() === '') return { preview: undefined, issues: [] }
      try {
        const sent = { body: { ...body, ...(title && { title }) } }
        return { preview: await call('POST /api/templates/preview', sent, signal), issues: [] }
      } catch (error) {
        if (error instanceof Problem && error.status === 422) return { preview: undefined, issues: error.issues }
        throw error
      }
    },
    placeholderData: keepPreviousData,
    retry: false,
  })
  return { ...query, isCurrent: later === JSON.stringify(draft) && !query.isPlaceholderData }
}

function Preview({
  tried: { data, error, refetch },
  isEmpty,
}: {
  tried: ReturnType<typeof useTried>
  isEmpty: boolean
}) {
  const w = useTemplateWords()
  return (
    <section className={styles.preview} aria-label={w.preview}>
      <h2>{w.preview}</h2>
      <p className={styles.hint}>{w.previewHint}</p>
      {error ? (
        <Unreadable error={error} onRetry={() => void refetch()} />
      ) : isEmpty ? (
        <p className="soft">{w.previewEmpty}</p>
      ) : !data ? (
        <Loading lines={6} />
      ) : data.preview ? (
        <div className={styles.sheet}>
          <Markdown text={data.preview.content} />
        </div>
      ) : (
        <p className="soft">{w.previewWaits}</p>
      )}
    </section>
  )
}

interface VariablesProps {
  variables: DraftVariable[]
  body: string
  faults: Fault[]
  onOrder: (variables: DraftVariable[]) => void
  onEdit: (variable: DraftVariable) => void
  onRemove: (variable: DraftVariable) => void
  onAdd: () => void
  onInsert: (name: string) => void
}

function Variables({ variables, body, faults, onOrder, onEdit, onRemove, onAdd, onInsert }: VariablesProps) {
  const w = useTemplateWords()
  return (
    <section className={styles.variables} aria-label={w.variables}>
      <header>
        <div>
          <h2>{w.variables}</h2>
          <p className={styles.hint}>{variables.length > 0 ? w.variablesHint : w.noVariables}</p>
        </div>
        <Button icon={Plus} onPress={onAdd}>
          {w.addVariable}
        </Button>
      </header>
      {variables.length > 0 && (
        <OrderedList
          label={w.variables}
          items={variables}
          keyOf={({ id }) => id}
          nameOf={({ label, name }) => label || name}
          onOrder={onOrder}
          onEdit={onEdit}
          onRemove={onRemove}
        >
          {(variable, index) => (
            <VariableLine
              variable={variable}
              isUsed={holds(body, variable.name)}
              // That it stands nowhere is said by a word of its own.
              wrong={faults
                .filter(each => each.variable === index && each.code !== 'template_variable_unused')
                .map(({ text }) => text)}
              onInsert={() => onInsert(variable.name)}
            />
          )}
        </OrderedList>
      )}
    </section>
  )
}

interface LineProps {
  variable: DraftVariable
  isUsed: boolean
  wrong: string[]
  onInsert: () => void
}

function VariableLine({ variable, isUsed, wrong, onInsert }: LineProps) {
  const w = useTemplateWords()
  const { list } = useFormat()
  const { name, label, type, required, default: given } = variable
  const facts = [w.gives[type], ...(required ? [w.required] : []), ...(given ? [w.byDefault(given)] : [])]
  return (
    <div className={styles.variable}>
      <div>
        <p>
          {label} <code className={styles.place}>{`{{${name}}}`}</code>{' '}
          {!isUsed && <span className={styles.unused}>{w.unused}</span>}
        </p>
        <p className={styles.hint}>{facts.join(' · ')}</p>
        {wrong.length > 0 && <p className={styles.wrong}>{list(wrong, 'conjunction')}</p>}
      </div>
      <Button look="quiet" aria-label={w.insertOf(label || name)} icon={TextCursorInput} onPress={onInsert}>
        {w.insert}
      </Button>
    </div>
  )
}

function Builtins({ onInsert }: { onInsert: (name: string) => void }) {
  const w = useTemplateWords()
  return (
    <section className={styles.variables} aria-label={w.builtins}>
      <header>
        <div>
          <h2>{w.builtins}</h2>
          <p className={styles.hint}>{w.builtinsHint}</p>
        </div>
      </header>
      <ul className={styles.builtins}>
        {builtins.map(name => (
          <li key={name} className={styles.variable}>
            <p>
              {w.builtin[name]} <code className={styles.place}>{`{{${name}}}`}</code>
            </p>
            <Button
              look="quiet"
              aria-label={w.insertOf(w.builtin[name])}
              icon={TextCursorInput}
              onPress={() => onInsert(name)}
            >
              {w.insert}
            </Button>
          </li>
        ))}
      </ul>
    </section>
  )
}
