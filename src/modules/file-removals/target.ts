import type { Actor, Services } from '#action'
import { invalidField, notFound } from '#kernel/errors.ts'
import { lockCase, requireReader } from '#modules/casework'
import { lockDocument } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'
import { findAttachment, findVersionKind, type StoredRemoval } from './queries.ts'
import type { RemovalRequest } from './schema.ts'

/** The file that is to be removed. */
export interface Target {
  of: { version_id: number } | { attachment_id: number }
  sha256: string
  file_size: number
  /** Of a version. */
  status_kind: string | null
}

/** The file that the actor names, if they may read its record. `lock`: locks the record until the transaction ends. */
export async function findTarget(
  { tx, actor, services }: { tx: Tx; actor: Actor; services: Services },
  { document_id, version, attachment_id }: RemovalRequest,
  { lock }: { lock: boolean },
): Promise<Target> {
  if ((document_id === undefined) === (attachment_id === undefined))
    throw invalidField(document_id === undefined ? 'document_id' : 'attachment_id', messages.file_removal_one_file())
  if (document_id !== undefined) {
    const { version_id, file_sha256, file_size } = await services.signing.findSignable(
      tx,
      actor,
      document_id,
      version,
      {
        lock,
      },
    )
    // After the 404 of a document that is not there.
    if (version === undefined) throw invalidField('version', messages.file_removal_version_required())
    const status_kind = await findVersionKind(tx, version_id)
    return { of: { version_id }, sha256: file_sha256, file_size, status_kind }
  }
  if (version !== undefined) throw invalidField('version', messages.file_removal_one_file())
  const attachment = await findAttachment(tx, attachment_id!)
  if (!attachment) throw notFound('Attachment')
  const { id, deviation_id, capa_id, sha256, file_size } = attachment
  const kind = deviation_id === null ? 'capa' : 'deviation'
  const recordId = (deviation_id ?? capa_id)!
  requireReader(actor, kind, recordId)
  if (lock) await lockCase(tx, kind, recordId)
  return { of: { attachment_id: id }, sha256, file_size, status_kind: null }
}

/** Locks the record before the request, as every command about the record does. */
export const lockRecordOf = (tx: Tx, { resource_type, resource_id }: StoredRemoval) =>
  resource_type === 'document' ? lockDocument(tx, resource_id) : lockCase(tx, resource_type, resource_id)
