// The service says in German all that it says in English, and nothing of it is half English.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import '../src/german.ts'
import { isTranslated, type MessageParams, translate } from '#kernel/message.ts'
import { catalogues, type Entry, printed } from '../tools/docs/catalogues.ts'

const entries = [...catalogues, ...printed]

/** Each parameter stands as a list with its own name, as in the English entries. */
const named = new Proxy<MessageParams>(
  {},
  {
    get: (_target, name) => (name === 'parts' ? undefined : [`{${String(name)}}`]),
    ownKeys: () => [],
  },
)

/** What a value is called in a sentence depends on it, and `{status}` is none of them. */
const wordsOf = (text: string) => text.replaceAll(/\{\w+\}|\(\w+\)|`[^`]*`|„[^“]*“/g, ' ')

/** Words of English sentences that are no German word, no name of the API, and no term of the trade. */
export const english =
  /\b(?:the|an?d|of|to|is|are|was|were|has|have|had|you|your|by|for|with|without|this|that|cannot|must|may|not|no|nobody|already|because|before|after|when|which|who|whose|from|it|its|they|them|their|there|be|been|been|only|[Pp]lease|[Cc]hoose|[Ee]nter|again|awaits|waits|other|another|people|step|due|on|at|or|if|as|You|Your|The|This|There|Nobody|No|It)\b/
/** German words, and values and names of the API in the sentences, which look like English ones. */
const excepted =
  /\b(?:in|an|war|was|am|so|status|on_behalf_of|die|also|Authorization Code Flow|five whys|Single Sign-on|as_of|text|not_effective|Passwort)\b/g

function faultOf({ code, sentence, title }: Entry): string | undefined {
  const said = translate('de', { code, params: named })
  if (!said) return 'has no German'
  const german = `${said.title ?? ''} ${said.text}`
  if (/undefined|NaN|\[object/.test(german)) return `lacks a parameter: ${german}`
  const missing = [...`${title ?? ''} ${sentence}`.matchAll(/\{\w+\}/g)]
    .map(([name]) => name)
    .filter(name => name !== '{kind}' && !german.includes(name))
  if (missing.length > 0) return `does not say ${[...new Set(missing)].join(', ')}: ${german}`
  const [word] = english.exec(wordsOf(german).replaceAll(excepted, ' ')) ?? []
  return word === undefined ? undefined : `says "${word}": ${german}`
}

describe('the German sentences', () => {
  it('are all there', () => {
    assert.deepEqual(
      entries.filter(({ code }) => !isTranslated('de', code)).map(({ folder, code }) => `${folder}: ${code}`),
      [],
    )
  })

  it('say each fact of the English ones, in German', () => {
    const faults = entries.flatMap(entry => {
      const fault = faultOf(entry)
      return fault === undefined ? [] : [`${entry.folder}: ${entry.code} ${fault}`]
    })
    assert.deepEqual(faults, [])
  })
})
