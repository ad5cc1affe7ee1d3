import type { Verification } from './schema.ts'

const maxListed = 100

type Failure = Verification['failures'][number]
type Warning = Verification['warnings'][number]

/** The counts, failures and warnings of one verification; only the first hundred of each are listed. */
export class Findings {
  readonly checked = { entries: 0, checkpoints: 0, tiles: 0, epochs: 0, redacted: 0 }
  waiting = 0
  readonly #started = performance.now()
  readonly #failures: Failure[] = []
  readonly #warnings: Warning[] = []
  #failed = 0

  fail(check: Failure['check'], sentence: string, { seq = null, entry_id = null }: Partial<Failure> = {}) {
    this.#failed += 1
    if (this.#failures.length < maxListed) this.#failures.push({ check, seq, entry_id, sentence })
  }

  /** The trail is valid, and somebody should explain this. */
  warn(check: Warning['check'], sentence: string, { seq, entry_id }: Pick<Warning, 'seq' | 'entry_id'>) {
    if (this.#warnings.length < maxListed) this.#warnings.push({ check, seq, entry_id, sentence })
  }

  verification(newest: string | null): Verification {
    return {
      valid: this.#failed === 0,
      checked: this.checked,
      unchecked: { waiting: this.waiting },
      failures: this.#failures,
      warnings: this.#warnings,
      checkpoint: newest,
      duration_ms: Math.round(performance.now() - this.#started),
    }
  }
}
