// The catalogues of sentences: docs/messages.md promises their codes to every program that calls the API.
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import { labels } from '#kernel/labels.ts'
import { capaMachine } from '../src/modules/capas/rules.ts'
import { deviationMachine } from '../src/modules/deviations/rules.ts'
import { priorities } from '../src/modules/notifications/types.ts'
import { assignmentStates } from '../src/modules/training/rules.ts'
import { catalogues, type Entry, lines, printed, reasons } from '../tools/docs/catalogues.ts'

const isCatalogue = (file: string) => file.endsWith('/messages.ts')
const contents = new Map(
  [...globSync('src/**/*.ts'), ...globSync('deploy/**/*.conf')].map(file => [file, readFileSync(file, 'utf8')]),
)
/** Where a code counts as used: everything that is shipped but the catalogues themselves. */
const program = [...contents]
  .filter(([file]) => !isCatalogue(file) && !file.endsWith('.test.ts'))
  .map(([, text]) => text)
  .join('\n')

/** Codes that are put together, such as messages[`${kind}_commented`]. */
const composed = [...program.matchAll(/\b(?:messages|printed|lines|reasons)\[`([^`]+)`/g)].map(
  ([, code]) => new RegExp(`^${code!.replace(/\$\{[^}]+\}/g, '[a-z]+')}$`),
)
const isUsed = (code: string) =>
  new RegExp(`\\.${code}\\b|['"]${code}['"]`).test(program) || composed.some(pattern => pattern.test(code))

/** The specification has these, or their beginning, word for word. */
const isFixed = ({ code, sentence }: Entry) =>
  / not found$/.test(sentence) || code === 'some_not_found' || code === 'database_error'

const textFaultOf = ({ code, title = '', sentence }: Entry) => {
  if (!/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/.test(code)) return 'is not in snake_case'
  if (!isUsed(code)) return 'is used nowhere'
  if (/^(What|Who|Of)\b/.test(sentence)) return 'begins with a word that makes it a riddle'
  if (/undefined|NaN|\[object/.test(title + sentence)) return 'lacks a parameter'
  return undefined
}

const sentenceFaultOf = (entry: Entry) => {
  const { sentence } = entry
  const fault = textFaultOf(entry)
  if (fault !== undefined || isFixed(entry)) return fault
  // A reason or comment that a sentence quotes is a sentence itself.
  if (!/([.?]|\{(?:reason|request_text)\}|"\{\w+\}")$/.test(sentence)) return 'does not end as a sentence'
  if (/^[a-z]/.test(sentence)) return 'does not begin as a sentence'
  if (/\bplease\b/i.test(sentence)) return 'says please'
  return undefined
}

describe('the catalogues of sentences', () => {
  it('are all that there are: no sentence is defined elsewhere', () => {
    const defining = [...contents].filter(
      ([file, text]) => /\bdefineMessages\(/.test(text) && file !== 'src/kernel/message.ts',
    )
    const folders = new Set(
      [...catalogues, ...printed, ...lines, ...reasons].map(({ folder }) => `src/${folder}/messages.ts`),
    )
    assert.deepEqual(defining.map(([file]) => file).sort(), [...folders].sort())
    assert.ok(catalogues.length > 100, `${catalogues.length} codes`)
    assert.ok(lines.length > 150, `${lines.length} codes of the command line`)
  })

  it('have each code once in the product', () => {
    const folders = Map.groupBy([...catalogues, ...printed, ...lines, ...reasons], ({ code }) => code)
    const twice = [...folders].filter(([, entries]) => entries.length > 1)
    assert.deepEqual(
      twice.map(([code, entries]) => `${code}: ${entries.map(({ folder }) => folder).join(', ')}`),
      [],
    )
  })

  it('have codes in snake_case that the program uses, and sentences that read as such', () => {
    const faultsIn = (entries: readonly Entry[], faultOf: (entry: Entry) => string | undefined) =>
      entries.flatMap(entry => {
        const fault = faultOf(entry)
        return fault === undefined ? [] : [`${entry.folder}: ${entry.code} ${fault}: ${entry.sentence}`]
      })
    assert.deepEqual(
      [...faultsIn(catalogues, sentenceFaultOf), ...faultsIn([...printed, ...lines, ...reasons], textFaultOf)],
      [],
    )
  })

  it('are the only source of what a command says: the types hold its lines and refusals, and it prints no bare sentence', () => {
    const bare = /\b(?:print|stdout\.write|stderr\.write)\(\s*['"`][^'"`$]*[A-Za-z]{2} [a-z]{2}/
    const found = [...contents].filter(
      ([file, text]) => file.startsWith('src/commands/') && !file.endsWith('.test.ts') && bare.test(text),
    )
    assert.deepEqual(
      found.map(([file]) => file),
      [],
    )
  })

  it('are the only source of reasons that the program writes into the audit trail', () => {
    const bare = /\b(?:end_)?reason(?::| =) (?:\w+ \? )?['"`](?:[A-Z]|\$\{)/
    const found = [...contents].filter(
      ([file, text]) => /^src\/(?:action|modules)\//.test(file) && !file.endsWith('.test.ts') && bare.test(text),
    )
    assert.deepEqual(
      found.map(([file]) => file),
      [],
    )
  })

  it('have reasons that are told apart by their words, because an entry of the trail has no code', () => {
    const fixedOf = (sentence: string) => sentence.split(/\{\w+\}/)
    const escaped = (text: string) => text.replaceAll(/[.*+?^$()|[\]\\]/g, '\\$&')
    const patternOf = (sentence: string) => new RegExp(`^${fixedOf(sentence).map(escaped).join('.+')}$`)
    const lengthOf = ({ sentence }: Entry) => fixedOf(sentence).join('').length
    const mostFixed = reasons.toSorted((a, b) => lengthOf(b) - lengthOf(a))
    for (const { code, sentence } of reasons)
      assert.equal(mostFixed.find(each => patternOf(each.sentence).test(sentence.replaceAll(/[{}]/g, '')))?.code, code)
  })

  it('name each state of a record for the pages', () => {
    const states = [deviationMachine, capaMachine].flatMap(machine => Object.keys(machine.states))
    assert.deepEqual(
      [...states, ...assignmentStates, ...priorities].filter(value => !Object.hasOwn(labels, value)),
      [],
    )
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
