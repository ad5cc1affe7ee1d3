import { type Route, route } from '#http'
import { createSignature, details, list, type Signing } from './actions.ts'

export type { Signing } from './actions.ts'
export { readPayload, type Signable } from './rules.ts'
export { registerSigningKey, requireIntactFile, sign } from './sign.ts'
export { type SignedRow, verifySignature } from './verify.ts'

export const routes = (signing: Signing): Route[] => [
  route('POST', '/api/signatures/', createSignature(signing), { status: 201 }),
  route('GET', '/api/signatures/', list(signing)),
  route('GET', '/api/signatures/:id', details(signing)),
]
