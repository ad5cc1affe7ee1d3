import { type Issue, issueAt } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { conditionsOf, type Field, isTyped, lengthsOf, maxCharacters, type Section } from './definition.ts'
import { messages } from './messages.ts'

type Loc = (string | number)[]

const maxFields = 500
/** A longer chain of fields that depend on each other is not understood by anybody who fills it in. */
const maxConditions = 5

function duplicates(
  values: readonly string[],
  locOf: (i: number) => Loc,
  messageOf: (value: string) => Message,
): Issue[] {
  const seen = new Set<string>()
  return values.flatMap((value, i) => {
    const isFirst = !seen.has(value)
    seen.add(value)
    return isFirst ? [] : [issueAt(locOf(i), messageOf(value))]
  })
}

function checkOptions({ type, options }: Field, loc: Loc): Issue[] {
  if (type !== 'select')
    return options ? [issueAt([...loc, 'options'], messages.form_options_not_allowed({ type }))] : []
  if (!options) return [issueAt([...loc, 'options'], messages.form_options_required())]
  const values = options.map(({ value }) => value)
  return duplicates(
    values,
    i => [...loc, 'options', i, 'value'],
    value => messages.form_option_repeated({ value }),
  )
}

function checkLengths(field: Field, loc: Loc): Issue[] {
  if (!isTyped(field))
    return (['min', 'max'] as const)
      .filter(name => field[name] !== undefined)
      .map(limit => issueAt([...loc, limit], messages.form_length_not_allowed({ limit, type: field.type })))
  const { min, max } = lengthsOf(field)
  const maximum = maxCharacters[field.type]
  if (max > maximum) return [issueAt([...loc, 'max'], messages.form_max_too_large({ type: field.type, maximum }))]
  if (max < 1) return [issueAt([...loc, 'max'], messages.form_max_too_small())]
  return min > max ? [issueAt([...loc, 'min'], messages.form_min_above_max({ min, max }))] : []
}

/** `fields` are the earlier ones: a field that depends only on earlier ones cannot depend on itself. */
function checkVisibility(
  field: Field,
  fields: ReadonlyMap<string, Field>,
  labels: ReadonlyMap<string, string>,
  loc: Loc,
): Issue[] {
  const { visible_when } = field
  if (!visible_when) return []
  const other = fields.get(visible_when.field)
  if (!other) {
    const later = labels.get(visible_when.field)
    const message =
      later === undefined || visible_when.field === field.key
        ? messages.form_condition_field_unknown({ field: visible_when.field })
        : messages.form_condition_field_later({ field: later })
    return [issueAt([...loc, 'visible_when', 'field'], message)]
  }
  if (other.type !== 'select')
    return [
      issueAt(
        [...loc, 'visible_when', 'field'],
        messages.form_condition_field_not_select({ field: other.key, type: other.type }),
      ),
    ]
  if (!other.options?.some(({ value }) => value === visible_when.equals))
    return [
      issueAt(
        [...loc, 'visible_when', 'equals'],
        messages.form_condition_option_unknown({ field: other.key, value: visible_when.equals }),
      ),
    ]
  if (conditionsOf(field, fields).length > maxConditions)
    return [issueAt([...loc, 'visible_when'], messages.form_conditions_too_deep({ maximum: maxConditions }))]
  return []
}

/** All errors of a form template, each at its place. */
export function checkSections(sections: readonly Section[]): Issue[] {
  const loc: Loc = ['body', 'sections']
  const places = sections.flatMap(({ fields }, s) =>
    fields.map((field, f) => ({ field, loc: [...loc, s, 'fields', f] satisfies Loc })),
  )
  if (places.length > maxFields)
    return [issueAt(loc, messages.form_too_many_fields({ maximum: maxFields, count: places.length }))]
  const earlier = new Map<string, Field>()
  const labels = new Map(places.map(({ field: { key, label } }) => [key, label]))
  const issues = places.flatMap(({ field, loc }) => {
    const visibility = checkVisibility(field, earlier, labels, loc)
    // A wrong condition may be circular, so later fields must not follow it.
    const { visible_when: _wrong, ...unconditional } = field
    if (!earlier.has(field.key)) earlier.set(field.key, visibility.length > 0 ? unconditional : field)
    return [
      // Every JavaScript object has a constructor, so a program could not tell whether this field was filled in.
      ...(field.key === 'constructor'
        ? [issueAt([...loc, 'key'], messages.form_field_key_reserved({ key: field.key }))]
        : []),
      ...checkOptions(field, loc),
      ...checkLengths(field, loc),
      ...visibility,
    ]
  })
  const sectionKeys = sections.map(({ key }) => key)
  const fieldKeys = places.map(({ field }) => field.key)
  return [
    ...duplicates(
      sectionKeys,
      i => [...loc, i, 'key'],
      key => messages.form_section_key_repeated({ key }),
    ),
    ...duplicates(
      fieldKeys,
      i => [...places[i]!.loc, 'key'],
      key => messages.form_field_key_repeated({ key }),
    ),
    ...issues,
  ]
}
