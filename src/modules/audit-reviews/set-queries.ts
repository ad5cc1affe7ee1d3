// The entries of a review.
import { sql } from 'kysely'
import { countAuditEntries, matchesAuditFilter } from '#modules/audit'
import type { Tx } from '#platform/db/database.ts'
import type { Reviewed } from './schema.ts'

const found = (tx: Tx, filter: Reviewed) => tx.selectFrom('audit_entries').where(matchesAuditFilter(filter))

/** Counts the entries, and finds out whether the reviewer and others acted. The system and failed log-ins are no persons. */
export async function findActors(tx: Tx, filter: Reviewed, reviewerId: number) {
  const isOthers = filter.user_id !== undefined && filter.user_id !== reviewerId
  const [entries, own, other] = await Promise.all([
    countAuditEntries(tx, filter),
    isOthers ? 0 : countAuditEntries(tx, { ...filter, user_id: reviewerId }),
    found(tx, filter).select('id').where('user_id', '<>', reviewerId).limit(1).executeTakeFirst(),
  ])
  return { entries, has_own: own > 0, has_others: other !== undefined }
}

/** Reads only entries of this tree, because later ones were not reviewed. The hashes are computed from the leaves. */
export const readSet = (
  tx: Tx,
  filter: Reviewed,
  reviewerId: number,
  { epoch, size }: { epoch: number; size: number },
) =>
  tx
    .selectFrom(found(tx, filter).select(['id', 'user_id', 'leaf']).as('e'))
    .leftJoin('audit_leaves as l', on =>
      on
        .onRef('l.entry_id', '=', 'e.id')
        .on('l.seq', '<', sql<number>`(select first_seq + ${size} from audit_epochs where epoch = ${epoch})`),
    )
    .select([
      sql<number>`count(l.seq)`.as('entries'),
      sql<number>`count(*) filter (where l.seq is not null and e.user_id = ${reviewerId})`.as('own_entries'),
      sql<number>`count(*) filter (where l.seq is null)`.as('later_entries'),
      sql<number | null>`min(l.seq)`.as('first_seq'),
      sql<number | null>`max(l.seq)`.as('last_seq'),
      sql<string>`encode(sha256(coalesce(string_agg(audit_leaf_hash(e.leaf), ''::bytea order by l.seq)
        filter (where l.seq is not null), ''::bytea)), 'hex')`.as('entries_sha256'),
    ])
    .executeTakeFirstOrThrow()

/** Every existing record has an entry, so one without is unknown. */
export const isKnownRecord = async (tx: Tx, resource_type: string, resource_id: number) =>
  (await tx
    .selectFrom('audit_entries')
    .select('id')
    .where('resource_type', '=', resource_type)
    .where('resource_id', '=', resource_id)
    .limit(1)
    .executeTakeFirst()) !== undefined
