import { query } from '#action'
import { conflict } from '#kernel/errors.ts'
import { openGate } from '#platform/gate.ts'
import { heldKeys } from './keys.ts'
import { Verification, VerificationProgress, VerifyQuery } from './proof-schema.ts'
import { verifyLog } from './verify.ts'

/** Each reads every entry of a tenant. */
const turn = openGate({
  at_once: 2,
  waiting: 8,
})
const under_way = new Set<number>()

export const verify = query({
  summary: 'Verify the whole audit trail',
  description:
    'Makes the log again from its entries and holds everything that is stored against that: entries against what was hashed of them, the hashes against every signed checkpoint, the checkpoints against the keys of the service, sequence, epochs and redactions. `checkpoint` is the note of a checkpoint that you kept: with it a log that was cut off, or made anew, is found too. `valid: false` is an answer like another.',
  permission: 'audit.read',
  input: { query: VerifyQuery },
  response: Verification,
  pieces: VerificationProgress,
  async prepare({ actor, read, services, signal, sendPiece }, { query }) {
    if (under_way.has(actor.tenantId))
      throw conflict('This audit trail is being verified already: wait until that is done')
    under_way.add(actor.tenantId)
    try {
      return await turn(() =>
        verifyLog({ read, signal, tell: sendPiece, kept: query.checkpoint, held: heldKeys(services) }),
      )
    } finally {
      under_way.delete(actor.tenantId)
    }
  },
  run: async ({ prepared }) => prepared,
})
