import { Plus } from 'lucide-react'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { useFormat, useLanguage } from '../../words/index.ts'
import styles from './pattern-field.module.css'

const catalogues = {
  en: {
    department: 'Department',
    year: 'Year',
    written: ['Capital letters', 'digits'],
    hint: (parts: string) => `${parts}, separated by - . or _. The zeros in braces are the digits.`,
    next: 'Next number',
    forDepartment: 'for the department QA, as an example',
    add: (part: string) => `Add the ${part.toLowerCase()}`,
    wrong: 'A number cannot be made of this. Write it like SOP-{0000}.',
  },
  de: {
    department: 'Abteilung',
    year: 'Jahr',
    written: ['Großbuchstaben', 'Ziffern'],
    hint: (parts: string) => `${parts}, getrennt durch - . oder _. Die Nullen in Klammern sind die Ziffern.`,
    next: 'Nächste Nummer',
    forDepartment: 'zum Beispiel für die Abteilung QA',
    add: (part: string) => `${part} einfügen`,
    wrong: 'Daraus lässt sich keine Nummer bilden. Schreiben Sie es wie SOP-{0000}.',
  },
}

const parts = ['department', 'year'] as const
const departmentPart = '{department}'

/** As the service decides; it refuses the rest with what is wrong. */
const written = /^([A-Z][A-Z0-9]{0,9}|\{department\})([-._]([A-Z0-9]{1,10}|\{department\}|\{year\}))*[-._]\{0{2,8}\}$/

export const isPattern = (text: string) => written.test(text.trim())

/** The first number that a pattern gives, with QA as the department. */
function firstOf(pattern: string): string {
  const start = pattern.lastIndexOf('{')
  const series = pattern.slice(0, start).replaceAll(departmentPart, 'QA')
  return series.replaceAll('{year}', String(new Date().getFullYear())) + '1'.padStart(pattern.length - start - 2, '0')
}

/** A pattern in the words of the reader: its filled-in parts have English names in the service. */
export function useShownPattern() {
  const w = catalogues[useLanguage()]
  return (pattern: string) => parts.reduce((text, part) => text.replaceAll(`{${part}}`, `{${w[part]}}`), pattern)
}

interface Props {
  label: string
  value: string
  onChange: (pattern: string) => void
  /** Numbers of this kind can name a department. */
  hasDepartments?: boolean
  /** What the service says is next; null while it is asked. Without it, the first number of the pattern is shown. */
  next?: string | null | undefined
  wrong?: string | undefined
}

/** How numbers are written, with the next one as it is typed. */
export function PatternField({ label, value, onChange, hasDepartments = false, next, wrong }: Props) {
  const w = catalogues[useLanguage()]
  const { list } = useFormat()
  const shown = useShownPattern()
  const offered = parts.filter(part => part !== 'department' || hasDepartments)
  const change = (text: string) =>
    onChange(
      parts.reduce(
        (pattern, part) => pattern.replace(new RegExp(`\\{(${w[part]}|${part})\\}`, 'gi'), `{${part}}`),
        text.replace(/[^{}]+(?=\{|$)/g, outside => outside.toUpperCase()),
      ),
    )
  const add = (part: (typeof parts)[number]) => {
    const start = value.lastIndexOf('{0')
    const place = start < 0 ? value.length : start
    onChange(`${value.slice(0, place)}{${part}}-${value.slice(place)}`)
  }
  const isWritten = isPattern(value)
  return (
    <div className={styles.pattern}>
      <Field
        label={label}
        isRequired
        maxLength={80}
        hint={w.hint(list([...w.written, ...offered.map(part => `{${w[part]}}`)], 'conjunction'))}
        value={shown(value)}
        onChange={change}
        wrong={wrong ?? (isWritten ? undefined : w.wrong)}
      />
      <div className={styles.parts}>
        {offered
          .filter(part => !value.includes(`{${part}}`))
          .map(part => (
            <Button key={part} look="quiet" icon={Plus} onPress={() => add(part)}>
              {w.add(w[part])}
            </Button>
          ))}
      </div>
      {isWritten && next !== null && (
        <p role="status">
          {w.next}: <b className="number">{next ?? firstOf(value.trim())}</b>{' '}
          {value.includes(departmentPart) && <span className="soft">({w.forDepartment})</span>}
        </p>
      )}
    </div>
  )
}
