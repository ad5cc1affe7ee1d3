import type { Services } from '#action'
import { type SignedRow, verificationCode, verifySignature } from '#modules/signatures'
import type { SpooledSignature } from './snapshot.ts'

/** Answers what the store has of a file, or nothing if it is missing. */
export type FoundFile = (file_key: string, sha256: string) => string | undefined

/** A signature as it is in the archive: with its seal, its evidence, its key, and what its verification found. */
export async function signatureOf(
  { storage, clock }: Pick<Services, 'storage' | 'clock'>,
  { row, now }: SpooledSignature,
  { trusted, found }: { trusted: ReadonlySet<string>; found: FoundFile },
) {
  const verification =
    now === null
      ? null
      : await verifySignature(storage, row as SignedRow, now, {
          at: clock.now(),
          trusted,
          found: async ({ file_key, sha256 }) => found(file_key, sha256),
        })
  const { tenant_id, preceding, copy_of, account, entry, earliest, read_at, ...kept } = row
  return { ...kept, verification_code: verificationCode(row.digest), verification }
}
export type ArchivedSignature = Awaited<ReturnType<typeof signatureOf>>
