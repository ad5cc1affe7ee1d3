import { failureWords } from '../failure-words.ts'

const remedies: Record<string, string> = {
  ENOSPC: 'make room there',
  EDQUOT: 'make room there',
  ENOENT: 'mount its disk, or make the folder',
  EACCES: 'let the service read and write there',
  EPERM: 'let the service read and write there',
  EROFS: 'let the service write there',
}

/** A sentence for the operator: the failure of an anchor store, and the remedy. */
export function anchorFailure(name: string, error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  const words = code === 'ETIMEDOUT' ? 'It does not answer' : (failureWords(code) ?? message)
  return `${name} does not take anchors. ${words}: ${remedies[code] ?? 'find out what is wrong with it'}, or set another store in AUDIT_ANCHOR`
}
