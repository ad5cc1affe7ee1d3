import { Ajv, type Options, type ValidateFunction } from 'ajv'
import type { Static, TSchema } from 'typebox'

/** Text that PostgreSQL can store: no NUL, no unpaired surrogate. */
export const isPlain = (text: string) => !text.includes('\0') && text.isWellFormed()
const moment = /^(\d{4})-(\d\d)-(\d\d)T\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-4]):[0-5]\d)$/

/** A day that the calendar has: JavaScript takes 30 February for 1 March, and PostgreSQL has no year 0. */
function isDay(text: string) {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? []
  if (!year || Number(year) < 1900 || Number(year) > 2199) return false
  const date = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day)))
  return date.getUTCMonth() === Number(month) - 1 && date.getUTCDate() === Number(day)
}

/** A validator of JSON Schema that knows the formats of our texts. */
export function openValidator(options: Options): Ajv {
  const ajv = new Ajv({ strict: false, ...options })
  ajv.addFormat('plain-text', isPlain)
  ajv.addFormat('words', (text: string) => isPlain(text) && text.trim() !== '')
  ajv.addFormat('date', isDay)
  ajv.addFormat(
    'date-time',
    (text: string) => moment.test(text) && isDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text)),
  )
  ajv.addFormat('email', (text: string) => isPlain(text) && /^[^@\s]{1,64}@[^@\s.]+(\.[^@\s.]+)*$/.test(text))
  ajv.addFormat('binary', true)
  return ajv
}

const validator = openValidator({})
const compiled = new WeakMap<TSchema, ValidateFunction>()

/** Whether a value is as the schema says. Nothing of it is changed: no defaults, no conversion. */
export function conforms<S extends TSchema>(schema: S, value: unknown): value is Static<S> {
  let check = compiled.get(schema)
  if (!check) {
    check = validator.compile(schema)
    compiled.set(schema, check)
  }
  return check(value)
}
