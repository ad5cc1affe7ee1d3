// The acts that a person may do with a batch, and the reasons against the others.
import type { Actor } from '#action'
import { type Acts, requirePermission } from '#action/allowed.ts'
import type { Permission } from '#kernel/catalogue.ts'
import {
  type BatchState,
  ownBatchRefusal,
  refuseDifferingSamples,
  refuseErrors,
  refuseUnlessChecked,
  refuseUnlessIdle,
  refuseUnlessLoaded,
  refuseUnlessOpen,
  refuseUnlessRehearsed,
  refuseUnlessStaged,
  refuseUnlessUnfinished,
} from './rules.ts'

export const actNames = [
  ...(['update', 'stage', 'check', 'rehearse', 'sample', 'accept', 'continue', 'release', 'discard'] as const),
] as const
export type ActName = (typeof actNames)[number]

const permissionOf: Record<ActName, Permission> = {
  update: 'migration.manage',
  stage: 'migration.manage',
  check: 'migration.manage',
  rehearse: 'migration.manage',
  sample: 'migration.accept',
  accept: 'migration.accept',
  continue: 'migration.manage',
  release: 'migration.accept',
  discard: 'migration.manage',
}

function refuseOwn(actor: Actor, batch: BatchState) {
  const refusal = ownBatchRefusal(actor, batch)
  if (refusal) throw refusal
}

/** The conditions of each act, in the order in which they refuse it. */
export function actsOn(actor: Actor, batch: BatchState): Acts & Record<ActName, readonly (() => unknown)[]> {
  const may = (act: ActName) => () => requirePermission(actor, permissionOf[act])
  const isOpen = () => refuseUnlessOpen(batch)
  const isIdle = () => refuseUnlessIdle(batch)
  const hasRows = () => refuseUnlessStaged(batch)
  const isChecked = () => refuseUnlessChecked(batch)
  const isRight = () => refuseErrors(batch)
  const isOthers = () => refuseOwn(actor, batch)
  return {
    update: [may('update'), isOpen, isIdle],
    stage: [may('stage'), isOpen, isIdle],
    check: [may('check'), isOpen, isIdle, hasRows],
    rehearse: [may('rehearse'), isOpen, isIdle, isChecked, isRight],
    sample: [may('sample'), isOpen, isIdle, isChecked, isOthers],
    accept: [
      ...[may('accept'), isOpen, isOthers, isIdle, isRight, () => refuseUnlessRehearsed(batch)],
      () => refuseDifferingSamples(batch),
    ],
    continue: [may('continue'), () => refuseUnlessUnfinished(batch), isIdle],
    release: [may('release'), () => refuseUnlessLoaded(batch), isIdle],
    discard: [may('discard'), isOpen, isIdle],
  }
}
