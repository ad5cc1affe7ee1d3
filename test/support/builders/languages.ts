// What tells that a sentence which should be German is not.
import { isTranslated } from '#kernel/message.ts'

/** The headers of a person who reads German. */
export const readsGerman = { 'accept-language': 'de-DE,de;q=0.9,en;q=0.5' }

/** What a value is called in a sentence depends on it, and `{status}` is none of them. */
const wordsOf = (text: string) => text.replaceAll(/\{\w+\}|\(\w+\)|`[^`]*`|„[^“]*“/g, ' ')

/** Words of English sentences that are no German word, no name of the API, and no term of the trade. */
const english =
  /\b(?:the|an?d|of|to|is|are|was|were|has|have|had|you|your|by|for|with|without|this|that|cannot|must|may|not|no|nobody|already|because|before|after|when|which|who|whose|from|it|its|they|them|their|there|be|been|been|only|[Pp]lease|[Cc]hoose|[Ee]nter|again|awaits|waits|other|another|people|step|due|on|at|or|if|as|You|Your|The|This|There|Nobody|No|It)\b/
/** German words, and values and names of the API in the sentences, which look like English ones. */
const excepted =
  /\b(?:in|an|war|was|am|so|status|on_behalf_of|die|also|Authorization Code Flow|five whys|Single Sign-on|as_of|text|not_effective|Passwort)\b/g

/** The first English word of a sentence; undefined if it is German. */
export const englishIn = (sentence: string): string | undefined =>
  english.exec(wordsOf(sentence).replaceAll(excepted, ' '))?.[0]

/** The sentences of an answer that it also says by `code` and `params`. */
export function sentencesIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const { code, params, ...said } = value as Record<string, unknown>
  const isSaid = typeof code === 'string' && typeof params === 'object' && isTranslated('de', code)
  const own = isSaid ? [said.detail, said.title, said.message, said.to_do].filter(each => typeof each === 'string') : []
  // A dashboard item has the title of its record beside the task.
  return [...('to_do' in said ? [String(said.to_do)] : own), ...Object.values(said).flatMap(sentencesIn)]
}
