import type { Problem } from '../../api/problem.ts'
import { Refused } from '../../ui/notes.tsx'
import { useWords } from '../../words/index.ts'
import { PasskeyFailure } from './webauthn.ts'

export type PasskeyError = Problem | PasskeyFailure

/** What the browser or the device said, or the service. */
export function PasskeyRefused({ error }: { error: PasskeyError }) {
  const { passkeys: w } = useWords()
  return error instanceof PasskeyFailure ? <Refused>{w.trouble[error.trouble]}</Refused> : <Refused error={error} />
}
