// The catalogues of sentences: docs/messages.md promises their codes to every program that calls the API.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { catalogues, type Entry } from '../tools/docs/catalogues.ts'

const isCatalogue = (file: string) => file.endsWith('/messages.ts')
const contents = new Map(
  [...globSync('src/**/*.ts'), ...globSync('deploy/**/*.conf')].map(file => [file, readFileSync(file, 'utf8')]),
)
/** Where a code counts as used: everything that is shipped but the catalogues themselves. */
const program = [...contents]
  .filter(([file]) => !isCatalogue(file) && !file.endsWith('.test.ts'))
  .map(([, text]) => text)
  .join('\n')

const isUsed = (code: string) => new RegExp(`\\.${code}\\(|['"]${code}['"]`).test(program)

/** The specification has these, or their beginning, word for word. */
const isFixed = ({ code, sentence }: Entry) =>
  / not found$/.test(sentence) || code === 'some_not_found' || code === 'database_error'

const faultOf = (entry: Entry) => {
  const { code, sentence } = entry
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(code)) return 'is not in snake_case'
  if (!isUsed(code)) return 'is used nowhere'
  if (isFixed(entry)) return undefined
  // A reason that a sentence quotes is a sentence itself.
  if (!/([.?]|\{reason\})$/.test(sentence)) return 'does not end as a sentence'
  if (/^(What|Who|Of)\b/.test(sentence)) return 'begins with a word that makes it a riddle'
  if (/^[a-z]/.test(sentence)) return 'does not begin as a sentence'
  if (/\bplease\b/i.test(sentence)) return 'says please'
  if (/undefined|NaN|\[object/.test(sentence)) return 'lacks a parameter'
  return undefined
}

describe('the catalogues of sentences', () => {
  it('are all that there are: no sentence is defined elsewhere', () => {
    const defining = [...contents].filter(
      ([file, text]) => /\bdefineMessages\(/.test(text) && file !== 'src/kernel/message.ts',
    )
    const folders = new Set(catalogues.map(({ folder }) => `src/${folder}/messages.ts`))
    assert.deepEqual(defining.map(([file]) => file).sort(), [...folders].sort())
    assert.ok(catalogues.length > 100, `${catalogues.length} codes`)
  })

  it('have each code once in the product', () => {
    const folders = Map.groupBy(catalogues, ({ code }) => code)
    const twice = [...folders].filter(([, entries]) => entries.length > 1)
    assert.deepEqual(
      twice.map(([code, entries]) => `${code}: ${entries.map(({ folder }) => folder).join(', ')}`),
      [],
    )
  })

  it('have codes in snake_case that the program uses, and sentences that read as such', () => {
    const faults = catalogues.flatMap(entry => {
      const fault = faultOf(entry)
      return fault === undefined ? [] : [`${entry.folder}: ${entry.code} ${fault}: ${entry.sentence}`]
    })
    assert.deepEqual(faults, [])
  })

  it('are the only source of refusals: none is made of a bare sentence', () => {
    const makers = 'badRequest|conflict|forbidden|tooLarge|unauthorized|unavailable|unsupportedMedia'
    const bare = new RegExp(
      `\\b(?:${makers})\\(\\s*['"\`]|\\binvalidField\\([^,]+,\\s*['"\`]|\\bnew AppError\\(\\d+,\\s*['"\`]|\\bmsg: ['"\`]`,
    )
    const found = [...contents].filter(([file, text]) => !file.endsWith('.test.ts') && bare.test(text))
    assert.deepEqual(
      found.map(([file]) => file),
      [],
    )
  })
})
