// Every catalogue of the source by its folder: docs/messages.md shows them, and the tests hold each refusal to them.
import { globSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import type { Message, MessageParams } from '../../src/kernel/message.ts'

export interface Entry {
  /** Such as `modules/documents`. */
  folder: string
  code: string
  /** With each parameter as `{name}`. */
  sentence: string
}

const source = new URL('../../src/', import.meta.url)
const files = globSync('**/messages.ts', { cwd: source })
  .map(file => file.replaceAll('\\', '/'))
  .sort()

/** Each parameter stands as a list with its own name: good for a text, a list, a number and a comparison alike. */
function entryOf(folder: string, code: string, make: (params: MessageParams) => Message): Entry {
  const named = new Proxy<MessageParams>({}, { get: (_target, name) => [`{${String(name)}}`] })
  return { folder, code, sentence: make(named).text }
}

// Required, because suites that share a process cannot wait for an import.
const require = createRequire(import.meta.url)

export const catalogues: readonly Entry[] = files.flatMap(file => {
  const { messages } = require(fileURLToPath(new URL(file, source))) as {
    messages: Record<string, (params: MessageParams) => Message>
  }
  return Object.entries(messages).map(([code, make]) => entryOf(file.replace(/\/messages\.ts$/, ''), code, make))
})
