import { invalid, issueAt } from '#kernel/errors.ts'
import { hashPassword } from '#platform/crypto/password.ts'
import { checkNewPassword, type PasswordContext } from '#platform/crypto/password-policy.ts'

/** The hash of a new password, or the 422 that says everything that is wrong with it. Takes time: never inside a transaction. */
export async function acceptPassword(password: string, context: PasswordContext, field: string): Promise<string> {
  await requirePassword(password, context, field)
  return hashPassword(password, context.address)
}

/** The 422 alone. */
export async function requirePassword(password: string, context: PasswordContext, field: string): Promise<void> {
  const reasons = await checkNewPassword(password, context)
  const issues = reasons.map(reason => issueAt(['body', ...field.split('.')], reason))
  if (issues.length > 0) throw invalid(...issues)
}

/** With the one in use, five are remembered. */
const remembered = 4
export const previousOf = ({
  password_hash,
  previous_hashes,
}: {
  password_hash: string | null
  previous_hashes: readonly string[]
}) => allHashes({ password_hash, previous_hashes }).slice(0, remembered)

/** The hash in use and those before it. */
export const allHashes = ({
  password_hash,
  previous_hashes,
}: {
  password_hash: string | null
  previous_hashes: readonly string[]
}) => [...(password_hash === null ? [] : [password_hash]), ...previous_hashes]
