import { anchorFailure } from '#platform/anchors/failure.ts'
import type { AnchorStore } from '#platform/anchors/store.ts'
import type { Database, Tx } from '#platform/db/database.ts'
import type { PublicHalf } from '../log/keys.ts'
import { openNote } from '../log/note.ts'
import { readLog } from '../log/queries.ts'
import { type Anchor, anchorOf, discrepancy, entries, heads, knownOutside, newestAnchor } from './anchor.ts'
import { anchorLog } from './anchoring.ts'
import { notesIn } from './mail.ts'
import { believedKeys, doubtOf, type Sealing } from './memory.ts'
import { type Head, slugOf } from './queries.ts'

/** The comparison of a log with its anchors in one place. */
export interface Comparison {
  /** The slug; undefined where the database has no such log. */
  tenant: string | undefined
  log_id: string
  isWell: boolean
  says: string
}

/** Compares every log with every store; with `write` the newest checkpoint is kept there first. */
export async function* compareStores(services: Sealing, { write }: { write: boolean }): AsyncGenerator<Comparison> {
  const keys = await believedKeys(services)
  const known = new Set<string>()
  for await (const head of heads(readingOf(services.database, null))) {
    known.add(head.log_id)
    for (const store of services.anchors) yield await compareStore(services.database, store, head, keys, write)
  }
  for (const store of services.anchors)
    for (const log_id of await store.logs().catch(() => [])) {
      if (known.has(log_id)) continue
      const { anchor, doubtful } = await newestAnchor(store, log_id, keys)
      const says = anchor ? unknown(anchor) : doubtOf(doubtful)
      if (says !== undefined) yield { tenant: undefined, log_id, isWell: false, says }
    }
}

const unknown = ({ where, size, epoch }: Anchor) =>
  `${where} has a log with ${entries(size)} in epoch ${epoch} that the database does not know: it was made anew, or restored as it was before`

async function compareStore(
  database: Database,
  store: AnchorStore,
  { tenant_id, log_id }: Head,
  keys: readonly PublicHalf[],
  write: boolean,
): Promise<Comparison> {
  const read = readingOf(database, tenant_id)
  const tenant = await read(slugOf)
  const of = { tenant, log_id }
  try {
    const kept = write ? await anchorLog({ database }, store, { tenant_id, log_id }, keys) : undefined
    const doubtful: string[] = []
    let newest: Anchor | undefined
    for (const name of await store.list(log_id)) {
      const found = await store.read(log_id, name)
      const anchor = found && anchorOf(found.note, log_id, keys, found.where)
      if (found && !(anchor?.epoch === name.epoch && anchor.size === name.size)) doubtful.push(found.where)
      else if (anchor) {
        newest ??= anchor
        const why = await read(async tx => discrepancy(tx, await readLog(tx), anchor))
        if (why !== undefined) return { ...of, isWell: false, says: why }
      }
    }
    const doubt = doubtOf(doubtful)
    if (doubt !== undefined) return { ...of, isWell: false, says: doubt }
    if (!newest) return { ...of, isWell: true, says: `${store.name} has nothing of it` }
    const says = `the database goes on from ${newest.where}: ${entries(newest.size)} in epoch ${newest.epoch}`
    return { ...of, isWell: true, says: kept?.outcome === 'kept' ? `${says}, kept now` : says }
  } catch (error) {
    return { ...of, isWell: false, says: anchorFailure(store.name, error) }
  }
}

/** Compares every note in a text, such as a saved e-mail, with the database. */
export async function* compareNotes(services: Sealing, text: string, where: string): AsyncGenerator<Comparison> {
  const keys = await believedKeys(services)
  const logs = new Map<string, Head>()
  for await (const head of heads(readingOf(services.database, null))) logs.set(head.log_id, head)
  for (const note of notesIn(text)) {
    const log_id = logOf(note)
    const head = logs.get(log_id)
    const anchor = anchorOf(note, log_id, keys, where)
    const of = { log_id, isWell: false }
    if (!anchor) yield { ...of, tenant: undefined, says: `a note of it is not signed by a key of this installation` }
    else if (!head) yield { ...of, tenant: undefined, says: unknown(anchor) }
    else {
      const { tenant, why } = await readingOf(
        services.database,
        head.tenant_id,
      )(async tx => ({
        tenant: await slugOf(tx),
        why: await discrepancy(tx, await readLog(tx), anchor),
      }))
      const well = `the database goes on from ${entries(anchor.size)} in epoch ${anchor.epoch}`
      yield { tenant, log_id, isWell: why === undefined, says: why ?? well }
    }
  }
}

/** The newest anchor of a tenant's log, in the stores or in a text. */
export async function newestKnown(services: Sealing, tenantId: number, text = '') {
  const { log_id } = await readingOf(services.database, tenantId)(readLog)
  return knownOutside(services.anchors, log_id, await believedKeys(services), notesIn(text))
}

const logOf = (note: string) => openNote(note)?.body.origin.split('/')[2] ?? ''

const readingOf =
  (database: Database, tenantId: number | null) =>
  <T>(work: (tx: Tx) => Promise<T>) =>
    database.transaction({ tenantId, userId: null }, 'read only', work)
