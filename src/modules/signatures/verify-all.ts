import type { Tx } from '#platform/db/database.ts'
import type { FileStorage } from '#platform/storage/storage.ts'
import type { SignedRow } from './checks.ts'
import { listSignaturesAfter } from './queries.ts'
import type { Signing } from './signing.ts'
import { type Now, readNow, verifySignature } from './verify.ts'

/** So many are in memory, with what was signed. */
const signaturesPerPage = 100

interface VerifyingAll {
  /** A short transaction of one tenant. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  storage: FileStorage
  signing: Pick<Signing, 'readSignable' | 'records'>
  /** As for `verifySignature`. */
  trusted: ReadonlySet<string> | undefined
}

/** Verifies each signature of a tenant by its ten checks, and answers which details failed, and which content was removed. */
export async function* verifyAll({ read, storage, signing, trusted }: VerifyingAll) {
  for (let after = 0; ; ) {
    const page = await read(async tx => {
      const found: { row: Listed; now: Now | Error }[] = []
      for (const row of await listSignaturesAfter(tx, after, signaturesPerPage))
        found.push({ row, now: await readNow(tx, signing, row).catch((error: Error) => error) })
      return found
    })
    for (const { row, now } of page)
      yield { id: row.id, of: nameOf(row), ...(await findingsOf(storage, row, now, trusted)) }
    if (page.length < signaturesPerPage) return
    after = page.at(-1)!.row.id
  }
}

type Listed = Awaited<ReturnType<typeof listSignaturesAfter>>[number]

const nameOf = ({ record_number, document_version }: SignedRow) =>
  [record_number, document_version].filter(Boolean).join(' ')

/** One record or file that cannot be read must not hide what is wrong with the other signatures. */
async function findingsOf(
  storage: FileStorage,
  row: Listed,
  now: Now | Error,
  trusted: ReadonlySet<string> | undefined,
): Promise<{ failed: string[]; removed: string[] }> {
  if (now instanceof Error) return { failed: [`The signed record cannot be read: ${now.message}`], removed: [] }
  try {
    const { checks } = await verifySignature(storage, row, now, { at: new Date(), trusted })
    return {
      failed: checks.filter(({ passed }) => !passed).map(({ name, detail }) => `${name}: ${detail}`),
      removed: checks.filter(({ was_removed }) => was_removed).map(({ detail }) => detail),
    }
  } catch (error) {
    return { failed: [`It cannot be verified: ${(error as Error).message}`], removed: [] }
  }
}
