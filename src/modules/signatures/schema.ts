import { type Static, Type } from 'typebox'
import { Allowed } from '#action/allowed.ts'
import { signatureOccasions, signatureTypes, signedResources } from '#kernel/catalogue.ts'
import { PageParams } from '#kernel/paging.ts'
import { Body, Id, Nullable, OneOf, Person, ProofFields, Ref, saidIn, Text, Timestamp, Words } from '#kernel/schema.ts'
import { freeTypes } from './rules.ts'

export const SignatureType = OneOf(...signatureTypes)

export const SignedResource = OneOf(...signedResources)

const FreeType = Type.Enum([...freeTypes], {
  description:
    'The meaning of the signature. It never moves a workflow: a decision is signed when it is made. Training, effectiveness, closure, obsolescence and withdrawal are signed with the act itself, and not here',
})

export const Occasion = Type.Object(
  { kind: OneOf(...signatureOccasions), ref: Type.String() },
  {
    description:
      'The act that the signature belongs to. `free`: none, and no workflow counts it. `ref` distinguishes occasions of one kind: the approved transition (after an approval that was taken back, followed by the id of its signature, as in `review/17`), the periodic review. `approval_withdrawal`: the taking back of an approval; `ref` is the id of its signature. `closure`, `effectiveness`, `training` and `training_verification`: the closing of a deviation or a CAPA, the completion of an effectiveness review or of a training, and its verification by a trainer. `audit_review`, `access_review`: a review of the audit trail, or of the accounts and their access. `configuration`: the approval of a change of the configuration',
  },
)

export const SignatureVoid = Type.Object({
  cause: OneOf('declared', 'round_ended', 'approval_withdrawn'),
  reason: Type.String(),
  voided_at: Timestamp,
  voided_by: Nullable(Person),
})
export type SignatureVoid = Static<typeof SignatureVoid>

const Method = OneOf('password', 'password_otp', 'session', 'passkey', 'provider')

export const Signature = Type.Object({
  id: Id,
  resource_type: SignedResource,
  resource_id: Id,
  resource_number: Type.String(),
  document_id: Nullable(Id),
  document_number: Nullable(Type.String()),
  document_version: Nullable(Type.String()),
  signature_type: SignatureType,
  intent: Type.String(),
  occasion: Occasion,
  signer: Type.Object(
    { id: Id, username: Type.String(), full_name: Nullable(Type.String()), role: Type.String() },
    { description: 'As they were at the moment of signing' },
  ),
  on_behalf_of: Nullable(
    Type.Object(
      { id: Id, name: Type.String() },
      { description: 'The person for whom the signer signed as their deputy' },
    ),
  ),
  signed_at: Timestamp,
  time_zone: Type.String({ description: "The tenant's, at the moment of signing" }),
  method: Method,
  digest: Type.String({ description: 'SHA-256 of the canonical JSON (RFC 8785) of the signed content' }),
  verification_code: Type.String({ description: 'The first 16 digits of the digest, as they are printed on copies' }),
  void: Nullable(SignatureVoid),
  key_id: Type.String(),
})
export type Signature = Static<typeof Signature>

export const checkNames = [
  'completeness',
  'signature_integrity',
  'record_association',
  'record_integrity',
  'content_integrity',
  'signer_identity',
  'chain',
  'manifestation',
  'audit_entry',
  'evidence',
] as const
export type CheckName = (typeof checkNames)[number]

/** SIG-02: each hash is computed again from the stored file and the record as they are now. */
export const Verification = Type.Object({
  valid: Type.Boolean({
    description:
      'The signature is not void, and everything that the verification compared is unaltered. With the status `content_removed`, two people removed a signed file, so the verification could not compare that file',
  }),
  verified_at: Timestamp,
  status: OneOf('valid', 'superseded', 'void', 'content_removed', 'content_mismatch', 'seal_invalid'),
  algorithm: OneOf('Ed25519'),
  key_id: Type.String(),
  checks: Type.Array(
    Type.Object(
      {
        name: OneOf(...checkNames),
        passed: Type.Boolean(),
        detail: Type.String(),
        code: Type.String(),
        params: Type.Record(Type.String(), Type.Unknown()),
        was_removed: Type.Optional(
          Type.Boolean({
            description: 'Two people removed signed content, so it was not compared: `detail` says who and why',
          }),
        ),
      },
      saidIn({ text: 'detail' }),
    ),
  ),
})
export type Verification = Static<typeof Verification>

export const SignatureDetails = Type.Object({
  ...Signature.properties,
  record: Nullable(
    Type.Object(
      {
        file_sha256: Nullable(
          Type.String({ description: 'This and the next two are set for a version of a document' }),
        ),
        file_size: Nullable(Type.Integer()),
        metadata_sha256: Nullable(Type.String()),
        content_sha256: Nullable(
          Type.String({
            description:
              'SHA-256 of the canonical JSON of the content of any other record; the payload has the content itself',
          }),
        ),
        files: Type.Array(Type.Object({ name: Type.String(), sha256: Type.String(), size: Type.Integer() }), {
          description: 'The files that were attached to any other record',
        }),
        status: Type.String({ description: 'The status in which it was signed' }),
      },
      { description: 'The signed content by its payload; null if the payload was overwritten' },
    ),
  ),
  payload: Type.String({ description: 'The signed content, byte for byte' }),
  evidence: Nullable(
    Type.Object(
      {
        kind: Type.String(),
        challenge: Type.String(),
        evidence: Type.String(),
        key: Type.Record(Type.String(), Type.Unknown()),
        sha256: Type.String(),
      },
      {
        description:
          'What proved the identity of the signer for this content; null where nothing is kept, as of a password',
      },
    ),
  ),
  seal: Type.String({ description: 'Ed25519 signature of the installation over the payload, in base64' }),
  public_key: Type.String(),
  verification: Verification,
  you: Allowed,
})
export type SignatureDetails = Static<typeof SignatureDetails>

/** SIG-01. */
export const SignatureCreate = Body({
  document_id: Ref('document'),
  signature_type: FreeType,
  intent: Words(2000),
  version: Type.Optional(Type.String({ pattern: '^[1-9]\\d{0,5}\\.\\d{1,6}$', examples: ['1.0'] })),
  ...ProofFields,
})

export const SignatureVoiding = Body({ reason: Words(2000), ...ProofFields })

export const SignatureFilter = Type.Object(
  {
    ...PageParams,
    resource_type: Type.Optional(SignedResource),
    resource_id: Type.Optional(Id),
    document_id: Type.Optional(Id),
    signer_id: Type.Optional(Id),
    signature_type: Type.Optional(SignatureType),
    is_void: Type.Optional(Type.Boolean()),
    verification_code: Type.Optional(
      Type.String({
        pattern: '^[0-9a-fA-F]{4}(-?[0-9a-fA-F]{4}){3}$',
        examples: ['1A2B-3C4D-5E6F-7A8B'],
        description: 'As it is printed on a copy',
      }),
    ),
    q: Type.Optional(Text({ maxLength: 200, minLength: 1 })),
  },
  { additionalProperties: false },
)
export type SignatureFilter = Static<typeof SignatureFilter>

/** How a record shows the signature that completed it. */
export const GivenSignature = Type.Object({
  id: Id,
  signer: Type.Object({ username: Type.String(), full_name: Nullable(Type.String()), role: Type.String() }),
  meaning: Type.String(),
  intent: Type.String(),
  signed_at: Timestamp,
  verification_code: Type.String(),
})
export type GivenSignature = Static<typeof GivenSignature>
