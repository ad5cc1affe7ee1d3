import type { Message } from '#kernel/message.ts'
import { ConfigError } from '#platform/config.ts'
import { print, Refusal } from '../command.ts'
import { lines } from '../messages.ts'

/** The lines of `doctor`: `ok`, `FAIL`, or `-` for what is neither. */
export class Report {
  failures = 0

  ok = (about: Message, { text }: Message) => print(`ok    ${about.text}: ${text}`)

  note = (about: Message, { text }: Message) => print(`-     ${about.text}: ${text}`)

  /** One line of `FAIL` for each fault, and one failure. */
  fail(about: Message, faults: readonly Message[]) {
    this.failures += 1
    for (const { text } of faults) print(`FAIL  ${about.text}: ${text}`)
  }

  /** Resolves to whether the work found no fault. */
  async check(about: Message, work: () => Promise<Message>): Promise<boolean> {
    try {
      this.ok(about, await work())
      return true
    } catch (error) {
      this.fail(about, faultsOf(error as Error))
      return false
    }
  }
}

export function faultsOf(error: Error & { code?: string }): readonly Message[] {
  if (error instanceof Refusal) return error.said
  if (error instanceof ConfigError) return error.lines.map(reason => lines.failure_reported({ reason }))
  // Some errors of connections have no message.
  const reason = error.message || error.code
  return [reason ? lines.failure_reported({ reason }) : lines.failure_without_reason()]
}
