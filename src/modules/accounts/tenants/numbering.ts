import { conflict, invalidField } from '#kernel/errors.ts'
import {
  defaultPatterns,
  hasDepartment,
  isNumberPattern,
  sharesNumbers,
  trainingPattern,
} from '#kernel/number-pattern.ts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from '../messages.ts'
import { findSettings, listTypePatterns, lockSettings } from './queries.ts'

interface Patterns {
  deviation: string
  capa: string
}

/** Other records of the company may not write the same numbers. The lock is held until the end, so that two changes see each other. */
async function refuseShared(tx: Tx, pattern: string, others: readonly string[], exceptType?: number) {
  const other = others.find(each => sharesNumbers(each, pattern))
  if (other) throw conflict(messages.number_pattern_of_records({ pattern, other }))
  const type = (await listTypePatterns(tx)).find(
    each => each.id !== exceptType && sharesNumbers(each.number_pattern, pattern),
  )
  if (type) throw conflict(messages.number_pattern_of_type({ pattern, name: type.name, other: type.number_pattern }))
}

/** TYPE-01: a pattern that can be read, and whose numbers no other type and no other kind of record has. */
export async function requireTypePattern(tx: Tx, pattern: string, exceptType?: number) {
  if (!isNumberPattern(pattern)) throw invalidField('number_pattern', messages.number_pattern_wrong())
  await lockSettings(tx)
  // Asked again, because they may have changed before the lock was there.
  const stored = (await findSettings(tx))?.settings as { number_patterns?: Partial<Patterns> } | undefined
  const { deviation, capa } = { ...defaultPatterns, ...stored?.number_patterns }
  await refuseShared(tx, pattern, [trainingPattern, deviation, capa], exceptType)
}

/** The patterns of deviations and CAPAs, which have no code of a department. The caller holds the lock of the settings. */
export async function requireRecordPatterns(tx: Tx, { deviation, capa }: Patterns, changed: Partial<Patterns>) {
  for (const [kind, pattern] of Object.entries(changed))
    if (!isNumberPattern(pattern) || hasDepartment(pattern))
      throw invalidField(`number_patterns.${kind}`, messages.number_pattern_of_records_wrong())
  await refuseShared(tx, deviation, [trainingPattern, capa])
  await refuseShared(tx, capa, [trainingPattern, deviation])
}
