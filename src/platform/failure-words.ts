const words = {
  ECONNREFUSED: 'The connection was refused',
  ECONNRESET: 'The connection was cut off',
  EPIPE: 'The connection was cut off',
  UND_ERR_SOCKET: 'The connection was cut off', // undici's: fetch
  ENOTFOUND: 'Its host name is not known',
  EAI_AGAIN: 'Its host name cannot be looked up',
  EHOSTUNREACH: 'Its host cannot be reached',
  ENETUNREACH: 'Its network cannot be reached',
  ETIMEDOUT: 'The connection timed out',
  UND_ERR_CONNECT_TIMEOUT: 'The connection timed out',
  ENOENT: 'Its folder or socket is not there',
  EACCES: 'Access is denied to this process',
  EPERM: 'Access is denied to this process',
  EROFS: 'It can be read, but not written to',
  ENOSPC: 'It is full',
  EDQUOT: 'Its quota is used up',
  EIO: 'Its medium reports an error',
  STORE_REFUSED: 'It refuses the log-in, or the log-in lacks rights',
  NO_BUCKET: 'Its bucket is not there',
  // PostgreSQL's.
  '28P01': 'The log-in was refused',
  '28000': 'The log-in was refused',
  '3D000': 'Its database is not there',
  '53300': 'It has no connection left',
  '57P01': 'It is shutting down',
  '57P02': 'It is recovering from a crash',
  '57P03': 'It is starting or shutting down',
  // nodemailer's.
  EAUTH: 'The log-in was refused',
  ECONNECTION: 'The connection was cut off',
  EDNS: 'Its host name cannot be looked up',
} as const

const notAccepted = 'Its certificate or its encryption is not accepted'

export type FailureWords = (typeof words)[keyof typeof words] | typeof notAccepted

/** Our own sentence for a failure of an outside system, by its error code: the error's own text may hold secrets. */
export function failureWords(code: unknown): FailureWords | undefined {
  if (typeof code !== 'string') return undefined
  if (Object.hasOwn(words, code)) return words[code as keyof typeof words]
  return /CERT|TLS|SSL|SELF_SIGNED|UNABLE_TO_VERIFY/.test(code) ? notAccepted : undefined
}
