import { type Static, Type } from 'typebox'
import { Body, Id, Nullable, Text, Timestamp } from '#kernel/schema.ts'

const Size = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER })
const Epoch = Type.Integer({ minimum: 1, maximum: 2_147_483_647 })
const Hashes = Type.Array(Type.String(), { description: 'In base64, from below' })

export const CheckpointQuery = Body({
  epoch: Type.Optional(Epoch),
  size: Type.Optional(Size),
  old: Type.Optional(
    Type.Integer({ ...Size, description: 'The size of an older checkpoint, which this one should extend' }),
  ),
})

export const Checkpoint = Type.Object({
  origin: Type.String(),
  epoch: Type.Integer(),
  size: Type.Integer({ description: 'How many entries its tree has' }),
  seq: Type.Integer({ description: 'The last entry in it' }),
  root: Type.String({ description: 'In base64' }),
  note: Type.String({ description: 'The signed text: keep this' }),
  vkeys: Type.Array(Type.String(), { description: 'The keys that signed it' }),
  created_at: Timestamp,
})
export type Checkpoint = Static<typeof Checkpoint>

export const CheckpointAnswer = Type.Object({
  ...Checkpoint.properties,
  consistency: Nullable(Type.Object({ old: Type.Integer(), proof: Hashes })),
})

const Opening = Nullable(Type.Object({ salt: Type.String(), opening: Type.String() }))

export const ProofQuery = Body({ size: Type.Optional(Size) })
export const EntryProof = Type.Object({
  entry_id: Id,
  seq: Type.Integer(),
  epoch: Type.Integer(),
  index: Type.Integer(),
  leaf: Type.String({ description: 'The hashed bytes' }),
  leaf_hash: Type.String({ description: 'In base64' }),
  person: Opening,
  detail: Opening,
  proof: Hashes,
  checkpoint: Checkpoint,
})

export const VerifyQuery = Body({
  checkpoint: Type.Optional(Text({ minLength: 1, maxLength: 4000 })),
})

export const checks = [
  'entry',
  'leaf',
  'order',
  'root',
  'signature',
  'key',
  'tile',
  'state',
  'epoch',
  'redaction',
  'unsealed',
  'list',
  'kept_checkpoint',
] as const

const finding = { seq: Nullable(Type.Integer()), entry_id: Nullable(Id), sentence: Type.String() }

export const Verification = Type.Object({
  valid: Type.Boolean(),
  checked: Type.Object({
    entries: Type.Integer(),
    checkpoints: Type.Integer(),
    tiles: Type.Integer(),
    epochs: Type.Integer(),
    redacted: Type.Integer({ description: 'Entries without the parts that were redacted, which cannot be compared' }),
  }),
  unchecked: Type.Object({
    waiting: Type.Integer({ description: 'Entries that have no place in the log yet: the next verification has them' }),
  }),
  failures: Type.Array(Type.Object({ check: Type.Enum([...checks]), ...finding }), {
    description: 'The first 100 of them',
  }),
  warnings: Type.Array(Type.Object({ check: Type.Enum(['time']), ...finding }), {
    description: 'Time that runs backwards: nothing was altered, but somebody should explain it. The first 100 of them',
  }),
  checkpoint: Nullable(Type.String({ description: 'The newest, as it was signed' })),
  duration_ms: Type.Integer(),
})
export type Verification = Static<typeof Verification>
export const VerificationProgress = Type.Object({ entries: Type.Integer(), of: Type.Integer() })
