// Every catalogue of the source by its folder: docs/messages.md shows them, and the tests hold each refusal to them.
import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Message, MessageParams, TitledMessage } from '../../src/kernel/message.ts'

export interface Entry {
  /** Such as `modules/documents`. */
  folder: string
  code: string
  /** With each parameter as `{name}`. */
  sentence: string
  title: string | undefined
}

const source = new URL('../../src/', import.meta.url)
const files = globSync('**/messages.ts', { cwd: source })
  .map(file => file.replaceAll('\\', '/'))
  .sort()

/** Each parameter stands as a list with its own name: good for a text, a list, a number and a comparison alike. */
function entryOf(folder: string, code: string, make: (params: MessageParams) => Message): Entry {
  const named = new Proxy<MessageParams>({}, { get: (_target, name) => [`{${String(name)}}`] })
  const { text, title }: Message & Partial<TitledMessage> = make(named)
  return { folder, code, sentence: text, title }
}

// Required, because suites that share a process cannot wait for an import.
const require = createRequire(import.meta.url)

type Catalogue = Record<string, (params: MessageParams) => Message>

/** The messages; the texts of PDFs and mails, the lines of commands, or the reasons in the audit trail, which need not be whole sentences. */
const entriesOf = (name: 'messages' | 'printed' | 'lines' | 'reasons'): readonly Entry[] =>
  files.flatMap(file => {
    const module = require(fileURLToPath(new URL(file, source))) as Partial<Record<typeof name, Catalogue>>
    return Object.entries(module[name] ?? {}).map(([code, make]) =>
      entryOf(file.replace(/\/messages\.ts$/, ''), code, make),
    )
  })

export const catalogues = entriesOf('messages')
export const printed = entriesOf('printed')
export const lines = entriesOf('lines')
export const reasons = entriesOf('reasons')
