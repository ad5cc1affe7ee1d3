import type { Issue } from '#kernel/errors.ts'
import { type Field, fieldsOf, isAttached, isTyped, lengthsOf, type Section, type TypedField } from './definition.ts'

/** What is kept of a filled-in form: texts and options as they are, pickers and attachments as ids. */
export type FormValues = Record<string, string | number>

/** An id that the database has to say something about. */
export interface Pointer {
  key: string
  type: 'document_picker' | 'capa_picker' | 'image' | 'file'
  id: number
}

export const faultOf = (key: string, msg: string, type: string): Issue => ({
  loc: ['body', 'form_data', key],
  msg,
  type,
})

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1

/** undefined where nothing was filled in. */
type Verdict = { value: string | number } | { fault: [msg: string, type: string] } | undefined
const fault = (msg: string, type: string): Verdict => ({ fault: [msg, type] })

function readTyped(field: TypedField, value: unknown): Verdict {
  if (typeof value !== 'string') return fault('must be a text', 'type')
  const { min, max } = lengthsOf(field)
  // Characters, not halves of them, as JSON Schema counts.
  const length = value.length > 2 * max ? value.length : Array.from(value).length
  if (length > max) return fault(`must have ${max} characters at most`, 'maxLength')
  if (value.includes('\0') || !value.isWellFormed())
    return fault('must be text without NUL or unpaired surrogate characters', 'plain_text_format')
  if (value.trim() === '') return undefined
  return length < min ? fault(`must have ${min} characters at least`, 'minLength') : { value }
}

function readValue(field: Field, value: unknown): Verdict {
  if (value === undefined) return undefined
  if (isTyped(field)) return readTyped(field, value)
  if (field.type === 'select') {
    const options = field.options!.map(option => option.value)
    const found = options.find(option => option === value)
    return found === undefined ? fault(`must be one of ${options.join(', ')}`, 'enum') : { value: found }
  }
  return isId(value) ? { value } : fault('must be an id', 'type')
}

/**
 * The values of a form as far as the form itself can tell, and all that is wrong with them. A blank is no value, and a field that
 * is not there has none: whatever came for it is left out, unread.
 */
export function readValues(
  sections: readonly Section[],
  data: Readonly<Record<string, unknown>>,
  { isComplete }: { isComplete: boolean },
): { values: FormValues; pointers: Pointer[]; faults: Issue[] } {
  const fields = fieldsOf(sections)
  const known = new Set(fields.map(({ key }) => key))
  const faults = Object.keys(data)
    .filter(key => !known.has(key))
    .map(key => faultOf(key, 'is not a field of this request', 'extra_forbidden'))
  const values = new Map<string, string | number>()
  const pointers: Pointer[] = []
  for (const field of fields) {
    const { key, type, visible_when } = field
    if (visible_when && values.get(visible_when.field) !== visible_when.equals) continue
    const read = readValue(field, data[key])
    if (!read) {
      if (field.required && (isComplete || !isAttached(field))) faults.push(faultOf(key, 'is required', 'missing'))
    } else if ('fault' in read) faults.push(faultOf(key, ...read.fault))
    else {
      values.set(key, read.value)
      if (type === 'document_picker' || type === 'capa_picker' || type === 'image' || type === 'file')
        pointers.push({ key, type, id: read.value as number })
    }
  }
  return { values: Object.fromEntries(values), pointers, faults }
}
