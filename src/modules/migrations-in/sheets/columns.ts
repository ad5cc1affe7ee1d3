import type { Message } from '#kernel/message.ts'
import type { Column, ColumnKind } from '../sheet.ts'

type ColumnWords = [
  help: Message,
  aliases: readonly string[],
  rest?: Omit<Column, 'name' | 'kind' | 'required' | 'help' | 'aliases'>,
]

/** A column whose cell may be empty. */
export const optional = (name: string, kind: ColumnKind, ...[help, aliases, rest]: ColumnWords): Column => ({
  ...{ name, kind, help, aliases, ...rest },
})
export const required = (name: string, kind: ColumnKind, ...words: ColumnWords): Column => ({
  ...optional(name, kind, ...words),
  required: true,
})
