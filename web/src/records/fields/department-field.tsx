import { Field } from '../../ui/field.tsx'
import { useLanguage } from '../../words/index.ts'

const catalogues = {
  en: {
    label: 'Department',
    hint: 'Its short code, which is part of the number: up to ten capital letters and digits. It cannot be changed later.',
    missing: 'Enter the code of the department, for example QA.',
  },
  de: {
    label: 'Abteilung',
    hint: 'Ihr Kürzel, das Teil der Nummer wird: bis zu zehn Großbuchstaben und Ziffern. Es lässt sich später nicht ändern.',
    missing: 'Geben Sie das Kürzel der Abteilung ein, zum Beispiel QA.',
  },
}

export const useDepartmentWords = () => catalogues[useLanguage()]

/** Whether the numbers of a document type name the department. */
export const hasDepartment = (type: { number_pattern: string } | undefined) =>
  type?.number_pattern.includes('{department}') === true

interface Props {
  value: string
  onChange: (code: string) => void
  wrong: string | undefined
}

/** The code of a department that the number of a new document names. */
export function DepartmentField({ value, onChange, wrong }: Props) {
  const w = useDepartmentWords()
  return (
    <Field
      label={w.label}
      hint={w.hint}
      isRequired
      maxLength={10}
      value={value}
      onChange={code => onChange(code.toUpperCase())}
      wrong={wrong}
    />
  )
}
