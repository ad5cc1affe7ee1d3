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
}

type Fields = Record<string, unknown>
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
  if (typeof value === 'string') return w.values[value] ?? value
  if (Array.isArray(value)) return itemsInWords(field, value, reading).join(', ') || w.nothing
  const fields = value as Fields
  if (field === 'minimum_approval')
    return w.minimum(Number(fields.people), fields.signature === true, fields.author_excluded === true)
  if (Array.isArray(fields.fields))
    return w.section(
      typeof fields.title === 'string' ? fields.title : '',
      fields.fields.map(each => inWords('field', each, reading)).join(', '),
    )
  const name = fields.name ?? fields.label ?? fields.full_name ?? fields.title ?? fields.text
  if (typeof name === 'string')
    return [name, ...(fields.required === true && w.parts.required ? [`(${w.parts.required})`] : [])].join(' ')
  return Object.entries(fields)
    .filter(([key, each]) => key !== 'id' && each !== null && each !== undefined)
    .map(([key, each]) => `${w.parts[key] ?? plain(key)}: ${inWords(key, each, reading)}`)
    .join('; ')
}

/** What a list has that another one has not. */
export const beyond = (items: readonly string[], others: readonly string[]) =>
  items.filter(each => !others.includes(each))
