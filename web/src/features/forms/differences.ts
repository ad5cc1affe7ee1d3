// The differences of a form from the version before it, as sentences.
import type { FieldType, Sections } from './draft.ts'

type Section = Sections[number]
type Field = Section['fields'][number]

export interface DifferenceWords {
  sectionAdded: (title: string) => string
  sectionRemoved: (title: string) => string
  sectionRenamed: (before: string, after: string) => string
  sectionText: (title: string) => string
  fieldAdded: (label: string, section: string) => string
  fieldRemoved: (label: string) => string
  fieldRenamed: (before: string, after: string) => string
  fieldType: (label: string, before: string, after: string) => string
  nowRequired: (label: string) => string
  nowOptional: (label: string) => string
  help: (label: string) => string
  optionAdded: (label: string, option: string) => string
  optionRemoved: (label: string, option: string) => string
  optionRenamed: (label: string, before: string, after: string) => string
  limits: (label: string) => string
  condition: (label: string, condition: string) => string
  always: (label: string) => string
  movedTo: (label: string, section: string) => string
  order: string
  same: string
  when: (label: string, option: string) => string
}

/** A condition as people read it. */
export function conditionOf(sections: Sections, { visible_when }: Field, w: Pick<DifferenceWords, 'when'>): string {
  if (!visible_when) return ''
  const other = sections.flatMap(({ fields }) => fields).find(({ key }) => key === visible_when.field)
  const option = other?.options?.find(({ value }) => value === visible_when.equals)
  return w.when(other?.label ?? visible_when.field, option?.label ?? visible_when.equals)
}

const fieldsBySection = (sections: Sections) =>
  new Map(sections.flatMap(section => section.fields.map(field => [field.key, { field, section }] as const)))

/** All that differs between two versions, in the order of the later one. */
export function differencesBetween(
  before: Sections,
  after: Sections,
  w: DifferenceWords,
  nameOfType: (type: FieldType) => string,
): string[] {
  const found: string[] = []
  const add = (isSo: boolean, sentence: () => string) => {
    if (isSo) found.push(sentence())
  }
  const oldSections = new Map(before.map(section => [section.key, section]))
  const newSections = new Map(after.map(section => [section.key, section]))
  const oldFields = fieldsBySection(before)
  const newFields = fieldsBySection(after)
  for (const section of after) {
    const old = oldSections.get(section.key)
    if (!old) found.push(w.sectionAdded(section.title))
    else {
      add(old.title !== section.title, () => w.sectionRenamed(old.title, section.title))
      add((old.description ?? '') !== (section.description ?? ''), () => w.sectionText(section.title))
    }
    for (const field of section.fields) {
      const was = oldFields.get(field.key)
      if (!was) {
        found.push(w.fieldAdded(field.label, section.title))
        continue
      }
      const { label } = field
      add(was.field.label !== label, () => w.fieldRenamed(was.field.label, label))
      add(was.section.key !== section.key, () => w.movedTo(label, section.title))
      add(was.field.type !== field.type, () => w.fieldType(label, nameOfType(was.field.type), nameOfType(field.type)))
      if (Boolean(was.field.required) !== Boolean(field.required))
        found.push(field.required ? w.nowRequired(label) : w.nowOptional(label))
      add((was.field.help ?? '') !== (field.help ?? ''), () => w.help(label))
      found.push(...optionDifferences(was.field, field, w))
      add(was.field.min !== field.min || was.field.max !== field.max, () => w.limits(label))
      if (JSON.stringify(was.field.visible_when) !== JSON.stringify(field.visible_when))
        found.push(field.visible_when ? w.condition(label, conditionOf(after, field, w)) : w.always(label))
    }
  }
  for (const [key, { field }] of oldFields) add(!newFields.has(key), () => w.fieldRemoved(field.label))
  for (const [key, { title }] of oldSections) add(!newSections.has(key), () => w.sectionRemoved(title))
  add(isReordered([...oldFields.keys()], [...newFields.keys()]), () => w.order)
  add(isReordered([...oldSections.keys()], [...newSections.keys()]) && !found.includes(w.order), () => w.order)
  return found.length > 0 ? found : [w.same]
}

function optionDifferences(before: Field, after: Field, w: DifferenceWords): string[] {
  const old = new Map((before.options ?? []).map(({ value, label }) => [value, label]))
  const now = new Map((after.options ?? []).map(({ value, label }) => [value, label]))
  return [
    ...[...now].flatMap(([value, label]) => {
      const was = old.get(value)
      if (was === undefined) return [w.optionAdded(after.label, label)]
      return was === label ? [] : [w.optionRenamed(after.label, was, label)]
    }),
    ...[...old].flatMap(([value, label]) => (now.has(value) ? [] : [w.optionRemoved(after.label, label)])),
  ]
}

/** Whether what both have stands in another order. */
const isReordered = (before: string[], after: string[]) => {
  const common = after.filter(key => before.includes(key))
  return before.filter(key => common.includes(key)).some((key, at) => key !== common[at])
}
