import type { Message } from '#kernel/message.ts'
import { ConfigError } from '#platform/config.ts'
import { failureWords } from '#platform/failure-words.ts'
import { print, Refusal } from '../command.ts'
import { lines } from '../messages.ts'

export type Verdict = 'ok' | 'failed' | 'note'
const marks: Record<Verdict, string> = { ok: 'ok    ', failed: 'FAIL  ', note: '-     ' }

/** What `doctor` says, line by line: `ok`, `FAIL`, or `-` for what is neither. */
export class Report {
  failures = 0
  readonly #write: (verdict: Verdict, about: Message, said: readonly Message[]) => void
  readonly #faultsOf: (error: Error) => readonly Message[]

  constructor({ write = printLines, faultsOf: of = faultsOf }: Partial<Sayings> = {}) {
    this.#write = write
    this.#faultsOf = of
  }

  ok = (about: Message, found: Message) => this.#write('ok', about, [found])

  note = (about: Message, found: Message) => this.#write('note', about, [found])

  /** One failure, with one line for each fault. */
  fail(about: Message, faults: readonly Message[]) {
    this.failures += 1
    this.#write('failed', about, faults)
  }

  /** A failure that was thrown. */
  failWith = (about: Message, error: unknown) => this.fail(about, this.#faultsOf(error as Error))

  /** Resolves to whether the work found no fault. */
  async check(about: Message, work: () => Promise<Message>): Promise<boolean> {
    try {
      this.ok(about, await work())
      return true
    } catch (error) {
      this.failWith(about, error)
      return false
    }
  }
}

interface Sayings {
  write: (verdict: Verdict, about: Message, said: readonly Message[]) => void
  faultsOf: (error: Error) => readonly Message[]
}

function printLines(verdict: Verdict, about: Message, said: readonly Message[]) {
  for (const { text } of said) print(`${marks[verdict]}${about.text}: ${text}`)
}

export function faultsOf(error: Error & { code?: string }): readonly Message[] {
  if (error instanceof Refusal) return error.said
  if (error instanceof ConfigError) return error.lines.map(reason => lines.failure_reported({ reason }))
  // Some errors of connections have no message.
  const reason = error.message || error.code
  return [reason ? lines.failure_reported({ reason }) : lines.failure_without_reason()]
}

/** For whoever is not at the machine: the text of an error that is not our own may hold a host, an account or a secret. */
export function faultsWithoutSecrets(error: Error & { code?: string }): readonly Message[] {
  if (error instanceof Refusal) return error.said
  const reason = failureWords(error.code)
  return [reason ? lines.failure_reported({ reason }) : lines.failure_without_reason()]
}
