import { type RawBuilder, sql } from 'kysely'
import type { ClientBase } from 'pg'
import type { Tx } from '#platform/db/database.ts'
import { blockOf, placesPerBlock } from './blocks.ts'

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

async function addWords(tx: Tx, first: number, last: number) {
  await sql`insert into audit_words (block, words, place, places)
    select * from audit_words_of(current_tenant(), ${first}, ${last})`.execute(tx)
  const block = blockOf(first)
  if (first > block * placesPerBlock + 1 && last >= (block + 1) * placesPerBlock) await joinWords(tx, block)
}

/** While a block fills, each addition has rows of its own. A full block has each word once, so that searches read no more than that. */
const joinWords = (tx: Tx, block: number) =>
  sql`
  with parts as (
    delete from audit_words where block = ${block}
      and words in (select words from audit_words where block = ${block} group by words having count(*) > 1)
    returning words, place, places)
  insert into audit_words (block, words, places)
  select ${block}::integer, words, bit_or(${placesOfWords}) from parts group by words`.execute(tx)

/** A row that has both or neither fits no entry: only the owner of the tables can have made one. */
const placesOfWords = sql`case num_nonnulls(place, places) when 1 then coalesce(places, set_bit(0::bit(2048), place, 1)) else (-1)::bit(2048) end`

/** The blocks, of those given and of entries from `first` to `last`, in which words differ from the entries. */
export const wordsDrift = (
  isOfBlocks: RawBuilder<unknown>,
  first: RawBuilder<unknown>,
  last: RawBuilder<unknown>,
) => sql`
  select distinct block from (select block, words, bit_or(${placesOfWords}) as places from audit_words where ${isOfBlocks} group by 1, 2) w
    full join (select block, words collate "C" as words, ${placesOfWords} as places
      from audit_words_of(current_tenant(), ${first}, ${last})) f using (block, words)
  where w.places is distinct from f.places`

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
export async function forgetWords(owner: ClientBase, tenant_id: number, entries: readonly number[]) {
  const gone = `(select (seq - 1) / 2048 as block, bit_or(set_bit(0::bit(2048), ((seq - 1) % 2048)::integer, 1)) as places
    from audit_leaves where tenant_id = $1 and entry_id = any($2) group by 1) gone`
  await owner.query(
    `delete from audit_words w using ${gone} where w.tenant_id = $1 and w.block = gone.block
       and case when w.place is null then w.places & ~gone.places = 0::bit(2048) else get_bit(gone.places, w.place) = 1 end`,
    [tenant_id, entries],
  )
  await owner.query(
    `update audit_words w set places = w.places & ~gone.places from ${gone}
     where w.tenant_id = $1 and w.block = gone.block and w.places & gone.places <> 0::bit(2048)`,
    [tenant_id, entries],
  )
}

/** Rows that differ from the entries, of blocks from `first` on and before `end`. */
export async function listDrift(tx: Tx, first: number, end: number) {
  const { rows } = await sql<{ dimension: string; value: string; block: number }>`
    select dimension, value, block
    from (select * from audit_places where block >= ${first} and block < ${end}::bigint) p
      full join audit_places_of(current_tenant(), ${first}::bigint * 2048 + 1, ${end}::bigint * 2048) f using (dimension, value, block)
    where row(p.places, p.lowest_id, p.highest_id, p.earliest, p.latest)
      is distinct from row(f.places, f.lowest_id, f.highest_id, f.earliest, f.latest)
    union all
    select 'words', '', block from (${wordsDrift(
      sql`block >= ${first} and block < ${end}::bigint`,
      sql`${first}::bigint * 2048 + 1`,
      sql`${end}::bigint * 2048`,
    )}) w order by 1, 2, 3`.execute(tx)
  return rows
}
