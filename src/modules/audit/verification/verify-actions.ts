import { query } from '#action'
import { conflict } from '#kernel/errors.ts'
import { openGate } from '#platform/gate.ts'
import { heldKeys } from '../log/keys.ts'
import { messages } from '../messages.ts'
import { Verification, VerificationProgress, VerifyQuery } from './schema.ts'
import { verifyLog } from './verify.ts'

/** A verification reads every entry of a tenant. */
const turn = openGate({
  at_once: 2,
  waiting: 8,
})
const underWay = new Set<number>()

export const verify = query({
  summary: 'Verify the whole audit trail',
  description:
    'Rebuilds the log from its entries and compares everything that is stored with it: entries with their hashes, the hashes with every signed checkpoint, the checkpoints with the keys of the service, and sequence, epochs and redactions. `checkpoint` is the note of a checkpoint that you kept, which also reveals a truncated or forged log. `valid: false` is a regular answer.',
  permission: 'audit.read',
  input: { query: VerifyQuery },
  response: Verification,
  pieces: VerificationProgress,
  async prepare({ actor, read, services, signal, sendPiece }, { query }) {
    if (underWay.has(actor.tenantId)) throw conflict(messages.audit_verification_running())
    underWay.add(actor.tenantId)
    try {
      return await turn(() =>
        verifyLog({ read, signal, tell: sendPiece, kept: query.checkpoint, held: heldKeys(services) }),
      )
    } finally {
      underWay.delete(actor.tenantId)
    }
  },
  run: async ({ prepared }) => prepared,
})
