import { keyIdOf } from '#platform/crypto/signing-key.ts'
import type { Tx } from '#platform/db/database.ts'
import type { PublicHalf } from '../log/keys.ts'
import { verifierKey, verifyNote } from '../log/note.ts'
import { listAuditKeys } from '../log/queries.ts'
import { listRotations } from './queries.ts'

export type Trust = Awaited<ReturnType<typeof readTrust>>

/**
 * The keys that may sign checkpoints of this log: those of this process, and their predecessors by the rotations in the trail. A key that
 * is only in the database proves nothing, because everyone who can write there could add one.
 */
export async function readTrust(tx: Tx, held: readonly PublicHalf[]) {
  const [rotations, stored] = await Promise.all([listRotations(tx), listAuditKeys(tx)])
  const own = held.map(({ public_key }) => public_key)
  const trusted = new Set(own)
  for (let before = 0; before !== trusted.size; ) {
    before = trusted.size
    for (const each of rotations)
      if (each.before && each.after && (trusted.has(each.before) || trusted.has(each.after)))
        trusted.add(each.before).add(each.after)
  }
  const idOf = new Map(stored.map(({ key_id, public_key }) => [public_key, key_id]))
  const named = (origin: string, keys: Iterable<string>) =>
    [...keys].map(key => verifierKey(origin, Buffer.from(key, 'base64')))
  return {
    isTrusted: (public_key: string) => trusted.has(public_key),
    vkeys: (origin: string) => named(origin, trusted),
    /** Keys that the database lacks, or has under another id. */
    unknown: [...trusted].filter(key => idOf.get(key) !== keyIdOf(Buffer.from(key, 'base64'))),
    /** Shortly after a key rotation the newest checkpoint is still signed with the previous key. */
    isOfService: (note: string, origin: string) =>
      verifyNote(note, named(origin, own)) !== undefined ||
      rotations.some(({ after, is_sealed }) => !is_sealed && after !== null && own.includes(after)),
  }
}
