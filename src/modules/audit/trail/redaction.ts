import { randomUUID } from 'node:crypto'
import type { ClientBase } from 'pg'
import { canonicalBytes } from '#platform/crypto/canonical.ts'
import { changesBetween } from './rules.ts'

/** `person` is the name, role and address of the actor; `detail` the changes, the number of the record and the reason. */
export const redactableParts = ['person', 'detail'] as const
export type RedactablePart = (typeof redactableParts)[number]

interface Redaction {
  tenant_id: number
  entries: readonly number[]
  parts: readonly RedactablePart[]
  reason: string
  redacted_by: string
}

const emptied: Record<RedactablePart, string> = {
  person: 'username = null, user_role = null, client_addr = null, person_salt = null',
  detail: 'changes = null, resource_number = null, resource_revision = null, reason = null, detail_salt = null',
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
    await owner.query('select from audit_logs where tenant_id = $1 for update', [tenant_id])
    await refuseWrong(owner, tenant_id, entries, parts)
    const said = canonicalBytes(changesBetween(undefined, { entries: [...entries], parts: [...parts], redacted_by }))
    const { rows } = await owner.query<{ id: number }>(
      `insert into audit_entries (user_id, username, user_role, outcome, action, resource_type, changes, reason, request_id, client_addr)
       values (null, 'system', 'System', 'success', 'audit.redacted', 'audit', $1, $2, '', '') returning id`,
      [said.toString(), reason],
    )
    for (const part of parts) {
      await owner.query(
        `insert into audit_redactions (entry_id, part, reason, redacted_by, recorded_in) select unnest($1::bigint[]), $2, $3, $4, $5`,
        [entries, part, reason, redacted_by, rows[0]!.id],
      )
      await owner.query(`update audit_entries set ${emptied[part]} where tenant_id = $1 and id = any($2)`, [
        tenant_id,
        entries,
      ])
    }
    await owner.query('commit')
  } catch (error) {
    await owner.query('rollback')
    throw error
  }
  // Until the vacuum the pages of the table still hold the old values.
  await owner.query('vacuum audit_entries')
}

const unredactable = ['audit.redacted', 'audit.epoch_started', 'audit.key_rotated']

async function refuseWrong(
  owner: ClientBase,
  tenant_id: number,
  entries: readonly number[],
  parts: readonly RedactablePart[],
) {
  const { rows } = await owner.query<{ id: number; action: string; redacted: string[] }>(
    `select id, action, array_remove(array[case when person_salt is null then 'person' end, case when detail_salt is null then 'detail' end], null) as redacted
     from audit_entries where tenant_id = $1 and id = any($2) order by id for update`,
    [tenant_id, entries],
  )
  for (const id of entries) {
    const entry = rows.find(row => row.id === id)
    if (!entry) throw new CannotRedact(`There is no entry ${id} in this tenant`)
    const twice = parts.filter(part => entry.redacted.includes(part))
    if (twice.length > 0) throw new CannotRedact(`The ${twice.join(' and the ')} of entry ${id} is redacted already`)
    if (parts.includes('detail') && unredactable.includes(entry.action))
      throw new CannotRedact(`Entry ${id} is ${entry.action}: its detail is what proofs are read by`)
  }
}
