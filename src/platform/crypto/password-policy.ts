import type { Message } from '#kernel/message.ts'
import { messages } from './messages.ts'
import { password_max_bytes, verifyPassword } from './password.ts'

export interface PasswordContext {
  username: string
  email: string
  full_name?: string | null
  /** In characters. */
  min_length?: number
  /** Newest first; the first five count. */
  previousHashes?: readonly string[]
  /** The network of a caller without a session. */
  address?: string
}

const historyLength = 5
/** A shorter name is part of ordinary words (`ann` in `planning`), so it counts only as a word of its own. */
const nameMinLength = 4

/** Every reason why the password is refused; none if it is good (21 CFR 11.300, NIST SP 800-63B). */
export async function checkNewPassword(password: string, context: PasswordContext): Promise<Message[]> {
  const { min_length = 12, previousHashes = [], address } = context
  const composed = password.normalize('NFC')
  const reasons: Message[] = []
  if (Array.from(composed).length < min_length) reasons.push(messages.password_too_short({ minimum: min_length }))
  if (Buffer.byteLength(composed) > password_max_bytes)
    return [messages.password_too_long({ maximum_bytes: password_max_bytes })]
  const lower = composed.toLowerCase()
  if (await isCommon(lower)) reasons.push(messages.password_too_common())
  if (namesOf(context).some(name => contains(lower, name))) reasons.push(messages.password_contains_name())
  // Each comparison costs a hash, which is saved for a password that is refused anyway.
  if (reasons.length > 0) return reasons
  for (const phc of previousHashes.slice(0, historyLength)) {
    if (await verifyPassword(phc, password, address)) return [messages.password_used_before({ count: historyLength })]
  }
  return reasons
}

function namesOf({ username, email, full_name }: PasswordContext): string[] {
  const names = [username, email.split('@')[0] ?? '', ...(full_name ?? '').split(/[^\p{L}\p{N}]+/u)]
  return names.map(name => name.normalize('NFC').toLowerCase()).filter(name => name.length > 1)
}

function contains(password: string, name: string): boolean {
  if (name.length >= nameMinLength) return password.includes(name)
  return password.split(/[^\p{L}]+/u).includes(name)
}

/** In lower case: on the list as it is, without digits and signs at its end, or one short word repeated. */
async function isCommon(password: string): Promise<boolean> {
  const common = await commonPasswords()
  const word = password.replace(/[^\p{L}]+$/u, '')
  const repeated = /^(.+?)\1+$/u.exec(password)?.[1]
  return (
    common.has(password) ||
    common.has(word) ||
    (repeated !== undefined && (repeated.length < nameMinLength || common.has(repeated)))
  )
}

let loaded: Promise<Set<string>> | undefined

/** The 49,000 most common passwords. Loaded at the first new password, because most processes never see one and it takes 20 MB. */
function commonPasswords(): Promise<Set<string>> {
  loaded ??= import('@zxcvbn-ts/language-common').then(({ dictionary }) => new Set(dictionary['passwords-common']))
  return loaded
}
