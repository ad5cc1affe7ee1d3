import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { SeveritySuggestion } from '#modules/severity'

/** A deviation as somebody would report it, and the severity that a quality unit would give it. */
export interface Described {
  severity: SeveritySuggestion['severity']
  text: string
}

const read = (file: string): readonly Described[] =>
  readFileSync(new URL(file, import.meta.url), 'utf8')
    .split('\n')
    .filter(line => line !== '' && !line.startsWith('#'))
    .map(line => {
      const end = line.indexOf(': ')
      return { severity: line.slice(0, end) as Described['severity'], text: line.slice(end + 2) }
    })

export const descriptions = read('severity-descriptions.txt')
export const otherLanguages = read('severity-other-languages.txt')

/** True for the half that nobody looked at while the rules were written. */
export const isHeldOut = ({ text }: Pick<Described, 'text'>) => createHash('sha256').update(text).digest()[0]! % 2 === 1
