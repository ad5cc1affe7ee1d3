/** The facts of a sentence by name, which are the same in every language. */
export type MessageParams = Readonly<Record<string, string | number | boolean | null | readonly (string | number)[]>>

/** A sentence for a person, with the code and the parameters by which a page or another language says the same. */
export interface Message {
  /** Stable, in snake_case, and unique in the product: docs/messages.md lists them all. */
  readonly code: string
  readonly params: MessageParams
  readonly text: string
}

/** A message with a heading, such as a notification: one code is for both. */
export interface TitledMessage extends Message {
  readonly title: string
}

type Sentence = string | Pick<TitledMessage, 'title' | 'text'>
type Made<S> = S extends string ? Message : TitledMessage
export type Messages<S> = {
  readonly [Code in keyof S]: S[Code] extends (params: infer P extends MessageParams) => infer Said
    ? (params: P) => Made<Said>
    : () => Made<S[Code]>
}

/**
 * The catalogue of a module's sentences by their codes: a sentence without parameters is a string, one with them a function. It is the
 * only place that makes a Message, so nothing is said to a person without a code.
 */
// biome-ignore lint/suspicious/noExplicitAny: each sentence has parameters of its own.
export function defineMessages<S extends Readonly<Record<string, Sentence | ((params: any) => Sentence)>>>(
  sentences: S,
): Messages<S> {
  const made = Object.entries(sentences).map(([code, sentence]) => [
    code,
    (params: MessageParams = {}): Message => {
      const said = typeof sentence === 'function' ? sentence(params) : sentence
      return { code, params, ...(typeof said === 'string' ? { text: said } : said) }
    },
  ])
  return Object.fromEntries(made)
}

/** Several things in a sentence: `a, b and c`. */
export const listInWords = (parts: readonly string[], word: 'and' | 'or' = 'and') =>
  parts.length < 2 ? parts.join('') : `${parts.slice(0, -1).join(', ')} ${word} ${parts.at(-1)}`

/** A reason within an answer, in the shape of a refusal's body. */
export const reasonOf = ({ text, code, params }: Message) => ({ detail: text, code, params })
