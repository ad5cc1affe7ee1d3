import type { ActionContext } from '#action'
import { type Acts, requirePermission } from '#action/allowed.ts'
import { type CaseAccess, type CaseRecord, requireChanger, requireOpen, toWriteIn } from './base/access.ts'
import type { Extension } from './extension-queries.ts'
import { checksOfExtending } from './extensions.ts'

/** The acts on the parts of a record. `waiting`: its request for an extension that awaits a decision. */
export function actsOnParts(
  context: Pick<ActionContext<unknown>, 'tx' | 'actor'>,
  access: CaseAccess,
  record: CaseRecord,
  waiting: Extension | undefined,
): Acts {
  const { actor } = context
  const change = [
    () => requirePermission(actor, toWriteIn(access)),
    () => requireChanger(actor, access, record),
    () => requireOpen(record),
  ]
  return {
    comment: [() => requirePermission(actor, access.permissions.comment)],
    attach: change,
    link: change,
    extend: checksOfExtending(context, record, waiting),
  }
}
