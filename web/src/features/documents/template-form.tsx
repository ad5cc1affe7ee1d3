import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Eye } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { type Answer, call } from '../../api/client.ts'
import type { Problem } from '../../api/problem.ts'
import { ask, refresh } from '../../api/queries.ts'
import { DepartmentField, hasDepartment, useDepartmentWords } from '../../records/fields/department-field.tsx'
import { bindingOf } from '../../ui/binding.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogButtons } from '../../ui/dialog.tsx'
import { Field } from '../../ui/field.tsx'
import { Form } from '../../ui/form.tsx'
import { Markdown } from '../../ui/markdown.tsx'
import { Loading, Refused, Unreadable } from '../../ui/notes.tsx'
import { Select } from '../../ui/select.tsx'
import { announce } from '../../ui/toasts.tsx'
import { useFormDraft } from '../../ui/use-form-draft.ts'
import { useWords } from '../../words/index.ts'
import { useMe } from '../session/session.ts'
import { TemplateField } from './template-field.tsx'
import { useTemplateWords } from './template-words.ts'
import styles from './upload-form.module.css'

type Template = Answer<'GET /api/templates/{id}'>

interface TypeProps {
  types: readonly { id: number; name: string; description: string; number_pattern: string }[]
  /** Which type the document becomes, for what is said beside the form. */
  onType: (type: number | undefined) => void
  onDone: (document: { id: number }) => void
  onLeave: () => void
}

interface Props extends TypeProps {
  template: number | undefined
  onTemplate: (template: number | undefined) => void
}

/** A document from a content template of the company: which one, its fields, what it reads, and the draft of it. */
export function TemplateForm({ template, onTemplate, ...rest }: Props) {
  const w = useTemplateWords()
  const list = useQuery(ask('GET /api/templates/', { query: { page_size: 100, sort: 'name:asc' } }))
  const chosen = useQuery({
    ...ask('GET /api/templates/{id}', { path: { id: template ?? 0 } }),
    enabled: template !== undefined,
  })
  if (list.error) return <Unreadable error={list.error} onRetry={() => void list.refetch()} />
  // A choice of nothing would not open.
  if (!list.data) return <Loading />
  return (
    <div className={styles.form}>
      <Select
        label={w.template}
        isRequired
        placeholder={w.choose}
        options={list.data.items.map(({ id, name, description }) => ({
          id: String(id),
          name,
          detail: description,
        }))}
        value={template === undefined ? '' : String(template)}
        onChange={id => onTemplate(id === '' ? undefined : Number(id))}
        hint={list.data.items.length === 0 ? w.none : undefined}
      />
      {template === undefined ? null : chosen.error ? (
        <Unreadable error={chosen.error} onRetry={() => void chosen.refetch()} />
      ) : chosen.data ? (
        <Fields key={`${template} ${chosen.data.version}`} template={chosen.data} {...rest} />
      ) : (
        <Loading />
      )}
    </div>
  )
}

interface Draft {
  title: string
  document_type: string
  department: string
  values: Record<string, string>
  /** Of people and documents, whose values are ids. */
  names: Record<string, string>
}

function Fields({ template, types, onType, onDone, onLeave }: TypeProps & { template: Template }) {
  const w = useTemplateWords()
  const { upload, document: dw, common } = useWords()
  const dep = useDepartmentWords()
  const client = useQueryClient()
  const { id: ownId } = useMe()
  const { id, description, document_type: usual, variables } = template
  const { fields, change, forget } = useFormDraft<Draft>(`template ${ownId} ${id}`, {
    title: '',
    document_type: usual ? String(usual.id) : '',
    department: '',
    values: Object.fromEntries(variables.map(each => [each.name, each.type === 'select' ? (each.default ?? '') : ''])),
    names: {},
  })
  const [attempts, setAttempts] = useState(0)
  const isTried = attempts > 0
  const [isPreviewed, setPreviewed] = useState(false)
  const type = Number(fields.document_type) || undefined
  useEffect(() => onType(type), [type, onType])

  // What is not filled in is left out: the service says then what stands in its place.
  const values = Object.fromEntries(
    variables.map(({ name }) => [name, fields.values[name]?.trim() ?? '']).filter(([, value]) => value !== ''),
  )
  const title = fields.title.trim()
  const asksDepartment = hasDepartment(types.find(each => each.id === type))
  const department = asksDepartment ? fields.department.trim() : ''
  const preview = useMutation<Answer<'POST /api/templates/{id}/preview'>, Problem>({
    mutationFn: () =>
      call('POST /api/templates/{id}/preview', { path: { id }, body: { variables: values, ...(title && { title }) } }),
    onSuccess: () => setPreviewed(true),
  })
  const create = useMutation<Answer<'POST /api/templates/use'>, Problem>({
    mutationFn: () =>
      call('POST /api/templates/use', {
        body: {
          template_id: id,
          variables: values,
          title,
          create_document: true,
          document_type_id: type!,
          ...(department && { department }),
        },
      }),
    onSuccess: ({ document }) => {
      forget()
      announce(w.done(document!.number), upload.nowDraft)
      onDone(document!)
      return refresh(client, 'documents/', 'dashboard/')
    },
    onError: () => setPreviewed(false),
  })
  const problem = create.error ?? preview.error
  const isMissing = ({ name, required, default: given }: Template['variables'][number]) =>
    required && values[name] === undefined && given === null
  const wrongWith = (variable: Template['variables'][number]) =>
    problem?.of(variable.name) ?? (isTried && isMissing(variable) ? w.missing : undefined)
  const isComplete =
    title !== '' && type !== undefined && (department !== '' || !asksDepartment) && !variables.some(isMissing)

  const form = useRef<HTMLFormElement>(null)
  // Who listens or works by keys is led to the first field that keeps the draft from being made.
  useEffect(() => {
    if (attempts > 0 || problem) form.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus()
  }, [attempts, problem])
  const submit = () => {
    setAttempts(attempts + 1)
    preview.reset()
    if (isComplete && !create.isPending) create.mutate()
    else setPreviewed(false)
  }
  const send = () => {
    submit()
  }
  const named = new Set(['title', 'document_type_id', 'department', ...variables.map(({ name }) => name)])
  const isOfAField = problem?.issues.some(({ loc }) => named.has(String(loc.at(-1))))
  const bind = bindingOf(fields, change)
  return (
    <Form ref={form} className={styles.fields} onSend={send} noValidate>
      {description && <p className="soft">{description}</p>}
      <Field
        label={upload.documentTitle}
        isRequired
        {...bind('title')}
        wrong={problem?.of('title') ?? (isTried && title === '' ? upload.missing.title : undefined)}
      />
      <Select
        label={dw.type}
        isRequired
        placeholder={upload.typePlaceholder}
        options={types.map(each => ({ id: String(each.id), name: each.name, detail: each.description }))}
        {...bind('document_type')}
        wrong={problem?.of('document_type_id') ?? (isTried && !type ? upload.missing.type : undefined)}
      />
      {asksDepartment && (
        <DepartmentField
          {...bind('department')}
          wrong={problem?.of('department') ?? (isTried && department === '' ? dep.missing : undefined)}
        />
      )}
      {variables.map(variable => (
        <TemplateField
          key={variable.name}
          variable={variable}
          value={fields.values[variable.name] ?? ''}
          name={fields.names[variable.name] ?? ''}
          onChange={(value, name) =>
            change({
              values: { ...fields.values, [variable.name]: value },
              names: { ...fields.names, ...(name !== undefined && { [variable.name]: name }) },
            })
          }
          wrong={wrongWith(variable)}
        />
      ))}
      {problem && !isOfAField && <Refused error={problem} />}
      <footer className={styles.buttons}>
        <Button onPress={onLeave}>{common.cancel}</Button>
        <Button
          icon={Eye}
          isPending={preview.isPending}
          onPress={() => {
            create.reset()
            preview.mutate()
          }}
        >
          {w.preview}
        </Button>
        <Button type="submit" look="main" isPending={create.isPending}>
          {w.submit}
        </Button>
      </footer>
      {isPreviewed && preview.data && (
        <Dialog
          isOpen
          size="m"
          onClose={() => setPreviewed(false)}
          title={w.preview}
          about={preview.data.unresolved.length > 0 ? w.unresolved(preview.data.unresolved.length) : title}
        >
          <div className={styles.preview}>
            <Markdown text={preview.data.content} />
          </div>
          <DialogButtons>
            <Button onPress={() => setPreviewed(false)}>{w.goOn}</Button>
            <Button look="main" isPending={create.isPending} onPress={submit}>
              {w.submit}
            </Button>
          </DialogButtons>
        </Dialog>
      )}
    </Form>
  )
}
