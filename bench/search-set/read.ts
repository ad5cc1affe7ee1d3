import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'

export interface SetDocument {
  /** The name of its file: what the queries call it. */
  key: string
  type: string
  title: string
  category: string
  keywords: string
  /** Markdown. */
  text: string
}

export interface JudgedQuery {
  class: string
  /** With `{key}` and `{key loose}` where the number of a document belongs. */
  text: string
  /** 3 answers it, 2 answers a part of it, 1 touches it. */
  grades: ReadonlyMap<string, number>
}

const folder = new URL('./', import.meta.url)

function readDocument(name: string): SetDocument {
  const file = readFileSync(new URL(`documents/${name}`, folder), 'utf8')
  const [, head, text] = /^---\n(.*?)\n---\n(.*)$/s.exec(file)!
  const fields = new Map(head!.split('\n').map(line => /^(\w+): (.*)$/.exec(line)!.slice(1) as [string, string]))
  const field = (key: string) => {
    const value = fields.get(key)
    if (!value) throw new Error(`${name} lacks ${key}`)
    return value
  }
  return {
    key: name.replace(/\.md$/, ''),
    type: field('type'),
    title: field('title'),
    category: field('category'),
    keywords: field('keywords'),
    text: text!,
  }
}

export const documents = readdirSync(new URL('documents/', folder))
  .filter(name => name.endsWith('.md'))
  .toSorted()
  .map(readDocument)

function readQuery(line: string): JudgedQuery {
  const [of, text, grades] = line.split(' | ') as [string, string, string]
  const pairs = grades.split(' ').map(each => each.split(':') as [string, string])
  return { class: of, text, grades: new Map(pairs.map(([key, grade]) => [key, Number(grade)])) }
}

const readQueries = (file: string) =>
  readFileSync(new URL(file, folder), 'utf8')
    .split('\n')
    .filter(line => line && !line.startsWith('#'))
    .map(readQuery)

const drawn = readQueries('queries.txt')
const later = readQueries('later-queries.txt')
export const queries = [...drawn, ...later]

const lot = ({ text }: JudgedQuery) => createHash('sha256').update(text).digest('hex')

/** A third of each class of queries.txt and half of later-queries.txt, by lots that always fall the same: what the search is not tuned on. */
export const held_out: ReadonlySet<JudgedQuery> = new Set([
  ...[...Map.groupBy(drawn, query => query.class).values()].flatMap(some =>
    some.toSorted((a, b) => (lot(a) < lot(b) ? -1 : 1)).slice(0, Math.round(some.length / 3)),
  ),
  ...later.filter(query => Number.parseInt(lot(query).slice(0, 2), 16) % 2 === 1),
])

/** As the person types it: `SOP-0012`, in haste `sop 12`. */
export const withNumbers = (text: string, numberOf: (key: string) => string) =>
  text.replace(/\{([\w-]+)( loose)?\}/g, (_, key: string, loose?: string) => {
    const number = numberOf(key)
    return loose ? number.toLowerCase().replace(/-0*/, ' ') : number
  })
