import { conflict, invalidField, notFound } from '#kernel/errors.ts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'
import { findGated, lockPrograms } from './queries.ts'

interface Gated {
  training_gate?: string
  signing_program_ids?: readonly number[]
  /** The stored type, if one is changed. */
  type?: { id: number; name: string; signing_program_ids: readonly number[] }
}

/** Without a training program the gate would let untrained people approve documents that seem to be gated. */
export async function requireGate(tx: Tx, { training_gate, signing_program_ids, type }: Gated) {
  const programs = signing_program_ids ?? type?.signing_program_ids ?? []
  if (signing_program_ids !== undefined) await requirePrograms(tx, signing_program_ids)
  if (programs.length > 0) return
  if (training_gate === 'before_sign')
    throw invalidField('signing_program_ids', messages.document_type_training_required())
  const gated = type && (await findGated(tx, type.id))
  if (gated) throw conflict(messages.document_type_training_in_use({ number: gated.number, name: type!.name }))
}

/** Locks the programs until the type names them, so that none is archived at the same time. */
async function requirePrograms(tx: Tx, ids: readonly number[]) {
  if (ids.length === 0) return
  const found = await lockPrograms(tx, ids)
  if (found.length < ids.length) throw notFound('Training program')
  const archived = found.find(({ status }) => status !== 'active')
  if (archived) throw conflict(messages.document_type_program_archived({ number: archived.number }))
}
