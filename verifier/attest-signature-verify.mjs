#!/usr/bin/env node
// @ts-check
// Checks electronic signatures of Attest against a public key: their seals, and what proved the identity of their signers. One file, no
// dependencies, no code of the service, no network.
//
//   node attest-signature-verify.mjs SIGNATURES.json --key KEY [--key KEY]
//
// SIGNATURES.json is the one of a dossier, or an answer of GET /api/signatures/{id}; KEY is the public key of the seals, in base64.
// Ends with 0 where all of it is valid, 1 where something is not, 2 where it could not be checked.
import { constants, createHash, createPublicKey, verify } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { isDeepStrictEqual, parseArgs } from 'node:util'

const maxBytes = 200_000_000

/** The input cannot be checked, so it is neither valid nor invalid. */
class Unable extends Error {}
/** The input is invalid. */
class Invalid extends Error {}

/**
 * @typedef {{ status: 'ok' | 'failed' | 'unable', text: string }} Line
 * @typedef {{ exit: 0 | 1 | 2, lines: Line[] }} Result
 * @typedef {Record<string, any>} Json
 */

/** @param {string | Uint8Array} bytes */
const sha256 = bytes => createHash('sha256').update(bytes).digest()
/** @param {string | Uint8Array} bytes */
const hex = bytes => sha256(bytes).toString('hex')

/** RFC 8785: names in the order of their UTF-16 code units, numbers as JavaScript writes them. @param {unknown} value @returns {string} */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  const parts = Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, each]) => `${JSON.stringify(name)}:${canonical(each)}`)
  return `{${parts.join(',')}}`
}
/** @param {unknown} value */
const digest = value => hex(canonical(value))

/** @param {string} base64 DER, or the 32 bytes of the key alone */
function readKey(base64) {
  const bytes = Buffer.from(base64, 'base64')
  try {
    return bytes.length === 32
      ? createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' })
      : createPublicKey({ key: bytes, format: 'der', type: 'spki' })
  } catch {
    throw new Unable(`This is no public key of Ed25519: ${base64.slice(0, 100)}`)
  }
}

/** The records that a signed act creates, and the fields of the content that it fills in: a challenge may leave them open. */
const created = ['audit_review', 'access_review', 'file_removal']
/** @type {Record<string, string[]>} */
const filledIn = {
  training: ['started_at', 'completed_at', 'attempts', 'score', 'valid_until', 'attempt'],
  effectiveness: ['completed_at'],
  audit_review: ['epoch', 'size', 'checkpoint'],
  file_removal: ['requested_at'],
}

/** What the payload binds, in the form of the challenge. @param {Json} payload @param {Json} open */
function signedBy(payload, { id, without }) {
  const said = {
    meaning: payload.signature_type,
    intent: payload.intent,
    on_behalf_of: payload.on_behalf_of?.id ?? null,
  }
  if (payload.v === '4') {
    const { record, files } = payload
    const content = Object.fromEntries(Object.entries(payload.content).filter(([name]) => !without.includes(name)))
    return {
      record: {
        type: record.type,
        id: id === null ? null : record.id,
        number: id === null ? null : record.number,
        version: null,
        content_revision: record.content_revision,
        content_sha256: digest({ status: record.status, content, files }),
        without,
      },
      ...said,
    }
  }
  const { document, version, file, metadata_sha256 } = payload
  return {
    record: {
      type: 'document',
      id: document.id,
      number: document.number,
      version: version.label,
      content_revision: version.content_revision,
      content_sha256: digest({ version, file, metadata_sha256 }),
      without: [],
    },
    ...said,
  }
}

/** @param {Json} payload @param {Json | null} signs */
function isNamedBy(payload, signs) {
  if (!signs) return false
  const { type, id, number, without } = signs.record
  const mayBeOpen =
    (id === null) === (number === null) &&
    (id !== null || created.includes(type)) &&
    without.every((/** @type {string} */ name) => (filledIn[payload.occasion.kind] ?? []).includes(name))
  return mayBeOpen && isDeepStrictEqual(signs, signedBy(payload, signs.record))
}

/** @param {Json} evidence @param {Json} key @param {string} challenge */
function checkPasskey({ rp_id, origin, authenticator_data, client_data, signature }, key, challenge) {
  const data = Buffer.from(authenticator_data, 'base64url')
  const client = Buffer.from(client_data, 'base64url')
  const said = JSON.parse(client.toString('utf8'))
  if (said.type !== 'webauthn.get') throw new Invalid('the passkey answered something else')
  if (said.challenge !== sha256(challenge).toString('base64url'))
    throw new Invalid('the passkey answered another challenge')
  if (said.origin !== origin || new URL(origin).hostname !== rp_id || !data.subarray(0, 32).equals(sha256(rp_id)))
    throw new Invalid('the passkey answered another service')
  if (data.length < 37 || (Number(data[32]) & 0b101) !== 0b101)
    throw new Invalid('the device did not verify its holder')
  /** @type {Record<string, string | null>} */
  const algorithms = { ES256: 'sha256', RS256: 'sha256', EdDSA: null }
  const algorithm = algorithms[key.alg]
  if (algorithm === undefined) throw new Unable(`the algorithm ${key.alg} is not known`)
  const signed = Buffer.concat([data, sha256(client)])
  if (!verify(algorithm, signed, createPublicKey({ key, format: 'jwk' }), Buffer.from(signature, 'base64url')))
    throw new Invalid('the signature of the passkey does not verify')
}

/** A challenge is proved within ten minutes, and clocks of one provider differ by a second. */
const oldestLogIn = 601

/** @param {string} token @param {Json} key */
function isTokenSigned(token, { alg, kid: _kid, ...jwk }) {
  const place = token.lastIndexOf('.')
  const signed = Buffer.from(token.slice(0, place))
  const signature = Buffer.from(token.slice(place + 1), 'base64url')
  const key = createPublicKey({ key: jwk, format: 'jwk' })
  const type = key.asymmetricKeyType
  if (alg === 'RS256' && type === 'rsa') return verify('sha256', signed, key, signature)
  if (alg === 'PS256' && type === 'rsa')
    return verify('sha256', signed, { key, padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }, signature)
  if (alg === 'ES256' && jwk.crv === 'P-256')
    return verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, signature)
  if ((alg === 'EdDSA' || alg === 'Ed25519') && type === 'ed25519') return verify(null, signed, key, signature)
  throw new Invalid(`the ID token is not signed by a known algorithm`)
}

/** @param {Json} evidence @param {Json} key @param {string} challenge */
function checkIdToken({ id_token, issuer, client_id }, key, challenge) {
  const parts = id_token.split('.')
  const [header, claims] = parts
    .slice(0, 2)
    .map((/** @type {string} */ part) => JSON.parse(Buffer.from(part, 'base64url').toString('utf8')))
  if (parts.length !== 3 || header.alg !== key.alg || !isTokenSigned(id_token, key))
    throw new Invalid('the signature of the ID token does not verify')
  if (claims.iss !== issuer || ![claims.aud].flat().includes(client_id))
    throw new Invalid('the ID token is of another provider or client')
  if (claims.nonce !== sha256(challenge).toString('base64url'))
    throw new Invalid('the ID token names another challenge')
  const { auth_time, iat } = claims
  if (!Number.isSafeInteger(auth_time) || !Number.isSafeInteger(iat) || iat - auth_time > oldestLogIn)
    throw new Invalid('the signer did not log in for this')
}

/** @param {Json} row @param {Json} payload @returns {string} */
function checkEvidence({ evidence }, payload) {
  if (payload.v !== '3' && payload.v !== '4') return 'nothing more is kept of the proof of identity'
  const named = payload.auth.evidence
  if (!evidence) throw new Invalid('what proved the identity of the signer is missing')
  const { kind, challenge, evidence: answer, key } = evidence
  if (digest({ kind, challenge, evidence: answer, key }) !== named.sha256)
    throw new Invalid('what proved the identity of the signer is not what was kept')
  if (hex(challenge) !== named.challenge_sha256) throw new Invalid('the challenge is another one')
  const { tenant, signer, acts } = JSON.parse(challenge)
  if (tenant !== payload.tenant || signer !== payload.signer.id)
    throw new Invalid('the challenge was given to another person')
  if (!acts.some((/** @type {Json} */ { signs }) => isNamedBy(payload, signs)))
    throw new Invalid('the challenge does not name this content')
  if (kind === 'id_token') {
    const kept = JSON.parse(answer)
    checkIdToken(kept, key, challenge)
    return `the signer confirmed this content by a log-in at ${kept.issuer}`
  }
  if (kind !== 'passkey') throw new Unable(`evidence of the kind ${kind} is not known`)
  checkPasskey(JSON.parse(answer), key, challenge)
  return 'the signer confirmed this content with a passkey'
}

/** @param {Json} row @param {Set<string>} trusted the keys in DER, as base64 */
function checkSignature(row, trusted) {
  const { payload: text, digest: stated, seal, key_id, public_key } = row
  const key = readKey(String(public_key))
  const der = key.export({ format: 'der', type: 'spki' }).toString('base64')
  if (!trusted.has(der)) throw new Invalid(`the key ${key_id} of its seal is none of those that were given`)
  if (hex(text) !== stated) throw new Invalid('the signed content or its digest was altered')
  if (!verify(null, Buffer.from(text), key, Buffer.from(seal, 'base64')))
    throw new Invalid('the seal is not over the signed content')
  const payload = JSON.parse(text)
  if (!['1', '2', '3', '4'].includes(payload.v)) throw new Unable(`the format ${payload.v} is not known`)
  const { signer, signature_type, signed_at } = payload
  const who = `${signer.full_name ?? signer.username} (${signer.username}), ${signature_type}, ${signed_at}`
  return `${who}: sealed; ${checkEvidence(row, payload)}`
}

/**
 * @param {string} text the JSON of one signature, or of a list of them
 * @param {{ keys: string[] }} options
 * @returns {Result}
 */
export function verifySignatures(text, { keys }) {
  /** @type {Line[]} */
  const lines = []
  try {
    if (keys.length === 0) throw new Unable('No key was given: --key')
    const trusted = new Set(keys.map(each => readKey(each).export({ format: 'der', type: 'spki' }).toString('base64')))
    /** @type {Json[]} */
    const rows = [JSON.parse(text)].flat()
    if (rows.some(row => row === null || typeof row !== 'object')) throw new Unable('This is no list of signatures')
    if (rows.length === 0) lines.push({ status: 'ok', text: '0 signatures: there is nothing to check in them' })
    for (const row of rows)
      try {
        lines.push({ status: 'ok', text: `signature ${row.id}: ${checkSignature(row, trusted)}` })
      } catch (error) {
        const status = error instanceof Invalid ? 'failed' : error instanceof Unable ? 'unable' : 'failed'
        const why = error instanceof Invalid || error instanceof Unable ? error.message : 'it cannot be read'
        lines.push({ status, text: `signature ${row.id}: ${why}` })
      }
  } catch (error) {
    lines.push({ status: 'unable', text: `It could not be checked: ${/** @type {Error} */ (error).message}` })
  }
  const has = (/** @type {Line['status']} */ status) => lines.some(each => each.status === status)
  return { exit: has('failed') ? 1 : has('unable') ? 2 : 0, lines }
}

const usage = 'node attest-signature-verify.mjs SIGNATURES.json --key KEY [--key KEY]'
const words = { ok: 'ok    ', failed: 'FAILED', unable: '??    ' }

/** @param {string[]} args */
async function main(args) {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { key: { type: 'string', multiple: true } },
    })
    const [path, ...more] = positionals
    if (!path || more.length > 0) throw new Unable('One file is checked at a time')
    const bytes = await readFile(path)
    if (bytes.length > maxBytes) throw new Unable('This file is larger than the signatures of a record are')
    const { exit, lines } = verifySignatures(bytes.toString('utf8'), { keys: values.key ?? [] })
    // Text from a hostile file must not move the cursor.
    for (const { status, text } of lines)
      console.log(`${words[status]}  ${text.replace(/[^\x20-\x7e\u00a1-\uffff]/g, '?')}`)
    console.log(['VALID', 'NOT VALID', 'COULD NOT BE CHECKED'][exit])
    return exit
  } catch (error) {
    console.error(`${/** @type {Error} */ (error).message}\n${usage}`)
    return 2
  }
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url))
  void main(process.argv.slice(2)).then(exit => {
    process.exitCode = exit
  })
