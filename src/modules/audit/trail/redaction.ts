import { randomUUID } from 'node:crypto'
import type { ClientBase } from 'pg'
import { canonicalBytes } from '#platform/crypto/canonical.ts'
import { forgetNames, forgetWords } from '../places/queries.ts'
import {
  emptyPart,
  insertRedactionEntry,
  insertRedactions,
  lockEntries,
  lockLogOf,
  vacuumEntries,
} from './redaction-queries.ts'
import { changesBetween } from './rules.ts'
import type { RedactablePart } from './schema.ts'

interface Redaction {
  tenant_id: number
  entries: readonly number[]
  parts: readonly RedactablePart[]
  reason: string
  redacted_by: string
}

/** A mistake that the operator can correct; the message names the entries. */
export class CannotRedact extends Error {}

/** Removes parts of entries, all or none. Only attest_owner has the right to. Leaves and places stay. */
export async function redact(owner: ClientBase, { tenant_id, entries, parts, reason, redacted_by }: Redaction) {
  await owner.query(
    `begin; set local app.tenant_id = '${tenant_id}'; set local app.transaction_id = '${randomUUID()}'; set local statement_timeout = 0`,
  )
  try {
    // Locks the log before the entries, as sealing does, so that sealing sees a redaction completely or not at all.
    await lockLogOf(owner, tenant_id)
    await refuseWrong(owner, tenant_id, entries, parts)
    const said = canonicalBytes(changesBetween(undefined, { entries: [...entries], parts: [...parts], redacted_by }))
    const recorded_in = await insertRedactionEntry(owner, said.toString(), reason)
    for (const part of parts) {
      await insertRedactions(owner, entries, { part, reason, redacted_by, recorded_in })
      if (part === 'person') await forgetNames(owner, tenant_id, entries)
      else await forgetWords(owner, tenant_id, entries)
      await emptyPart(owner, tenant_id, entries, part)
    }
    await owner.query('commit')
  } catch (error) {
    await owner.query('rollback')
    throw error
  }
  // Until the vacuum the pages of the table still hold the old values.
  await vacuumEntries(owner)
}

const unredactable = ['audit.redacted', 'audit.epoch_started', 'audit.key_rotated']

async function refuseWrong(
  owner: ClientBase,
  tenant_id: number,
  entries: readonly number[],
  parts: readonly RedactablePart[],
) {
  const rows = await lockEntries(owner, tenant_id, entries)
  for (const id of entries) {
    const entry = rows.find(row => row.id === id)
    if (!entry) throw new CannotRedact(`There is no entry ${id} in this tenant`)
    const twice = parts.filter(part => entry.redacted.includes(part))
    if (twice.length > 0) throw new CannotRedact(`The ${twice.join(' and the ')} of entry ${id} is redacted already`)
    if (parts.includes('detail') && unredactable.includes(entry.action))
      throw new CannotRedact(`Entry ${id} is ${entry.action}: its detail is what proofs are read by`)
  }
}
