import { AppError } from '#kernel/errors.ts'
import { CorruptFile, type FileStorage, KeyTaken, MissingFile } from './storage.ts'

/** The store is down, full, or refuses. The message quotes the cause, so it is only for the log. */
export class StorageFailure extends Error {
  /** `STORE_REFUSED` or `NO_BUCKET`, which an operator can repair; otherwise the code of the cause. */
  readonly code: string | undefined
  constructor(cause: unknown) {
    const { message, code } = cause as { message?: string; code?: unknown }
    super(`the storage failed: ${message || String(code)}`, { cause })
    this.code = reasonOf(cause) ?? (typeof code === 'string' ? code : undefined)
  }
}

/** The places in which the libraries of stores put the status of an answer. */
interface Answered {
  name?: string
  status?: unknown
  code?: unknown
  $metadata?: { httpStatusCode?: number }
  cause?: unknown
}

function reasonOf(thrown: unknown): 'STORE_REFUSED' | 'NO_BUCKET' | undefined {
  for (let each = thrown as Answered | undefined; each; each = each.cause as Answered | undefined) {
    if (each.name === 'NoSuchBucket') return 'NO_BUCKET'
    const status = Number(each.$metadata?.httpStatusCode ?? each.status ?? each.code)
    if (status === 401 || status === 403) return 'STORE_REFUSED'
  }
  return undefined
}

const isOurs = (error: unknown) =>
  [AppError, MissingFile, CorruptFile, KeyTaken, StorageFailure].some(kind => error instanceof kind)

export function asFailure(error: unknown): never {
  throw isOurs(error) ? error : new StorageFailure(error)
}

/** For work on the spool: a system error is the disk's failure, and anything else a refusal or a bug. */
export function asDiskFailure(error: unknown): never {
  throw (error as NodeJS.ErrnoException).syscall === undefined ? error : new StorageFailure(error)
}

/** Wraps a store so that its errors are `StorageFailure`s. Errors of its streams stay as they are. */
export function withFailures(storage: FileStorage): FileStorage {
  return {
    ...storage,
    keep: (received, key) => storage.keep(received, key).catch(asFailure),
    open: (key, range) => storage.open(key, range).catch(asFailure),
    stat: key => storage.stat(key).catch(asFailure),
    move: (key, to) => storage.move(key, to).catch(asFailure),
    erase: key => storage.erase(key).catch(asFailure),
    remove: key => storage.remove(key).catch(asFailure),
    readMark: () => storage.readMark().catch(asFailure),
    mark: text => storage.mark(text).catch(asFailure),
    check: () => storage.check().catch(asFailure),
    async *list(prefix) {
      try {
        yield* storage.list(prefix)
      } catch (error) {
        asFailure(error)
      }
    },
  }
}
