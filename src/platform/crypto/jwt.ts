import { hash, type KeyObject } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { unauthorized } from '#kernel/errors.ts'
import { messages } from './messages.ts'

/** The claims of an access token. It holds nothing that can change while it is valid, such as a role. */
export interface TokenClaims {
  /** The user's id in digits, because a subject is a text (RFC 7519). */
  sub: string
  /** The tenant's id; absent for platform users. */
  tid?: number
  /** The time of the log-in or re-authentication, in seconds since 1970. A signature asks for a recent one. */
  auth_time: number
  /** The methods of authentication (RFC 8176): `pwd`, `otp`. */
  amr: string[]
  /** The user's session version. A token with an earlier one is no longer valid. */
  ver: number
  /** The id of the session, by which the service can end it. Tokens of earlier releases have none. */
  sid?: number
}

interface ReadClaims extends TokenClaims {
  iat: number
  exp: number
}

const issuer = 'attest'
const audience = 'attest-api'
const max_bytes = 4_096
/** The longest lifetime of a token. One that claims a longer one was not made by `issueToken`. */
const maxLifetimeSeconds = 31 * 24 * 60 * 60
/** The most that the clocks of two machines of one installation may differ. Expiry is exact. */
const clockToleranceSeconds = 5
const maxTokens = 10_000

const secondsOf = (moment: Date) => Math.floor(moment.getTime() / 1000)

export function issueToken(
  key: KeyObject,
  claims: TokenClaims,
  { lifetime_seconds, now }: { lifetime_seconds: number; now: Date },
): Promise<string> {
  if (!(lifetime_seconds > 0 && lifetime_seconds <= maxLifetimeSeconds))
    throw new RangeError(`a token cannot live for ${lifetime_seconds} seconds`)
  const { sub, tid, auth_time, amr, ver, sid } = claims
  const iat = secondsOf(now)
  return new SignJWT({
    sub,
    ...(tid !== undefined && { tid }),
    auth_time,
    amr,
    ver,
    ...(sid !== undefined && { sid }),
    iat,
    exp: iat + lifetime_seconds,
    iss: issuer,
    aud: audience,
  })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .sign(key)
}

/**
 * AUTH-04: the claims of a token, or a 401. It accepts only what `issueToken` could have made, byte for byte: one algorithm, a header of
 * two fields, one spelling of the signature, whole seconds.
 */
export async function readToken(key: KeyObject, token: string, now: Date): Promise<ReadClaims> {
  const refused = () => unauthorized(messages.invalid_token(), 'error="invalid_token"')
  if (token.length > max_bytes || !hasOneSpelling(token)) throw refused()
  const { payload, protectedHeader } = await jwtVerify(token, key, {
    algorithms: ['HS256'],
    typ: 'JWT',
    issuer,
    audience,
    requiredClaims: ['sub', 'auth_time', 'amr', 'ver', 'iat', 'exp'],
    maxTokenAge: maxLifetimeSeconds,
    clockTolerance: clockToleranceSeconds,
    currentDate: now,
  }).catch(error => {
    throw error instanceof errors.JOSEError ? refused() : error
  })
  if (!Object.keys(protectedHeader).every(field => field === 'alg' || field === 'typ') || !isClaims(payload))
    throw refused()
  if (payload.exp <= secondsOf(now) || payload.exp - payload.iat > maxLifetimeSeconds) throw refused()
  const { sub, tid, auth_time, amr, ver, sid, iat, exp } = payload
  return {
    ...{ sub, auth_time, amr, ver, iat, exp },
    ...(tid !== undefined && { tid }),
    ...(sid !== undefined && { sid }),
  }
}

/**
 * `readToken` with a cache by the token's hash, because verifying a signature takes longer than everything else before the database.
 * Expiry is checked each time.
 */
export function tokenReader(key: KeyObject) {
  const known = new Map<string, ReadClaims>()
  return async (token: string, now: Date): Promise<ReadClaims> => {
    // A longer token is never in the cache, so it need not be hashed.
    const name = token.length <= max_bytes ? hash('sha256', token, 'base64url') : ''
    const found = known.get(name)
    if (found && isGoodAt(found, secondsOf(now))) return found
    const claims = await readToken(key, token, now)
    if (known.size >= maxTokens) known.clear()
    known.set(name, claims)
    return claims
  }
}

const isGoodAt = ({ iat, exp }: ReadClaims, now: number) => exp > now && iat <= now + clockToleranceSeconds

/** Node reads padded base64, and base64 with other last bits, as the same bytes. A signature must have one spelling only. */
function hasOneSpelling(token: string): boolean {
  const signature = /^[\w-]+\.[\w-]+\.([\w-]+)$/.exec(token)?.[1]
  return signature !== undefined && Buffer.from(signature, 'base64url').toString('base64url') === signature
}

function isClaims(payload: Record<string, unknown>): payload is Record<string, unknown> & ReadClaims {
  const { sub, tid, auth_time, amr, ver, sid, iat, exp } = payload
  return (
    typeof sub === 'string' &&
    /^[1-9]\d{0,15}$/.test(sub) &&
    (tid === undefined || (isWhole(tid) && tid > 0)) &&
    (sid === undefined || (isWhole(sid) && sid > 0)) &&
    Array.isArray(amr) &&
    amr.every(each => typeof each === 'string') &&
    [auth_time, ver, iat, exp].every(isWhole)
  )
}
const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0
