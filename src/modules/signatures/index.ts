import { type Route, route } from '#http'
import { createSignature, details, list } from './actions.ts'
import { voidSignature } from './void.ts'

export type { SignedRow } from './checks.ts'
export {
  insertSigningKey,
  listEarlierSigningKeys,
  listImportedKeys,
  listKeyLinks,
  listSigningKeys,
} from './key-queries.ts'
export {
  confirmEarlierKey,
  readTrustedKeys,
  readTrustedOfInstallation,
  registerNextKey,
  registerSigningKey,
} from './keys.ts'
export { howToVerify, manifestation, manifestationOf } from './manifestation.ts'
export { readSignaturesOf, type SignatureOfRecord } from './of-records.ts'
export { metadataDigest } from './payload.ts'
export {
  countAllSignatures,
  entryOfSignature,
  evidenceOfSignature,
  givenSignature,
  listRecords,
  listSignaturesAfter,
  type SignatureRecord,
  withCode,
} from './queries.ts'
export {
  findDisposalSeals,
  findRemovalOf,
  listRemovalsAfter,
  removalsOfAttachments,
  removalsOfVersions,
} from './removals/queries.ts'
export { type FileRemoval, type JudgedRemoval, judgeDisposal, judgeRemoval } from './removals/rules.ts'
export { type RecordSubject, type RecordType, type Signable, verificationCode } from './rules.ts'
export { GivenSignature } from './schema.ts'
export { proveToSign, type RecordProof, requireIntactFile, sign, signRecord } from './sign.ts'
export type { RecordReader, Signing } from './signing.ts'
export { type Now, readNow, readRecordNow, readVersionNow, verifySignature } from './verify.ts'
export { verifyAll } from './verify-all.ts'
export { voidDecided } from './void.ts'

export const routes: Route[] = [
  route('POST', '/api/signatures/', createSignature, { status: 201 }),
  route('GET', '/api/signatures/', list),
  route('GET', '/api/signatures/:id', details),
  route('POST', '/api/signatures/:id/void', voidSignature),
]
