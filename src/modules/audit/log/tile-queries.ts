import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'
import type { Hash } from './merkle.ts'

export const readTiles = (tx: Tx, epoch: number, wanted: readonly { level: number; tile: number }[]) =>
  tx
    .selectFrom('audit_tiles')
    .select(['level', 'tile', 'hashes'])
    .where('epoch', '=', epoch)
    .where(
      sql<boolean>`(level, tile) in (select * from unnest(${wanted.map(({ level }) => level)}::int[], ${wanted.map(({ tile }) => tile)}::bigint[]))`,
    )
    .execute()

interface Run {
  level: number
  first: number
  count: number
}
const indexesOf = (runs: readonly Run[]) => {
  const all = new Map<string, { level: number; index: number }>()
  for (const { level, first, count } of runs)
    for (let index = first; index < first + count; index++) all.set(`${level}/${index}`, { level, index })
  return [...all.values()]
}

/** The hashes of leaves that are in no full tile: at most 255 in each epoch. */
export async function readLeaves(tx: Tx, epoch: number, runs: readonly Run[]): Promise<Map<string, Hash>> {
  if (runs.length === 0) return new Map()
  const rows = await tx
    .selectFrom('audit_leaves as l')
    .innerJoin('audit_epochs as p', join =>
      join.onRef('p.tenant_id', '=', 'l.tenant_id').onRef('p.epoch', '=', 'l.epoch'),
    )
    .innerJoin('audit_entries as e', join =>
      join.onRef('e.tenant_id', '=', 'l.tenant_id').onRef('e.id', '=', 'l.entry_id'),
    )
    .select([sql<number>`l.seq - p.first_seq`.as('index'), 'e.leaf_hash'])
    .where('l.epoch', '=', epoch)
    .where(
      sql<boolean>`l.seq = any (select first_seq + i from audit_epochs, unnest(${indexesOf(runs).map(({ index }) => index)}::bigint[]) i where epoch = ${epoch})`,
    )
    .execute()
  return new Map(rows.map(({ index, leaf_hash }) => [`0/${index}`, leaf_hash]))
}

/** A hash above the first level is the root of a full tile below. */
export async function readRoots(tx: Tx, epoch: number, runs: readonly Run[]): Promise<Map<string, Hash>> {
  if (runs.length === 0) return new Map()
  const all = indexesOf(runs)
  const rows = await tx
    .selectFrom('audit_tiles')
    .select(['level', 'tile', 'root'])
    .where('epoch', '=', epoch)
    .where(
      sql<boolean>`(level, tile) in (select * from unnest(${all.map(({ level }) => level - 1)}::int[], ${all.map(({ index }) => index)}::bigint[]))`,
    )
    .execute()
  return new Map(rows.map(({ level, tile, root }) => [`${level + 1}/${tile}`, root]))
}
