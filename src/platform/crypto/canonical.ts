import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

/**
 * The canonical form of a JSON value (RFC 8785) for digests and seals, so that anybody can compute them again in any language. Throws on
 * values that JSON does not have: half characters, NaN, undefined.
 */
export function canonicalBytes(value: unknown): Buffer {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('there is no JSON for this value')
  return Buffer.from(text)
}

/** The SHA-256 of the canonical bytes, in hexadecimal. */
export const digest = (value: unknown): string => createHash('sha256').update(canonicalBytes(value)).digest('hex')
