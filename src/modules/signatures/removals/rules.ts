import { createHash } from 'node:crypto'
import type { Message } from '#kernel/message.ts'
import { momentInUtc } from '#kernel/moment.ts'
import { keyIdOf, verifySeal } from '#platform/crypto/signing-key.ts'
import { printed } from '../messages.ts'
import { isOfRecord, type RecordPayload, readPayload } from '../payload.ts'

interface RemovalSignature {
  payload: string
  digest: string
  seal: string
  key_id: string
  public_key: string
  signer_id: number
}

/** The approved removal of a file, with the signatures of the two people. */
export interface FileRemoval {
  id: number
  tenant_id: number
  version_id: number | null
  attachment_id: number | null
  sha256: string
  file_size: number
  reason: string
  requested_by: number
  decided_by: number
  /** The content is gone from the store. */
  is_removed: boolean
  signatures: RemovalSignature[]
}

export type JudgedRemoval = { isGenuine: boolean; statement: Message }

/** The content that is signed has these fields, by the reader of the module file-removals. */
const signedFields = ['version_id', 'attachment_id', 'sha256', 'file_size', 'reason', 'requested_by'] as const

/** `trusted`: the public keys that count; undefined if no key is at hand to decide by. */
function sealedPayload(
  { payload: text, digest, seal, key_id, public_key }: RemovalSignature,
  trusted: ReadonlySet<string> | undefined,
): RecordPayload | undefined {
  if (trusted && !trusted.has(public_key)) return undefined
  if (keyIdOf(Buffer.from(public_key, 'base64')) !== key_id) return undefined
  if (createHash('sha256').update(text).digest('hex') !== digest) return undefined
  if (!verifySeal(public_key, Buffer.from(text), seal)) return undefined
  const payload = readPayload(text)
  return payload && isOfRecord(payload) ? payload : undefined
}

/**
 * Says who removed a file and why. Rows alone prove nothing, because whoever has the database login can write them: the seals of both
 * signatures over this file do, and the login does not have their key.
 */
export function judgeRemoval(removal: FileRemoval, trusted: ReadonlySet<string> | undefined): JudgedRemoval {
  const isOfRemoval = ({ tenant, signature_type, record, content }: RecordPayload) =>
    tenant === String(removal.tenant_id) &&
    signature_type === 'file_removal' &&
    record.type === 'file_removal' &&
    record.id === String(removal.id) &&
    signedFields.every(field => content[field] === removal[field])
  const find = (ref: string, person: number) =>
    removal.signatures
      .filter(({ signer_id }) => signer_id === person)
      .map(signature => sealedPayload(signature, trusted))
      .find(
        payload =>
          payload &&
          isOfRemoval(payload) &&
          payload.signer.id === String(person) &&
          payload.occasion.kind === 'file_removal' &&
          payload.occasion.ref === ref,
      )
  const request = find('request', removal.requested_by)
  const decision = find('decision', removal.decided_by)
  if (!request || !decision || request.signer.id === decision.signer.id)
    return {
      isGenuine: false,
      statement: printed.check_removal_unsigned({ id: removal.id }),
    }
  const nameOf = ({ signer }: RecordPayload) => signer.full_name ?? signer.username
  const on = momentInUtc(new Date(decision.signed_at))
  return {
    isGenuine: true,
    statement: printed.check_removed({
      is_removed: removal.is_removed,
      on,
      requested_by: nameOf(request),
      decided_by: nameOf(decision),
      reason: removal.reason,
    }),
  }
}
