import { text } from 'node:stream/consumers'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { AppError } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import type { Environment } from '#platform/config.ts'
import { lines } from './messages.ts'

export interface Command {
  /** One line for each option, as `--help` shows them. */
  options: Record<string, string>
  /** Writes to standard output, throws a failure, and resolves to the exit code. */
  run(args: string[], env: Environment): Promise<number>
}

/** A failure that the person at the terminal can correct. Only its sentences are shown, each on a line of its own. */
export class Refusal extends Error {
  readonly said: readonly Message[]

  constructor(said: Message | readonly Message[], options?: ErrorOptions) {
    const all = [said].flat()
    super(all.map(({ text }) => text).join('\n'), options)
    this.said = all
  }
}

/** Prints values, such as the rows of a list. Every sentence is printed by `say`. */
export const print = (line: string) => process.stdout.write(`${line}\n`)

export const say = ({ text }: Message) => print(text)

/** For programs of this process that log nothing. */
export const quiet = { info() {}, warn() {}, error() {} }

/** The options of a command line. Unknown ones and positional arguments are refused. */
export function readOptions<const O extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: O) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new Refusal(lines.failure_reported({ reason: (error as Error).message }))
  }
}

export function required(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw new Refusal(lines.option_needed({ option: `--${name}` }))
  return value
}

/** From the option, or from standard input, which neither the process list nor the shell's history shows. */
export async function readPassword(
  name: string,
  given: string | undefined,
  fromInput: boolean | undefined,
): Promise<string> {
  if (given !== undefined && fromInput)
    throw new Refusal(lines.options_exclusive({ options: [`--${name}`, `--${name}-stdin`] }))
  if (!fromInput) return required(`${name} or --${name}-stdin`, given)
  return required(`${name}-stdin`, (await text(process.stdin)).replace(/\r?\n$/, ''))
}

/** The refusal of the API as lines, with the name of each invalid field. */
export function linesOf({ detail, code, params }: AppError): Message[] {
  if (typeof detail === 'string') return [{ code, params, text: detail }]
  return detail.map(({ loc, msg }) => lines.field_refused({ field: loc.slice(1).join('.'), reason: msg }))
}
