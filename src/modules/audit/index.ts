import { type Route, route } from '#http'
import { exportEntries } from './export/actions.ts'
import { actions, details, list } from './trail/actions.ts'
import { checkpoint, proof, verify } from './verification/actions.ts'

export { AnchorsUnreadable, knownOutside } from './anchors/anchor.ts'
export { type AnchoringState, anchoringState, keepCheckpoints, mailCheckpointsDaily } from './anchors/anchoring.ts'
export { type Comparison, compareNotes, compareStores, newestKnown } from './anchors/check.ts'
export { mailCheckpoints } from './anchors/mail.ts'
export { type WholeTrail, wholeTrail } from './export/whole.ts'
export { auditKeys, type PublicHalf, recordKeyRotation, registerAuditKey, verifierKeysOf } from './log/keys.ts'
export { epochOf, isSignedText } from './log/note.ts'
export { insertAuditKey, listOwnAuditKeys, startEpoch } from './log/queries.ts'
export { auditPlaces } from './places/projection.ts'
export { openSealer, type Sealer, type SealingState } from './sealing/sealer.ts'
export { sealedAs, sealNow, tenantsToSeal } from './sealing/sealing.ts'
export { countEntries as countAuditEntries } from './trail/list.ts'
export { listEntriesOf, matches as matchesAuditFilter, type RecordEntry, type RecordScope } from './trail/queries.ts'
export { CannotRedact, redact } from './trail/redaction.ts'
export { asOf, type Moment, momentOf, Reconstruction, Replayed, replay, requireBeginning } from './trail/replay.ts'
export { listRecordedEvents, peopleNamed, type RecordedEvent } from './trail/replay-queries.ts'
export { type Changes, changesBetween } from './trail/rules.ts'
export { type RedactablePart, ReviewNarrowing, redactableParts } from './trail/schema.ts'
export { auditSink } from './trail/sink.ts'
export { readTrust } from './verification/trust.ts'
export { verifyLog } from './verification/verify.ts'

export const routes: Route[] = [
  route('GET', '/api/audit/', list),
  route('GET', '/api/audit/actions', actions),
  route('GET', '/api/audit/checkpoint', checkpoint),
  route('GET', '/api/audit/verify', verify),
  route('GET', '/api/audit/export', exportEntries),
  route('GET', '/api/audit/:id', details),
  route('GET', '/api/audit/:id/proof', proof),
]
