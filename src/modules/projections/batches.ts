import type { Tx } from '#platform/db/database.ts'

/** A statement ends after a minute, and the text of a document can take a second. */
const perBatch = 200

/** The ids of all records in batches, in their order. */
export async function* batches(list: (tx: Tx, after: number, limit: number) => Promise<number[]>, tx: Tx) {
  for (let after = 0; ; ) {
    const ids = await list(tx, after, perBatch)
    if (ids.length > 0) yield ids
    if (ids.length < perBatch) return
    after = ids.at(-1)!
  }
}
