import { text } from 'node:stream/consumers'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import type { AppError } from '#kernel/errors.ts'
import type { Environment } from '#platform/config.ts'

export interface Command {
  /** One line for each option, as `--help` shows them. */
  options: Record<string, string>
  /** What it says goes to standard output; it throws what stops it. Its answer is the exit code. */
  run(args: string[], env: Environment): Promise<number>
}

/** What the person at the terminal can put right: its text is all that is shown. */
export class Refusal extends Error {}

export const say = (line: string) => process.stdout.write(`${line}\n`)

/** The options of a command line, all of them known; positional arguments are none of ours. */
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

/** From the option, or from standard input, where neither a list of processes nor a shell's history shows it. */
export async function readPassword(
  name: string,
  given: string | undefined,
  fromInput: boolean | undefined,
): Promise<string> {
  if (given !== undefined && fromInput) throw new Refusal(`--${name} and --${name}-stdin exclude each other`)
  if (!fromInput) return required(`${name} or --${name}-stdin`, given)
  return required(`${name}-stdin`, (await text(process.stdin)).replace(/\r?\n$/, ''))
}

/** What the API would answer, as lines: of a wrong field its name and what is wrong with it. */
export function linesOf(error: AppError): string[] {
  if (typeof error.detail === 'string') return [error.detail]
  return error.detail.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`)
}
