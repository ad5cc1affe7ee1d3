import { failureWords } from '../failure-words.ts'

const remedies: Record<string, string> = {
  ENOSPC: 'make room there',
  EDQUOT: 'make room there',
  ENOENT: 'mount its disk, or make the folder',
  EACCES: 'let the service read and write there',
  EPERM: 'let the service read and write there',
  EROFS: 'let the service write there',
}

/** What is wrong with where anchors are kept, and what to do, for the operator. */
export function anchorFailure(name: string, error: unknown): string {
  const { code = '', message } = error as NodeJS.ErrnoException
  const words = code === 'ETIMEDOUT' ? 'It does not answer' : (failureWords(code) ?? message)
  return `${name} takes no anchors. ${words}: ${remedies[code] ?? 'look what is wrong with it'}, or name another in AUDIT_ANCHOR`
}
