import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { type KeyPlace, requireKeyText } from '../crypto/signing-key.ts'
import type { Variables } from './variables.ts'

/** The keys of the installation. Both files are set or neither, so that no host makes half of its keys itself. */
export function readKeys({ text, wrong }: Variables, data_dir: string): KeyPlace {
  const folder = join(data_dir, 'keys')
  const given = {
    SIGNING_KEY_FILE: text('SIGNING_KEY_FILE'),
    AUDIT_KEY_FILE: text('AUDIT_KEY_FILE'),
    PREVIOUS_AUDIT_KEY_FILE: text('PREVIOUS_AUDIT_KEY_FILE'),
  }
  const [signature, audit, previous] = Object.values(given).map(path => path && resolve(path))
  if (!signature && !audit && !previous) return { folder }
  for (const [name, path] of Object.entries(given)) {
    const fault = path ? faultOf(resolve(path)) : undefined
    if (fault) wrong.push(`${name} ${fault}`)
    if (!path && name !== 'PREVIOUS_AUDIT_KEY_FILE')
      wrong.push(`${name} is not set: the signing key and the key of the audit trail come from files together`)
  }
  return { folder, files: { signature: signature ?? '', audit: audit ?? '', previous_audit: previous } }
}

function faultOf(path: string): string | undefined {
  try {
    requireKeyText(readFileSync(path, 'utf8'), path)
    return undefined
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return `names a file that is not there: ${path}`
    return syscall ? `names a file that cannot be read (${code}): ${path}` : `names no key of this program: ${message}`
  }
}
