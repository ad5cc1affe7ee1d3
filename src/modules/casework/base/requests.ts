import type { Tx } from '#platform/db/database.ts'
import { type CaseKind, caseKinds } from './kinds.ts'
import { awaitsExtension } from './record-queries.ts'

/** The people among these of whom the record still needs what a notification announced. */
type StillAsks<R> = (record: R, user_ids: readonly number[], tx: Tx) => readonly number[] | Promise<readonly number[]>

/** The tasks that notifications of one kind of record announce, by the type of the notification. */
export const requestsOf = <R>(
  kind: CaseKind,
  find: (tx: Tx, id: number) => Promise<R | undefined>,
  tasks: Readonly<Record<string, StillAsks<R>>>,
) => ({
  permission: caseKinds[kind].read,
  async stillAsks(tx: Tx, type: string, id: number, user_ids: readonly number[]): Promise<readonly number[]> {
    const record = await find(tx, id)
    if (!record) return []
    if (type === `${kind}_extension_requested`) return (await awaitsExtension(tx, kind, id)) ? user_ids : []
    return tasks[type]?.(record, user_ids, tx) ?? []
  },
})
