import type { Answer } from '../../api/client.ts'
import { nameOf } from '../../ui/person.tsx'
import { useEvidenceWords } from '../../words/evidence.ts'

export type Entry = Answer<'GET /api/audit/'>['items'][number]

/** Who did it, as far as the entry still says so. */
export function useActorName() {
  const { audit: w } = useEvidenceWords()
  return ({ user, redacted }: Entry) =>
    redacted.includes('person')
      ? w.redactedPerson
      : user.username !== null
        ? nameOf({ username: user.username, full_name: user.full_name })
        : user.id === null
          ? w.system
          : w.unknown
}
