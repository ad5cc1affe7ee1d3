// The values of a change as people read them: nobody is shown how they are stored.
interface Saying {
  nothing: string
  yes: string
  no: string
  parts: Record<string, string>
  values: Record<string, string>
  minimum: (people: number, isSigned: boolean, isWithoutAuthor: boolean) => string
  section: (title: string, fields: string) => string
}

interface Reading {
  w: Saying
  /** A permission by its name. */
  permissionOf: (name: string) => string
  programs: Record<string, string>
  patternOf: (pattern: string) => string
}

type Fields = Record<string, unknown>
/** Those of a document type, and of deviations and CAPAs in the settings. */
const patterns = ['number_pattern', 'deviation', 'capa']
const plain = (name: string) => name.replaceAll('_', ' ')

/** Fields that are lists: what came and what went says more than both lists. */
export const isList = (value: unknown) => Array.isArray(value)

/** Each item of a list in words. */
export function itemsInWords(field: string, value: unknown, reading: Reading): string[] {
  const items = Array.isArray(value) ? value : []
  return items.map(item => {
    if (field === 'signing_program_ids') return reading.programs[String(item)] ?? ''
    if (['granted', 'denied', 'permissions'].includes(field)) return reading.permissionOf(String(item))
    return inWords(field, item, reading)
  })
}

/** One value in words. */
export function inWords(field: string, value: unknown, reading: Reading): string {
  const { w } = reading
  if (value === null || value === undefined || value === '') return w.nothing
  if (typeof value === 'boolean') return value ? w.yes : w.no
  if (typeof value === 'number') return String(value)
  if (typeof value === 'string') return patterns.includes(field) ? reading.patternOf(value) : (w.values[value] ?? value)
  if (Array.isArray(value)) return itemsInWords(field, value, reading).join(', ') || w.nothing
  const fields = value as Fields
  if (field === 'minimum_approval')
    return w.minimum(Number(fields.people), fields.signature === true, fields.author_excluded === true)
  const name = fields.name ?? fields.label ?? fields.full_name ?? fields.title ?? fields.text
  const rest = restInWords(fields, reading)
  // A period that is for ever says nothing in its parts.
  if (typeof name !== 'string') return rest || w.nothing
  return Array.isArray(fields.fields) ? w.section(name, rest) : rest ? `${name} (${rest})` : name
}

/** They name a thing, or are what it is stored under. */
const known = ['id', 'key', 'name', 'label', 'title', 'full_name', 'username', 'text']

/** All else that an object says: whoever approves a change must not miss a part of it. */
const restInWords = (fields: Fields, reading: Reading): string =>
  Object.entries(fields)
    .filter(([key, each]) => !known.includes(key) && !isNothing(each) && each !== false)
    .map(([key, each]) => {
      const part = reading.w.parts[key] ?? plain(key)
      if (key === 'fields') return inWords(key, each, reading)
      return each === true ? part : `${part}: ${inWords(key, each, reading)}`
    })
    .join('; ')

export const isNothing = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0)

/** The items of a list that read as before and are not the same. */
export const changedItems = (field: string, before: unknown, after: unknown, reading: Reading): string[] => {
  const stored = new Set((Array.isArray(before) ? before : []).map(each => JSON.stringify(each)))
  const words = itemsInWords(field, before, reading)
  return (Array.isArray(after) ? after : []).flatMap(each => {
    const said = itemsInWords(field, [each], reading)[0]!
    return words.includes(said) && !stored.has(JSON.stringify(each)) ? [said] : []
  })
}

/** What a list has that another one has not. */
export const beyond = (items: readonly string[], others: readonly string[]) =>
  items.filter(each => !others.includes(each))
