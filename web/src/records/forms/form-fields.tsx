import { useQuery } from '@tanstack/react-query'
import type { Problem } from '../../api/problem.ts'
import { ask } from '../../api/queries.ts'
import { Field } from '../../ui/field.tsx'
import { NotRead } from '../../ui/notes.tsx'
import { Select } from '../../ui/select.tsx'
import { useWords } from '../../words/index.ts'
import { RecordPicker } from '../fields/record-picker.tsx'
import styles from './form-fields.module.css'
import { type FormField, formOf } from './form-schema.ts'

export const schemaOf = (template: number | undefined, version?: number) => ({
  ...ask('GET /api/deviations/form-templates/{id}/schema', {
    path: { id: template ?? 0 },
    query: { is_complete: false, version },
  }),
  enabled: template !== undefined,
  // A version of a form never changes. On a bad network it must still be there.
  staleTime: Number.POSITIVE_INFINITY,
})

type Values = Record<string, unknown>

interface ViewProps {
  schema: Record<string, unknown>
  values: Values
  onChange: (values: Values) => void
  problem: Problem | null
  /** The files that a field can name; none while the record is not stored. */
  attachments?: readonly { id: number; name: string; content_type: string }[]
}

interface Props extends Omit<ViewProps, 'schema'> {
  template: number
  version?: number | undefined
}

/** The form of the tenant, rendered from its JSON Schema. */
export function FormFields({ template, version, ...view }: Props) {
  const { data, error, refetch } = useQuery(schemaOf(template, version))
  if (error || !data) return <NotRead error={error} onRetry={refetch} lines={4} />
  return <FormView schema={data} {...view} />
}

/** A form by its schema, as whoever fills it in sees it. */
export const FormView = ({ schema, values, onChange, problem, attachments }: ViewProps) =>
  formOf(schema, values).map(({ key, title, description, fields }) => (
    <fieldset key={key} className={styles.section}>
      <legend>{title}</legend>
      {description && <p className="soft">{description}</p>}
      {fields.map(field => (
        <OneField
          key={field.key}
          of={field}
          value={values[field.key]}
          onChange={value => onChange({ ...values, [field.key]: value })}
          wrong={problem?.of(field.key)}
          attachments={attachments}
        />
      ))}
    </fieldset>
  ))

interface OneProps {
  of: FormField
  value: unknown
  onChange: (value: unknown) => void
  wrong: string | undefined
  attachments: ViewProps['attachments']
}

function OneField({ of: field, value, onChange, wrong, attachments }: OneProps) {
  const { formFields: w } = useWords()
  const { title, description, type, isRequired, options } = field
  const common = { label: title, isRequired, wrong, ...(description !== undefined && { hint: description }) }
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  switch (type) {
    case 'text':
    case 'textarea':
      return <Field {...common} {...(type === 'textarea' && { rows: 4 })} value={text} onChange={onChange} />
    case 'select':
      return <Select {...common} options={options} placeholder={w.choose} value={text} onChange={onChange} />
    case 'document_picker':
    case 'capa_picker':
      return (
        <RecordPicker
          {...common}
          kinds={[type === 'document_picker' ? 'document' : 'capa']}
          shown={text && `#${text}`}
          onChange={found => onChange(found?.id)}
        />
      )
    default: {
      // A file is attached to a record, so there has to be one.
      if (!attachments)
        return (
          <div>
            <p className={styles.label}>{title}</p>
            <p className="soft">{w.fileLater}</p>
          </div>
        )
      const files = attachments.filter(each => type === 'file' || each.content_type.startsWith('image/'))
      return (
        <Select
          {...common}
          placeholder={files.length > 0 ? w.choose : w.attachFirst}
          options={files.map(({ id, name }) => ({ id: String(id), name }))}
          value={text}
          onChange={next => onChange(next ? Number(next) : undefined)}
        />
      )
    }
  }
}
