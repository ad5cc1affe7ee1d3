import { messages as validation } from '#http/messages.ts'
import { type Issue, issueAt } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { type Field, fieldsOf, isAttached, isTyped, lengthsOf, type Section, type TypedField } from './definition.ts'
import { messages } from './messages.ts'

/** The stored values of a form: texts and options as they are, pickers and attachments as ids. */
export type FormValues = Record<string, string | number>

/** An id that must be looked up in the database. */
export interface Pointer {
  key: string
  type: 'document_picker' | 'capa_picker' | 'image' | 'file'
  id: number
}

export const issueOf = (key: string, message: Message): Issue => issueAt(['body', 'form_data', key], message)

const isId = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 1

/** Undefined if the field is empty. */
type Verdict = { value: string | number } | { refusal: Message } | undefined

function readTyped(field: TypedField, value: unknown): Verdict {
  if (typeof value !== 'string') return { refusal: validation.wrong_type({ expected: 'string' }) }
  const { min, max } = lengthsOf(field)
  // JSON Schema counts characters, not UTF-16 units.
  const length = value.length > 2 * max ? value.length : Array.from(value).length
  if (length > max) return { refusal: validation.too_long({ maximum: max }) }
  if (value.includes('\0') || !value.isWellFormed()) return { refusal: validation.unreadable_text() }
  if (value.trim() === '') return undefined
  return length < min ? { refusal: validation.too_short({ minimum: min }) } : { value }
}

function readValue(field: Field, value: unknown): Verdict {
  if (value === undefined) return undefined
  if (isTyped(field)) return readTyped(field, value)
  if (field.type === 'select') {
    const options = field.options!.map(option => option.value)
    const found = options.find(option => option === value)
    return found === undefined ? { refusal: validation.not_allowed_value({ allowed: options }) } : { value: found }
  }
  return isId(value) ? { value } : { refusal: messages.form_id_required() }
}

/**
 * The values of a form and their issues, as far as they can be checked without the database. A blank is no value. A value for a hidden
 * field is dropped unread.
 */
export function readValues(
  sections: readonly Section[],
  data: Readonly<Record<string, unknown>>,
  { isComplete }: { isComplete: boolean },
): { values: FormValues; pointers: Pointer[]; issues: Issue[] } {
  const fields = fieldsOf(sections)
  const known = new Set(fields.map(({ key }) => key))
  const issues = Object.keys(data)
    .filter(key => !known.has(key))
    .map(key => issueOf(key, validation.extra_forbidden()))
  const values = new Map<string, string | number>()
  const pointers: Pointer[] = []
  for (const field of fields) {
    const { key, type, visible_when } = field
    if (visible_when && values.get(visible_when.field) !== visible_when.equals) continue
    const read = readValue(field, data[key])
    if (!read) {
      if (field.required && (isComplete || !isAttached(field)))
        issues.push(issueOf(key, isAttached(field) ? messages.form_attachment_required() : validation.missing()))
    } else if ('refusal' in read) issues.push(issueOf(key, read.refusal))
    else {
      values.set(key, read.value)
      if (type === 'document_picker' || type === 'capa_picker' || type === 'image' || type === 'file')
        pointers.push({ key, type, id: read.value as number })
    }
  }
  return { values: Object.fromEntries(values), pointers, issues }
}
