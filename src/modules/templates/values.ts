import { messages as validation } from '#http/messages.ts'
import { type Issue, issueAt } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import type { Filled } from './escape.ts'
import { messages } from './messages.ts'
import type { Values, Variable } from './schema.ts'

/** Built-in variables, which a template uses without declaring them. */
export const builtins = {
  today: 'The day, in the time zone of the tenant',
  company: 'The name of the tenant',
  user_full_name: 'The full name of the user',
  title: 'The title that it was asked for with, else the name of the template',
  template_name: 'The name of the template',
  template_version: 'Its version',
} as const
export type Builtins = Record<keyof typeof builtins, string>

/** Stands for an optional variable without a value, because an empty place in a record looks like an omission. */
export const notFilledIn = 'n/a'

export const maxCharacters = { text: 1_000, long_text: 20_000 } as const

const isDay = (text: string) => {
  if (!/^(19|20|21)\d\d-\d\d-\d\d$/.test(text)) return false
  const date = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text)
}

/** Why a value is refused, or undefined. `resolve` checks later whether an id exists. */
export function checkValue({ type, options }: Pick<Variable, 'type' | 'options'>, value: string): Message | undefined {
  if (!value.isWellFormed()) return validation.unreadable_text()
  switch (type) {
    case 'text':
      if (/[\p{Cc}\p{Zl}\p{Zp}]/u.test(value)) return messages.template_value_not_one_line()
      return atMost(maxCharacters.text, value)
    case 'long_text':
      // Line ends and tabs are allowed in a long text.
      if (/[^\P{Cc}\t\n\v\f\r\u0085]/u.test(value)) return messages.template_value_has_control_characters()
      return atMost(maxCharacters.long_text, value)
    case 'number':
      return /^-?\d{1,15}(\.\d{1,10})?$/.test(value) ? undefined : messages.template_value_not_number()
    case 'date':
      return isDay(value) ? undefined : validation.invalid_day()
    case 'select':
      return options?.includes(value) ? undefined : validation.not_allowed_value({ allowed: options ?? [] })
    case 'user':
    case 'document':
      return /^[1-9]\d{0,14}$/.test(value) ? undefined : messages.template_value_not_id({ type })
  }
}

const atMost = (maximum: number, value: string) =>
  value.length > maximum ? validation.too_long({ maximum }) : undefined

/** Splits a text into paragraphs at blank lines, and these into lines. */
export function paragraphsOf(text: string): Filled {
  const lines = text.split(/\r\n|[\n\v\f\r\u0085\u2028\u2029]/).map(line => line.replaceAll('\t', ' ').trim())
  const paragraphs: Filled = [[]]
  for (const line of lines) {
    if (line !== '') paragraphs.at(-1)!.push(line)
    else if (paragraphs.at(-1)!.length > 0) paragraphs.push([])
  }
  return paragraphs.filter(paragraph => paragraph.length > 0)
}

/** The values that no variable takes. */
export const unknownOf = (variables: readonly { name: string }[], given: Values, at: readonly string[]): Issue[] => {
  const known = new Set(variables.map(({ name }) => name))
  return Object.keys(given)
    .filter(name => !known.has(name))
    .map(name => issueAt([...at, name], validation.extra_forbidden()))
}

/** The values by the names of their variables, the issues of wrong values, and the missing variables. */
export function takeValues(
  variables: readonly Variable[],
  given: Values,
  { today, at }: { today: string; at: readonly string[] },
) {
  const values = new Map<string, string>()
  const issues = unknownOf(variables, given, at)
  const missing: Variable[] = []
  for (const variable of variables) {
    const { name, type } = variable
    const said = Object.hasOwn(given, name) ? given[name] : ''
    const byDefault = type === 'date' && variable.default === 'today' ? today : (variable.default ?? '')
    const value = typeof said === 'string' ? said.trim() || byDefault : ''
    const fault =
      typeof said !== 'string'
        ? validation.wrong_type({ expected: 'string' })
        : value
          ? checkValue(variable, value)
          : undefined
    if (fault) issues.push(issueAt([...at, name], fault))
    else if (value) values.set(name, value)
    else if (variable.required) missing.push(variable)
  }
  return { values, issues, missing }
}
