import type { Answer } from '../../api/client.ts'
import { PersonField } from '../../records/fields/person-field.tsx'
import { DayField } from '../../ui/day-field.tsx'
import { Field } from '../../ui/field.tsx'
import { nameOf } from '../../ui/person.tsx'
import { Select } from '../../ui/select.tsx'
import { DocumentField } from './document-field.tsx'
import { useTemplateWords } from './template-words.ts'

export type Variable = Answer<'GET /api/templates/{id}'>['variables'][number]

interface Props {
  variable: Variable
  /** As the service takes it: a person and a document are their ids. */
  value: string
  /** What is shown for an id. */
  name: string
  onChange: (value: string, name?: string) => void
  wrong: string | undefined
}

/** The field for a variable of a content template, by its type. */
export function TemplateField({
  variable: { label, type, required, help, options },
  value,
  name,
  onChange,
  wrong,
}: Props) {
  const w = useTemplateWords()
  const common = { label, isRequired: required, wrong, ...(help !== null && { hint: help }) }
  switch (type) {
    case 'user':
      return (
        <PersonField
          {...common}
          chosen={value ? { username: name, full_name: name } : undefined}
          onChange={(id, person) => onChange(id === undefined ? '' : String(id), person && nameOf(person))}
        />
      )
    case 'document':
      return (
        <DocumentField
          {...common}
          chosen={value ? name : ''}
          onChange={(id, chosen) => onChange(id === undefined ? '' : String(id), chosen)}
        />
      )
    case 'date':
      return <DayField {...common} value={value} onChange={onChange} />
    case 'select':
      return (
        <Select
          {...common}
          placeholder={w.chooseOption}
          options={(options ?? []).map(each => ({ id: each, name: each }))}
          value={value}
          onChange={onChange}
        />
      )
    case 'number':
      return <Field {...common} inputMode="decimal" value={value} onChange={onChange} />
    case 'long_text':
      return <Field {...common} rows={4} value={value} onChange={onChange} />
    case 'text':
      return <Field {...common} value={value} onChange={onChange} />
  }
}
