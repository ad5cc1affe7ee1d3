import { sql } from 'kysely'
import type { ClientBase } from 'pg'
import type { Tx } from '#platform/db/database.ts'

/**
 * For lists: which of the entries with these sequence numbers have which values, in the transaction that gives them their numbers. A block
 * has room for later ones.
 */
export const addPlaces = (tx: Tx, first: number, last: number) =>
  Promise.all([addBits(tx, first, last), addWords(tx, first, last)])

const addBits = (tx: Tx, first: number, last: number) =>
  sql`
  insert into audit_places as p (dimension, value, block, places, lowest_id, highest_id, earliest, latest)
  select * from audit_places_of(current_tenant(), ${first}, ${last})
  on conflict on constraint audit_places_pkey do update set places = p.places | excluded.places,
    lowest_id = least(p.lowest_id, excluded.lowest_id), highest_id = greatest(p.highest_id, excluded.highest_id),
    earliest = least(p.earliest, excluded.earliest), latest = greatest(p.latest, excluded.latest)`.execute(tx)

const addWords = (tx: Tx, first: number, last: number) =>
  sql`insert into audit_words (seq, words) select * from audit_words_of(current_tenant(), ${first}, ${last})`.execute(
    tx,
  )

export const deletePlaces = (tx: Tx) =>
  Promise.all([tx.deleteFrom('audit_places').execute(), tx.deleteFrom('audit_words').execute()])

/** At least 1. */
export const findLastSeq = async (tx: Tx): Promise<number> =>
  (await sql<{ last: number }>`select coalesce(max(seq), 1) as last from audit_leaves`.execute(tx)).rows[0]!.last

/** Takes the names of entries out of the lists, which must not find them any more, nor keep them. Called before they are removed. */
export async function forgetNames(owner: ClientBase, tenant_id: number, entries: readonly number[]) {
  const { rows } = await owner.query<{ value: string }>(
    `with gone as (
       select e.username as value, (l.seq - 1) / 2048 as block, bit_or(set_bit(0::bit(2048), ((l.seq - 1) % 2048)::integer, 1)) as places
       from audit_entries e join audit_leaves l on l.tenant_id = e.tenant_id and l.entry_id = e.id
       where e.tenant_id = $1 and e.id = any($2) and e.username is not null group by 1, 2)
     update audit_places p set places = p.places & ~gone.places from gone
     where p.tenant_id = $1 and p.dimension = 'username' and p.value = gone.value and p.block = gone.block returning p.value`,
    [tenant_id, entries],
  )
  await owner.query(
    `delete from audit_places where tenant_id = $1 and dimension = 'username' and value = any($2) and places = 0::bit(2048)`,
    [tenant_id, rows.map(({ value }) => value)],
  )
}

/** The same for reasons and numbers. */
export const forgetWords = (owner: ClientBase, tenant_id: number, entries: readonly number[]) =>
  owner.query(
    `delete from audit_words w using audit_leaves l
     where w.tenant_id = $1 and l.tenant_id = $1 and l.entry_id = any($2) and w.seq = l.seq`,
    [tenant_id, entries],
  )

/** Rows that differ from the entries, of blocks from `first` on and before `end`. */
export async function listDrift(tx: Tx, first: number, end: number) {
  const { rows } = await sql<{ dimension: string; value: string; block: number }>`
    select dimension, value, block
    from (select * from audit_places where block >= ${first} and block < ${end}::bigint) p
      full join audit_places_of(current_tenant(), ${first}::bigint * 2048 + 1, ${end}::bigint * 2048) f using (dimension, value, block)
    where row(p.places, p.lowest_id, p.highest_id, p.earliest, p.latest)
      is distinct from row(f.places, f.lowest_id, f.highest_id, f.earliest, f.latest)
    union all
    select 'words', seq::text, ((seq - 1) / 2048)::integer
    from (select * from audit_words where seq > ${first}::bigint * 2048 and seq <= ${end}::bigint * 2048) w
      full join audit_words_of(current_tenant(), ${first}::bigint * 2048 + 1, ${end}::bigint * 2048) f using (seq)
    where w.words is distinct from f.words order by 1, 2, 3`.execute(tx)
  return rows
}
