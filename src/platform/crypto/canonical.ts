import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'

/**
 * The one spelling of a JSON value (RFC 8785) that digests and seals are made of, so that anybody can make them again in
 * any language. Throws on what JSON cannot say: half characters, NaN, nothing at all.
 */
export function canonicalBytes(value: unknown): Buffer {
  const text = canonicalize(value)
  if (text === undefined) throw new TypeError('there is no JSON for this value')
  return Buffer.from(text)
}

/** The SHA-256 of the canonical bytes, in hexadecimal. */
export const digest = (value: unknown): string => createHash('sha256').update(canonicalBytes(value)).digest('hex')
