// A form while it is being written: sections and fields as the lines of one list, which is what people move.
import type { Answer, Given } from '../../api/client.ts'
import type { Issue } from '../../api/problem.ts'

export type Sections = Given<'POST /api/deviations/form-templates/preview'>['body']['sections']
export type FormTemplate = Answer<'GET /api/deviations/form-templates/{id}'>
type Field = Sections[number]['fields'][number]
export type FieldType = Field['type']

export const fieldTypes = [
  ...(['text', 'textarea', 'select'] as const),
  ...(['document_picker', 'capa_picker', 'image', 'file'] as const),
] satisfies FieldType[]

export interface DraftOption {
  id: string
  /** Of a stored option: the answers that people gave are known by it. */
  value?: string
  label: string
}
export interface DraftField {
  kind: 'field'
  id: string
  /** Of a stored field, as the value of an option. */
  key?: string
  label: string
  type: FieldType
  required: boolean
  help: string
  options: DraftOption[]
  min: string
  max: string
  /** Shown only while this field has this option: their ids. */
  when: { field: string; option: string } | null
}
export interface DraftSection {
  kind: 'section'
  id: string
  key?: string
  title: string
  description: string
}
export type Row = DraftSection | DraftField

export const isTyped = ({ type }: Pick<DraftField, 'type'>) => type === 'text' || type === 'textarea'

const fieldId = (key: string) => `field ${key}`
const optionId = (value: string) => `option ${value}`

export const rowsOf = (sections: Sections): Row[] =>
  sections.flatMap(({ key, title, description = '', fields }): Row[] => [
    { kind: 'section', id: `section ${key}`, key, title, description },
    ...fields.map(
      (field): DraftField => ({
        kind: 'field',
        id: fieldId(field.key),
        key: field.key,
        label: field.label,
        type: field.type,
        required: field.required ?? false,
        help: field.help ?? '',
        options: (field.options ?? []).map(({ value, label }) => ({ id: optionId(value), value, label })),
        min: field.min === undefined ? '' : String(field.min),
        max: field.max === undefined ? '' : String(field.max),
        when: field.visible_when
          ? { field: fieldId(field.visible_when.field), option: optionId(field.visible_when.equals) }
          : null,
      }),
    ),
  ])

export const newField = (): DraftField => ({
  ...{ kind: 'field', id: `new ${crypto.randomUUID()}`, label: '', type: 'text', required: false, help: '' },
  ...{ options: [], min: '', max: '', when: null },
})
export const newOption = (label = ''): DraftOption => ({ id: `new ${crypto.randomUUID()}`, label })
export const newSection = (title = ''): DraftSection => ({
  ...{ kind: 'section', id: `new ${crypto.randomUUID()}`, title, description: '' },
})

const letters: Record<string, string> = { ä: 'ae', ö: 'oe', ü: 'ue', ß: 'ss', æ: 'ae', ø: 'oe', å: 'aa', ł: 'l' }

/** A name for programs, made of what people call it, which no other has. The service takes small letters, digits and _. */
export function keyFor(label: string, taken: ReadonlySet<string>, usual: string): string {
  const words = label
    .toLowerCase()
    .replaceAll(/[äöüßæøåł]/g, letter => letters[letter]!)
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[_0-9]+|_+$/g, '')
    .slice(0, 34)
  // Every object of JavaScript has a constructor, so the service takes no field of that name.
  const base = words === '' || words === 'constructor' ? usual : words
  for (let n = 1; ; n++) {
    const key = n === 1 ? base : `${base}_${n}`
    if (!taken.has(key)) return key
  }
}

/** What is stored has its key already; what is new gets one by its name. */
function keysOf<T extends { id: string }>(
  all: readonly T[],
  storedOf: (item: T) => string | undefined,
  nameOf: (item: T) => string,
  usual: string,
): Map<string, string> {
  const keys = new Map<string, string>()
  const taken = new Set<string>()
  for (const item of all) {
    const stored = storedOf(item)
    if (stored === undefined) continue
    keys.set(item.id, stored)
    taken.add(stored)
  }
  for (const item of all) {
    if (keys.has(item.id)) continue
    const key = keyFor(nameOf(item), taken, usual)
    keys.set(item.id, key)
    taken.add(key)
  }
  return keys
}

const isField = (row: Row): row is DraftField => row.kind === 'field'
const isSection = (row: Row): row is DraftSection => row.kind === 'section'
export const fieldsIn = (rows: readonly Row[]) => rows.filter(isField)
export const sectionsIn = (rows: readonly Row[]) => rows.filter(isSection)

const whole = (text: string) => (/^\d+$/.test(text.trim()) ? Number(text) : undefined)

/** As the service takes it. Whatever is wrong in it stays wrong: the service says so, at its place. */
export function sectionsOf(rows: readonly Row[]): Sections {
  const fields = fieldsIn(rows)
  const keys = keysOf(
    fields,
    ({ key }) => key,
    ({ label }) => label,
    'field',
  )
  const sectionKeys = keysOf(
    sectionsIn(rows),
    ({ key }) => key,
    ({ title }) => title,
    'section',
  )
  const valuesOf = ({ options }: DraftField) =>
    keysOf(
      options,
      ({ value }) => value,
      ({ label }) => label,
      'option',
    )
  const fieldOf = (row: DraftField): Field => {
    const { id, label, type, required, help, options, min, max, when } = row
    const values = valuesOf(row)
    const other = when && fields.find(each => each.id === when.field)
    return {
      key: keys.get(id)!,
      label: label.trim(),
      type,
      ...(required && { required }),
      ...(help.trim() && { help: help.trim() }),
      ...(type === 'select' &&
        options.length > 0 && {
          options: options.map(option => ({ value: values.get(option.id)!, label: option.label.trim() })),
        }),
      ...(isTyped(row) && whole(min) !== undefined && { min: Number(min) }),
      ...(isTyped(row) && whole(max) !== undefined && { max: Number(max) }),
      ...(when && {
        visible_when: {
          field: (other && keys.get(other.id)) ?? 'none',
          equals: (other && valuesOf(other).get(when.option)) ?? '-',
        },
      }),
    }
  }
  return sectionsIn(rows).map(section => ({
    key: sectionKeys.get(section.id)!,
    title: section.title.trim(),
    ...(section.description.trim() && { description: section.description.trim() }),
    fields: fieldsOf(rows, section).map(fieldOf),
  }))
}

export const fieldsOf = (rows: readonly Row[], section: DraftSection): DraftField[] => {
  const after = rows.slice(rows.indexOf(section) + 1)
  const end = after.findIndex(isSection)
  return (end === -1 ? after : after.slice(0, end)).filter(isField)
}

/** Where a condition may look: at a choice that stands before the field. */
export const choicesBefore = (rows: readonly Row[], field: DraftField) =>
  rows.slice(0, rows.indexOf(field)).filter((row): row is DraftField => isField(row) && row.type === 'select')

/** What hangs on a field, or on one of its options. */
export const hangingOn = (rows: readonly Row[], field: string, option?: string) =>
  fieldsIn(rows).filter(({ when }) => when?.field === field && (option === undefined || when.option === option))

const blockOf = (rows: readonly Row[], row: Row) => (isSection(row) ? [row, ...fieldsOf(rows, row)] : [row])
/** Where the section begins that a line is in. */
const sectionStart = (rows: readonly Row[], at: number) => {
  let start = at
  while (start > 0 && rows[start]!.kind !== 'section') start--
  return start
}

/** The lines with one of them dropped before or after another. A section takes its fields along, and stands between sections alone. */
export function dropped(rows: readonly Row[], id: string, target: string, isAfter: boolean): Row[] {
  const moved = rows.find(row => row.id === id)
  if (!moved || id === target) return [...rows]
  const block = blockOf(rows, moved)
  const rest = rows.filter(row => !block.includes(row))
  const found = rest.findIndex(row => row.id === target)
  if (found === -1) return [...rows]
  let at = found + (isAfter ? 1 : 0)
  if (isSection(moved)) {
    const start = sectionStart(rest, found)
    const isBefore = found === start && !isAfter
    at = isBefore ? start : start + blockOf(rest, rest[start]!).length
  }
  // Every field is in a section.
  if (!isSection(moved) && at === 0) at = 1
  return [...rest.slice(0, at), ...block, ...rest.slice(at)]
}

/** Whether a line cannot go further up or down. */
export function isAtEnd(rows: readonly Row[], row: Row, by: -1 | 1): boolean {
  const at = rows.indexOf(row)
  if (!isSection(row)) return by === -1 ? at <= 1 : at === rows.length - 1
  const sections = sectionsIn(rows)
  return sections.at(by === -1 ? 0 : -1) === row
}

/** One line further up or down: a section past a whole section, a field past a line. */
export function shifted(rows: readonly Row[], row: Row, by: -1 | 1): Row[] {
  if (isAtEnd(rows, row, by)) return [...rows]
  if (!isSection(row)) {
    const next = [...rows]
    const at = rows.indexOf(row)
    next.splice(at, 1)
    next.splice(at + by, 0, row)
    return next
  }
  const sections = sectionsIn(rows)
  return dropped(rows, row.id, sections[sections.indexOf(row) + by]!.id, by === 1)
}

/** What the service says is wrong with a line, and with which part of it. */
export interface Fault {
  row: string
  /** `label`, `options`, `options.2.label`, `visible_when`. */
  place: string
  code: string
  text: string
}

/** The issues of a form by the lines that they are about. */
export function faultsOf(rows: readonly Row[], issues: readonly Issue[]): Fault[] {
  const sections = sectionsIn(rows)
  return issues.flatMap(({ loc, msg, type = '' }): Fault[] => {
    const [, first, s, second, f, ...rest] = loc
    const section = sections[Number(s)]
    if (first !== 'sections' || !section) return []
    const field = second === 'fields' && f !== undefined ? fieldsOf(rows, section)[Number(f)] : undefined
    if (field) return [{ row: field.id, place: placeOf(rest), code: type, text: msg }]
    return [{ row: section.id, place: String(second ?? ''), code: type, text: msg }]
  })
}

/** A condition is one sentence of the page, whichever half of it is wrong. */
const placeOf = (rest: (string | number)[]) => (rest[0] === 'visible_when' ? 'visible_when' : rest.join('.'))
