import { query } from '#action'
import { conflict, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { openGate } from '#platform/gate.ts'
import { heldKeys } from '../log/keys.ts'
import { consistencyProof, describeCheckpoint, inclusionProofs } from '../log/proof.ts'
import { latestCheckpoint, readLog } from '../log/queries.ts'
import { messages } from '../messages.ts'
import { sealNow } from '../sealing/sealing.ts'
import { isWritten, readProvable } from './queries.ts'
import {
  CheckpointAnswer,
  CheckpointQuery,
  EntryProof,
  ProofQuery,
  Verification,
  VerificationProgress,
  VerifyQuery,
} from './schema.ts'
import { verifyLog } from './verify.ts'

const base64 = (hash: Buffer) => hash.toString('base64')

export const checkpoint = query({
  summary: 'Read a signed checkpoint of the audit trail',
  description:
    'The newest checkpoint, or that of `epoch` and `size`: the signed number of entries and their root hash (C2SP tlog-checkpoint). A kept checkpoint shows later changes: with its size as `old`, `consistency` proves that this one extends it (RFC 6962).',
  permission: 'audit.read',
  input: { query: CheckpointQuery },
  response: CheckpointAnswer,
  async run({ tx }, { query }) {
    const { old, ...which } = query
    const [found, { log_id }] = await Promise.all([latestCheckpoint(tx, which), readLog(tx)])
    if (!found) throw notFound('Checkpoint')
    const described = await describeCheckpoint(tx, log_id, found)
    if (old === undefined) return { ...described, consistency: null }
    if (old > found.size) throw conflict(messages.audit_checkpoint_not_older({ size: found.size, old }))
    const proof = await consistencyProof(tx, found.epoch, old, found.size)
    return { ...described, consistency: { old, proof: proof.map(base64) } }
  },
})

export const proof = query({
  summary: 'Prove that an audit entry is in the log',
  description:
    'The hashed leaf, the openings of its commitments, the inclusion proof (RFC 6962) and the signed checkpoint: the newest, or that of the `size`. The service reads these as they are stored and examines none of them: the reader computes the root from the leaf and the proof, and checks the signature with a key from elsewhere.',
  permission: 'audit.read',
  input: { params: IdParams, query: ProofQuery },
  response: EntryProof,
  async prepare({ actor, read, services }, { params }) {
    // A new entry has no place yet.
    const isWaiting = await read(async tx => (await isWritten(tx, params.id)) && !(await readProvable(tx, params.id)))
    if (isWaiting) await sealNow(services, actor.tenantId)
  },
  async run({ tx }, { params, query }) {
    const found = await readProvable(tx, params.id)
    if (!found) throw notFound('Audit entry')
    const { leaf_hash, ...entry } = found
    const [signed, { log_id }] = await Promise.all([
      latestCheckpoint(tx, { epoch: entry.epoch, ...query }),
      readLog(tx),
    ])
    if (!signed) throw notFound('Checkpoint')
    if (signed.size <= entry.index)
      throw conflict(messages.audit_checkpoint_before_entry({ size: signed.size, entry_number: entry.index + 1 }))
    const [hashes] = await inclusionProofs(tx, new Map([[entry.epoch, signed.size]]), [
      { epoch: entry.epoch, leaf_index: entry.index },
    ])
    return {
      ...entry,
      leaf_hash: base64(leaf_hash),
      proof: hashes!.map(base64),
      checkpoint: await describeCheckpoint(tx, log_id, signed),
    }
  },
})

/** A verification reads every entry of a tenant. */
const turn = openGate({
  at_once: 2,
  waiting: 8,
})
const underWay = new Set<number>()

export const verify = query({
  summary: 'Verify the whole audit trail',
  isCostly: true,
  description:
    'Rebuilds the log from its entries and compares everything that is stored with it: entries with their hashes, the hashes with every signed checkpoint, the checkpoints with the keys of the service, and sequence, epochs and redactions. Entries that have waited to be sealed for less than a minute, and redacted details, are not compared. `checkpoint` is the note of a checkpoint that you kept, which also reveals a truncated or forged log. `valid: false` is a regular answer.',
  permission: 'audit.read',
  input: { query: VerifyQuery },
  response: Verification,
  pieces: VerificationProgress,
  async prepare({ actor, read, services, signal, sendPiece }, { query }) {
    if (underWay.has(actor.tenantId)) throw conflict(messages.audit_verification_running())
    underWay.add(actor.tenantId)
    try {
      return await turn(actor.tenantId, () =>
        verifyLog({ read, signal, tell: sendPiece, kept: query.checkpoint, held: heldKeys(services) }),
      )
    } finally {
      underWay.delete(actor.tenantId)
    }
  },
  run: async ({ prepared }) => prepared,
})
