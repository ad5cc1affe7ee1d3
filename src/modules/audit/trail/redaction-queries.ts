// Statements of attest_owner, which alone may change entries: they run on its own connection, and not in a transaction of the service.
import type { ClientBase } from 'pg'
import type { RedactablePart } from './schema.ts'

const emptied: Record<RedactablePart, string> = {
  person: 'username = null, user_role = null, client_addr = null, person_salt = null',
  detail: 'changes = null, resource_number = null, resource_revision = null, reason = null, detail_salt = null',
}

export const lockLogOf = (owner: ClientBase, tenant_id: number) =>
  owner.query('select from audit_logs where tenant_id = $1 for update', [tenant_id])

export async function lockEntries(owner: ClientBase, tenant_id: number, ids: readonly number[]) {
  const { rows } = await owner.query<{ id: number; action: string; redacted: string[] }>(
    `select id, action, array_remove(array[case when person_salt is null then 'person' end, case when detail_salt is null then 'detail' end], null) as redacted
     from audit_entries where tenant_id = $1 and id = any($2) order by id for update`,
    [tenant_id, ids],
  )
  return rows
}

/** Answers the id of the entry that records the redaction. */
export async function insertRedactionEntry(owner: ClientBase, changes: string, reason: string) {
  const { rows } = await owner.query<{ id: number }>(
    `insert into audit_entries (user_id, username, user_role, outcome, action, resource_type, changes, reason, request_id, client_addr)
       values (null, 'system', 'System', 'success', 'audit.redacted', 'audit', $1, $2, '', '') returning id`,
    [changes, reason],
  )
  return rows[0]!.id
}

export const insertRedactions = (
  owner: ClientBase,
  ids: readonly number[],
  {
    part,
    reason,
    redacted_by,
    recorded_in,
  }: {
    part: RedactablePart
    reason: string
    redacted_by: string
    recorded_in: number
  },
) =>
  owner.query(
    `insert into audit_redactions (entry_id, part, reason, redacted_by, recorded_in) select unnest($1::bigint[]), $2, $3, $4, $5`,
    [ids, part, reason, redacted_by, recorded_in],
  )

export const emptyPart = (owner: ClientBase, tenant_id: number, ids: readonly number[], part: RedactablePart) =>
  owner.query(`update audit_entries set ${emptied[part]} where tenant_id = $1 and id = any($2)`, [tenant_id, ids])

export const vacuumEntries = (owner: ClientBase) => owner.query('vacuum audit_entries, audit_words')
