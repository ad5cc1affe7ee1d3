import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api/queries.ts'
import { Part } from '../../records/case/part.tsx'
import { FactList } from '../../records/fact-list.tsx'
import { FormFields, schemaOf } from '../../records/forms/form-fields.tsx'
import { type FormField, formOf, readForm } from '../../records/forms/form-schema.ts'
import { NotRead } from '../../ui/notes.tsx'
import { useMe } from '../session/session.ts'
import { canEdit, caseOf, type Deviation, save } from './deviation.ts'
import styles from './deviation-parts.module.css'
import { useDeviationWords } from './words.ts'

type Values = Record<string, unknown>

/** The form of the tenant, in the version that the record began with. */
export function FormPart({ of: deviation }: { of: Deviation }) {
  const w = useDeviationWords()
  const template = deviation.form_template_id!
  const version = deviation.form_template_version ?? undefined
  const values = (deviation.form_data ?? {}) as Values
  const name = useQuery(ask('GET /api/deviations/form-templates/{id}', { path: { id: template } }))
  const { data: schema, error, refetch } = useQuery(schemaOf(template, version))
  const isEditable = canEdit(deviation, 'findings', useMe())
  return (
    <Part
      of={caseOf(deviation)}
      name="form"
      title={name.data?.name ?? w.form}
      canEdit={isEditable && schema !== undefined}
      before={{ values }}
      form={({ fields, change, problem }) => (
        <FormFields
          template={template}
          version={version}
          values={fields.values}
          onChange={next => change({ values: next })}
          problem={problem}
          attachments={deviation.attachments}
        />
      )}
      send={(fields, sent) =>
        save(deviation, { form_data: readForm(formOf(schema!, fields.values), fields.values) }, sent)
      }
    >
      {error || !schema ? (
        <NotRead error={error} onRetry={refetch} lines={3} />
      ) : (
        formOf(schema, values).map(({ key, title, fields }) => (
          <div key={key} className={styles.section}>
            <h3>{title}</h3>
            <FactList facts={fields.map(field => [field.title, shownOf(field, values[field.key], deviation) || '–'])} />
          </div>
        ))
      )}
    </Part>
  )
}

/** A value as it is read: the name of an option, of a file, the number of a record. */
function shownOf({ type, options }: FormField, value: unknown, { attachments }: Deviation): string {
  if (typeof value !== 'string' && typeof value !== 'number') return ''
  if (type === 'select') return options.find(({ id }) => id === value)?.name ?? String(value)
  if (type === 'image' || type === 'file') return attachments.find(({ id }) => id === value)?.name ?? `#${value}`
  return type === 'document_picker' || type === 'capa_picker' ? `#${value}` : String(value)
}
