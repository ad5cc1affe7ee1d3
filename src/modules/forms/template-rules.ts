import type { Issue } from '#kernel/errors.ts'
import { conditionsOf, type Field, isTyped, lengthsOf, most_characters, type Section } from './definition.ts'

type Loc = (string | number)[]
const issue = (loc: Loc, msg: string, type = 'value_error'): Issue => ({ loc, msg, type })

const most_fields = 500
/** A field hangs on another, that one on a third, and so on: deeper than this, nobody knows why a field is there. */
const most_conditions = 5

function duplicates(values: readonly string[], locOf: (i: number) => Loc, what: string): Issue[] {
  const seen = new Set<string>()
  return values.flatMap((value, i) => {
    const isFirst = !seen.has(value)
    seen.add(value)
    return isFirst ? [] : [issue(locOf(i), `There are two ${what} ${value}`)]
  })
}

function checkOptions({ type, options }: Field, loc: Loc): Issue[] {
  if (type !== 'select')
    return options ? [issue([...loc, 'options'], `Only a select has options, not a ${type}`, 'extra_forbidden')] : []
  if (!options) return [issue([...loc, 'options'], 'A select needs its options', 'missing')]
  const values = options.map(({ value }) => value)
  return duplicates(values, i => [...loc, 'options', i, 'value'], 'options of the value')
}

function checkLengths(field: Field, loc: Loc): Issue[] {
  if (!isTyped(field))
    return (['min', 'max'] as const)
      .filter(name => field[name] !== undefined)
      .map(name =>
        issue([...loc, name], `Only a text or a textarea has ${name}, not a ${field.type}`, 'extra_forbidden'),
      )
  const { min, max } = lengthsOf(field)
  const most = most_characters[field.type]
  if (max > most) return [issue([...loc, 'max'], `A ${field.type} has ${most} characters at most`)]
  if (max < 1) return [issue([...loc, 'max'], 'Nothing could be written into it')]
  return min > max ? [issue([...loc, 'min'], `min is ${min}, more than the ${max} characters that it may have`)] : []
}

/** `fields` are those before it: what hangs on an earlier one alone cannot go round in a circle. */
function checkVisibility(field: Field, fields: ReadonlyMap<string, Field>, loc: Loc): Issue[] {
  const { visible_when } = field
  if (!visible_when) return []
  const other = fields.get(visible_when.field)
  if (!other) return [issue([...loc, 'visible_when', 'field'], `There is no earlier field ${visible_when.field}`)]
  if (other.type !== 'select')
    return [
      issue(
        [...loc, 'visible_when', 'field'],
        `Only a select decides what is there, and ${other.key} is a ${other.type}`,
      ),
    ]
  if (!other.options?.some(({ value }) => value === visible_when.equals))
    return [issue([...loc, 'visible_when', 'equals'], `${other.key} has no option of the value ${visible_when.equals}`)]
  if (conditionsOf(field, fields).length > most_conditions)
    return [issue([...loc, 'visible_when'], `A field hangs on ${most_conditions} others at most, one behind the other`)]
  return []
}

/** Everything wrong with the sections of a form template as a whole, each at its place. */
export function checkSections(sections: readonly Section[]): Issue[] {
  const loc: Loc = ['body', 'sections']
  const places = sections.flatMap(({ fields }, s) =>
    fields.map((field, f) => ({ field, loc: [...loc, s, 'fields', f] satisfies Loc })),
  )
  if (places.length > most_fields)
    return [issue(loc, `A template has ${most_fields} fields at most, not ${places.length}`)]
  const earlier = new Map<string, Field>()
  const issues = places.flatMap(({ field, loc }) => {
    const visibility = checkVisibility(field, earlier, loc)
    // A condition that is wrong may lead in a circle: nobody who hangs on this field follows it.
    const { visible_when: _wrong, ...unconditional } = field
    if (!earlier.has(field.key)) earlier.set(field.key, visibility.length > 0 ? unconditional : field)
    return [
      // Every object has one, so that no program could tell whether it was filled in.
      ...(field.key === 'constructor' ? [issue([...loc, 'key'], 'A field cannot be called constructor')] : []),
      ...checkOptions(field, loc),
      ...checkLengths(field, loc),
      ...visibility,
    ]
  })
  const sectionKeys = sections.map(({ key }) => key)
  const fieldKeys = places.map(({ field }) => field.key)
  return [
    ...duplicates(sectionKeys, i => [...loc, i, 'key'], 'sections with the key'),
    ...duplicates(fieldKeys, i => [...places[i]!.loc, 'key'], 'fields with the key'),
    ...issues,
  ]
}
