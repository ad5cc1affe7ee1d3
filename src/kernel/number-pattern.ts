/** How the numbers of records are written: parts between separators, the digits last, such as `SOP-{department}-{year}-{0000}`. */
const separator = /[-._]/
const written = /^([A-Z][A-Z0-9]{0,9}|\{department\})([-._]([A-Z0-9]{1,10}|\{department\}|\{year\}))*[-._]\{0{2,8}\}$/
export const maxPattern = 60
export const isNumberPattern = (text: string) => text.length <= maxPattern && written.test(text)
/** A code that a number may have for a department. */
export const departmentCode = '^[A-Z][A-Z0-9]{0,9}$'

export const defaultPatternOf = (prefix: string) => `${prefix}-{0000}`
export const defaultPatterns = { deviation: 'DEV-{year}-{0000}', capa: 'CAPA-{year}-{0000}' }
/** That of training programs, which no setting changes. */
export const trainingPattern = defaultPatternOf('TRN')

export const hasDepartment = (pattern: string) => pattern.includes('{department}')

/** A gapless sequence of numbers: the text before their digits, by which the database counts them, and the least number of digits. */
export interface Series {
  name: string
  digits: number
}

export interface NumberFacts {
  /** Today in the time zone of the tenant, YYYY-MM-DD. */
  today: string
  department?: string | null | undefined
}

/** The series that a record takes its number from. A pattern with a department needs one. */
export function seriesOf({ number_pattern }: { number_pattern: string }, { today, department }: NumberFacts): Series {
  if (hasDepartment(number_pattern) && !department) throw new Error(`${number_pattern} needs a department`)
  const start = number_pattern.lastIndexOf('{')
  return {
    name: number_pattern
      .slice(0, start)
      .replaceAll('{department}', department ?? '')
      .replaceAll('{year}', today.slice(0, 4)),
    digits: number_pattern.length - start - 2,
  }
}

export const numberIn = ({ name, digits }: Series, position: number) => name + String(position).padStart(digits, '0')

/** The series and the position of a number; undefined for a text that no pattern writes. */
export function placeOf(number: string): { series: string; position: number } | undefined {
  const [, series, digits] = /^((?:[A-Z0-9]+[-._])+)([0-9]{1,15})$/.exec(number) ?? []
  return series === undefined ? undefined : { series, position: Number(digits) }
}

const isDigits = (part: string) => part.startsWith('{0')

function canBeAlike(a: string, b: string): boolean {
  if (a === b || (isDigits(a) && isDigits(b))) return true
  const isFilledBy = (part: string, other: string) =>
    (part === '{department}' && /^[A-Z]/.test(other)) || (part === '{year}' && /^[0-9]{4}$/.test(other))
  return isFilledBy(a, b) || isFilledBy(b, a)
}

/** Whether two patterns can write the same number. `share_numbers` of the database decides alike. */
export function sharesNumbers(a: string, b: string): boolean {
  const [ofA, ofB] = [a.split(separator), b.split(separator)]
  const separatorsOf = (pattern: string) => pattern.replace(/[^-._]/g, '')
  return separatorsOf(a) === separatorsOf(b) && ofA.every((part, place) => canBeAlike(part, ofB[place]!))
}
