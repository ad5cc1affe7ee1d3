import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
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
  /** The disposal that it belongs to, whose signatures it has; null for a removal that was requested by itself. */
  disposal_id: number | null
  signatures: RemovalSignature[]
}

export type JudgedRemoval = { isGenuine: boolean; statement: Message }

/** The content that is signed has these fields, by the reader of the module file-removals. */
const signedFields = ['version_id', 'attachment_id', 'sha256', 'file_size', 'reason', 'requested_by'] as const

/** What says which file a disposal names. */
const fileFields = ['version_id', 'attachment_id', 'sha256', 'file_size'] as const

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

/** A signature over a disposal, with the content that the person signed. */
export interface DisposalSeals {
  id: number
  tenant_id: number
  proposed_by: number
  decided_by: number
  signatures: readonly RemovalSignature[]
}

const nameOf = ({ signer }: RecordPayload) => signer.full_name ?? signer.username

/**
 * What both people signed of a disposal, or undefined if two people have not signed the same. Rows alone prove nothing, because whoever has the
 * database login can write them: the seals do, and the login does not have their key.
 */
export function judgeDisposal(
  { id, tenant_id, proposed_by, decided_by, signatures }: DisposalSeals,
  trusted: ReadonlySet<string> | undefined,
): { proposal: RecordPayload; approval: RecordPayload } | undefined {
  const find = (ref: string, person: number) =>
    signatures
      .filter(({ signer_id }) => signer_id === person)
      .map(signature => sealedPayload(signature, trusted))
      .find(
        payload =>
          payload?.tenant === String(tenant_id) &&
          payload.signature_type === 'disposal' &&
          payload.record.type === 'disposal' &&
          payload.record.id === String(id) &&
          payload.signer.id === String(person) &&
          payload.occasion.kind === 'disposal' &&
          payload.occasion.ref === ref,
      )
  const proposal = find('proposal', proposed_by)
  const approval = find('approval', decided_by)
  if (!proposal || !approval || proposal.signer.id === approval.signer.id) return undefined
  return isDeepStrictEqual(proposal.content, approval.content) ? { proposal, approval } : undefined
}

/** The files that a signed disposal names. */
export function filesOfDisposal({ content }: RecordPayload) {
  const { records } = content as {
    records?: { files: Pick<FileRemoval, 'version_id' | 'attachment_id' | 'sha256' | 'file_size'>[] }[]
  }
  return (records ?? []).flatMap(({ files }) => files)
}

function judgeByDisposal(removal: FileRemoval, id: number, trusted: ReadonlySet<string> | undefined): JudgedRemoval {
  const { tenant_id, requested_by: proposed_by, decided_by, signatures, is_removed } = removal
  const signed = judgeDisposal({ id, tenant_id, proposed_by, decided_by, signatures }, trusted)
  if (!signed || !filesOfDisposal(signed.approval).some(file => fileFields.every(name => file[name] === removal[name])))
    return { isGenuine: false, statement: printed.check_disposal_unsigned({ id: removal.id }) }
  const { proposal, approval } = signed
  return {
    isGenuine: true,
    statement: printed.check_disposed({
      is_removed,
      on: momentInUtc(new Date(approval.signed_at)),
      proposed_by: nameOf(proposal),
      decided_by: nameOf(approval),
      number: approval.record.number,
    }),
  }
}

/**
 * Says who removed a file and why. Rows alone prove nothing, because whoever has the database login can write them: the seals of both
 * signatures over this file do, and the login does not have their key.
 */
export function judgeRemoval(removal: FileRemoval, trusted: ReadonlySet<string> | undefined): JudgedRemoval {
  if (removal.disposal_id !== null) return judgeByDisposal(removal, removal.disposal_id, trusted)
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
