// Printed names and sentences, in the language of the reader. Recorded text is printed as it was recorded.
import { datesIn, documentState } from './german.ts'
import { headings as german, labels as germanLabels, values } from './labels.de.ts'
import { headings as english, labels as englishLabels } from './labels.ts'
import { type Language, type Message, sayIn } from './message.ts'
import * as moments from './moment.ts'

/** A text as it was recorded, or one of ours, which is said once it is known who reads it. */
export type Print = string | Message | ((language: Language) => string)

export function printIn(language: Language, text: Print): string {
  if (typeof text === 'function') return text(language)
  return typeof text === 'string' ? text : sayIn(language)(text)
}

/** A text of several, such as a name and what is recorded of it. */
export const together =
  (parts: readonly Print[], separator = ''): Print =>
  language =>
    parts.map(each => printIn(language, each)).join(separator)

const inBoth =
  (en: string, de: string): Print =>
  language =>
    language === 'de' ? de : en

const eachInBoth = <Name extends string>(
  en: Readonly<Record<Name, string>>,
  de: Readonly<Record<Name, string>>,
): Readonly<Record<Name, Print>> =>
  Object.fromEntries(Object.keys(en).map(name => [name, inBoth(en[name as Name], de[name as Name])])) as Record<
    Name,
    Print
  >

export const headings = eachInBoth(english, german)
/** On their own, where a sentence says `a draft`. */
export const labels = eachInBoth(englishLabels, { ...germanLabels, draft: 'Entwurf' })

/** A value of a list that the program knows, such as `under_investigation`; a company's own is its own name. */
export function wordOf(value: string): Print {
  const known = (labels as Record<string, Print>)[value]
  return (
    known ?? inBoth(value.replaceAll('_', ' '), (values as Record<string, string>)[value] ?? value.replaceAll('_', ' '))
  )
}

/** The state of a version; a company's own workflow names its states as it likes. */
export const stateOf = (state: string): Print => inBoth(state, state === 'draft' ? 'Entwurf' : documentState(state))

const dated = (text: string): Print => inBoth(text, datesIn(text))
/** A day, in the order of the language. */
export const dayOf = (day: string | null): Print => (day === null ? '-' : dated(day))
export const momentInUtc = (moment: Date): Print => dated(moments.momentInUtc(moment))
export const momentIn = (zone: string, moment: Date): Print => dated(moments.momentIn(zone, moment))
export const momentInBoth = (zone: string, moment: Date): Print => dated(moments.momentInBoth(zone, moment))
/** `12,345` or `12.345` */
export const numberOf =
  (value: number): Print =>
  language =>
    value.toLocaleString(language)

/** Everything in a value that is to be printed, said in a language. */
export type Unprinted<T> = T extends unknown
  ? string extends T
    ? Print
    : T extends object
      ? { [Name in keyof T]: Unprinted<T[Name]> }
      : T
  : never

const isMessage = (value: object): value is Message => 'code' in value && 'params' in value && 'text' in value

export function printedIn<T>(language: Language, value: Unprinted<T>): T {
  if (typeof value === 'function') return value(language) as T
  if (typeof value !== 'object' || value === null) return value as T
  if (Array.isArray(value)) return value.map(each => printedIn(language, each)) as T
  if (isMessage(value)) return printIn(language, value) as T
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, printedIn(language, each)])) as T
}
