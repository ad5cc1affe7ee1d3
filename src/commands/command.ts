import { text } from 'node:stream/consumers'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { AppError } from '#kernel/errors.ts'
import type { Environment } from '#platform/config.ts'

export interface Command {
  /** One line for each option, as `--help` shows them. */
  options: Record<string, string>
  /** Writes to standard output, throws a failure, and resolves to the exit code. */
  run(args: string[], env: Environment): Promise<number>
}

/** A failure that the person at the terminal can correct. Only its message is shown. */
export class Refusal extends Error {}

export const say = (line: string) => process.stdout.write(`${line}\n`)

/** The options of a command line. Unknown ones and positional arguments are refused. */
export function readOptions<const O extends NonNullable<ParseArgsConfig['options']>>(args: string[], options: O) {
  try {
    return parseArgs({ args, options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new Refusal((error as Error).message)
  }
}

export function required(name: string, value: string | undefined): string {
  if (value === undefined || value === '') throw new Refusal(`--${name} is needed`)
  return value
}

/** From the option, or from standard input, which neither the process list nor the shell's history shows. */
export async function readPassword(
  name: string,
  given: string | undefined,
  fromInput: boolean | undefined,
): Promise<string> {
  if (given !== undefined && fromInput) throw new Refusal(`--${name} and --${name}-stdin exclude each other`)
  if (!fromInput) return required(`${name} or --${name}-stdin`, given)
  return required(`${name}-stdin`, (await text(process.stdin)).replace(/\r?\n$/, ''))
}

/** The refusal of the API as lines, with the name of each invalid field. */
export function linesOf(error: AppError): string[] {
  if (typeof error.detail === 'string') return [error.detail]
  return error.detail.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`)
}
