import type { Verification } from './schema.ts'

const maxFailures = 100

type Failure = Verification['failures'][number]

/** The counts and the failures of one verification; only the first hundred failures are listed. */
export class Findings {
  readonly checked = { entries: 0, checkpoints: 0, tiles: 0, epochs: 0, redacted: 0 }
  readonly #started = performance.now()
  readonly #failures: Failure[] = []
  #failed = 0

  fail(check: Failure['check'], sentence: string, { seq = null, entry_id = null }: Partial<Failure> = {}) {
    this.#failed += 1
    if (this.#failures.length < maxFailures) this.#failures.push({ check, seq, entry_id, sentence })
  }

  verification(newest: string | null): Verification {
    return {
      valid: this.#failed === 0,
      checked: this.checked,
      failures: this.#failures,
      checkpoint: newest,
      duration_ms: Math.round(performance.now() - this.#started),
    }
  }
}
