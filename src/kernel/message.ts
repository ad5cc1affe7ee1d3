/** The facts of a sentence by name, which are the same in every language. */
export type MessageParams = Readonly<Record<string, Param>>
type Param = string | number | boolean | null | readonly (string | number)[] | Parts

/** The params that are sentences of the service themselves, by their names: with these, the whole is said in another language. */
type Parts = { readonly [name: string]: Coded | readonly (Coded | string)[] }
type Coded = Pick<Message, 'code' | 'params'>

/** A sentence for a person, with the code and the parameters by which a page or another language says the same. */
export interface Message {
  /** Stable, in snake_case, and unique in the product: docs/messages.md lists them all. */
  readonly code: string
  readonly params: MessageParams
  /** In English, in which every record has it. */
  readonly text: string
}

/** A message with a heading, such as a notification: one code is for both. */
export interface TitledMessage extends Message {
  readonly title: string
}

type Titled = Pick<TitledMessage, 'title' | 'text'>
type Sentence = string | Titled
type Made<S> = S extends string ? Message : TitledMessage

/** Where a sentence has words, a message is taken too, which is a part of it in every language. */
type Taken<P> = { readonly [Name in keyof P]: TakenAs<P[Name]> }
type TakenAs<V> = string extends V
  ? V | Message
  : V extends readonly (infer Item)[]
    ? string extends Item
      ? readonly (Item | Message)[]
      : V
    : V

interface Sentenced<S> {
  /** Never there: it tells a translation which params the sentence has. */
  readonly sentence?: S
}
type Maker<S> = S extends (params: infer P extends object) => infer Said
  ? ((params: Taken<P>) => Made<Said>) & Sentenced<S>
  : (() => Made<S>) & Sentenced<S>
export type Messages<S> = { readonly [Code in keyof S]: Maker<S[Code]> }

// biome-ignore lint/suspicious/noExplicitAny: each sentence has parameters of its own.
type AnySentence = Sentence | ((params: any) => Sentence)

/**
 * The catalogue of a module's sentences by their codes: a sentence without parameters is a string, one with them a function. It is the
 * only place that makes a Message, so nothing is said to a person without a code.
 */
export function defineMessages<S extends Readonly<Record<string, AnySentence>>>(sentences: S): Messages<S> {
  const made = Object.entries(sentences).map(([code, sentence]) => [
    code,
    (given: Readonly<Record<string, unknown>> = {}): Message => {
      const { words, parts } = partsOf(given)
      const params = parts ? { ...words, parts } : words
      return { code, params, ...saidBy(sentence, words) }
    },
  ])
  return Object.fromEntries(made)
}

type Translated = Pick<Titled, 'text'> & Partial<Titled>

function saidBy(sentence: AnySentence, params: MessageParams): Translated {
  const said = typeof sentence === 'function' ? sentence(params) : sentence
  return typeof said === 'string' ? { text: said } : said
}

const isMessage = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && 'code' in value && 'text' in value && 'params' in value
const coded = ({ code, params }: Message): Coded => ({ code, params })

/** The words of each param, and the messages among them. */
function partsOf(given: Readonly<Record<string, unknown>>): { words: MessageParams; parts: Parts | undefined } {
  const words: Record<string, Param> = {}
  const parts: Record<string, Parts[string]> = {}
  for (const [name, value] of Object.entries(given)) {
    words[name] = value as Param
    if (isMessage(value)) {
      words[name] = value.text
      parts[name] = coded(value)
    } else if (Array.isArray(value) && value.some(isMessage)) {
      words[name] = value.map(each => (isMessage(each) ? each.text : each))
      parts[name] = value.map(each => (isMessage(each) ? coded(each) : each))
    }
  }
  return Object.keys(parts).length > 0 ? { words, parts } : { words: given as MessageParams, parts: undefined }
}

/** The languages of pages, answers and e-mails. Records, logs and commands are English. */
export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]
export const defaultLanguage: Language = 'en'

type TranslationOf<S> = S extends (params: infer P) => infer Said ? (params: P) => Widened<Said> : Widened<S>
type Widened<S> = S extends string ? string : Titled
type SentenceOf<M> = M extends { readonly sentence?: infer S } ? Exclude<S, undefined> : never
/** The sentences of a catalogue in another language: none may be missing, and each takes the params of the English one. */
export type Translation<M> = { readonly [Code in keyof M]: TranslationOf<SentenceOf<M[Code]>> }

const translations: Record<Exclude<Language, 'en'>, Map<string, AnySentence>> = { de: new Map() }

/** Adds the German sentences of catalogues: `defineGerman<typeof messages>({ ... })`. */
export function defineGerman<M>(sentences: Translation<M>): void {
  for (const [code, sentence] of Object.entries(sentences)) translations.de.set(code, sentence as AnySentence)
}

export const isTranslated = (language: Exclude<Language, 'en'>, code: string) => translations[language].has(code)

/** A sentence in a language by its code and params; undefined where it is English, or no sentence of the catalogues. */
export function translate(language: Language, { code, params }: Coded): Translated | undefined {
  if (language === 'en') return undefined
  const sentence = translations[language].get(code)
  if (sentence === undefined) return undefined
  const { parts } = params as { parts?: Parts }
  if (parts === undefined) return saidBy(sentence, params)
  const inLanguage = (part: Coded | string, english: string) =>
    typeof part === 'string' ? part : (translate(language, part)?.text ?? english)
  const said = Object.entries(parts).map(([name, part]) => {
    const english = params[name] as string & readonly string[]
    return [
      name,
      Array.isArray(part) ? part.map((each, at) => inLanguage(each, english[at]!)) : inLanguage(part as Coded, english),
    ]
  })
  return saidBy(sentence, { ...params, ...Object.fromEntries(said) })
}

/** The params without the parts, which are for translations alone. */
export function withoutParts(params: MessageParams): MessageParams {
  const { parts, ...words } = params
  return parts === undefined ? params : words
}

/** Says messages to one reader. */
export type Say = (message: Message) => string
export const sayIn =
  (language: Language): Say =>
  message =>
    translate(language, message)?.text ?? message.text

/** Several things in a sentence: `a, b and c`. */
export const listInWords = (parts: readonly string[], word: 'and' | 'or' | 'und' | 'oder' = 'and') =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} ${word} ${parts.at(-1)}`

/** A reason within an answer, in the shape of a refusal's body. */
export const reasonOf = ({ text, code, params }: Message) => ({ detail: text, code, params })
