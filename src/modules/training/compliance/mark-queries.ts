import { sql } from 'kysely'
import type { Tx } from '#platform/db/database.ts'

// A mark asks for a person to be counted again. It is inserted and never updated, so that no writer waits for another.

export const markEveryone = (tx: Tx) => tx.insertInto('compliance_changes').values({ user_id: null }).execute()

/** Users of other tenants are left out. */
export const markUsers = (tx: Tx, ids: readonly number[]) =>
  sql`insert into compliance_changes (user_id) select id from users where id = any(${ids}::bigint[])`.execute(tx)

export const markAssignees = (tx: Tx, assignment_ids: readonly number[]) =>
  sql`insert into compliance_changes (user_id)
    select distinct user_id from training_assignments where id = any(${assignment_ids}::bigint[])`.execute(tx)

/** Rows that this transaction has written. */
const isWrittenHere = (row: 'm' | 'v') => sql`${sql.ref(`${row}.xmin`)} = pg_current_xact_id()::xid`

/** Marks the people who joined or left one of these groups in this transaction. */
export const markJoinedAndLeft = (tx: Tx, group_ids: readonly number[]) =>
  sql`insert into compliance_changes (user_id)
    select distinct m.user_id from group_members m where m.group_id = any(${group_ids}::bigint[]) and ${isWrittenHere('m')}`.execute(
    tx,
  )

/** Marks the readers of these documents of which this transaction has changed the effective version: they may have to read it again. */
export const markReaders = (tx: Tx, document_ids: readonly number[]) =>
  sql`insert into compliance_changes (user_id)
    select distinct a.user_id from training_programs p join training_assignments a on a.program_id = p.id
    where p.type = 'read_and_understand' and p.document_id in (
      select v.document_id from document_versions v
      where v.document_id = any(${document_ids}::bigint[]) and v.status_kind = 'effective' and ${isWrittenHere('v')})`.execute(
    tx,
  )
