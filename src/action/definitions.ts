import type { Static, TSchema } from 'typebox'
import type { EventName, Permission } from '#kernel/catalogue.ts'
import type { Message } from '#kernel/message.ts'
import type { Tx } from '#platform/db/database.ts'
import type { FileAnswer } from './file.ts'
import type { Services } from './services.ts'

/** On whose behalf something happens. `userId` is null for what the system does by itself. */
export interface Actor {
  tenantId: number
  userId: number | null
  username: string
  fullName: string | null
  /** The name of the role, and those that it inherits from behind it. */
  role: string
  roles: readonly string[]
  permissions: ReadonlySet<Permission>
  /** When the identity was last proved, in seconds since 1970. */
  authTime: number
  /** Why the permissions are fewer than the role grants. A refusal gives this reason instead of the missing permission. */
  restriction?: Message | undefined
}

/** Where a request came from; both are empty for a job. */
export interface Origin {
  requestId: string
  clientAddr: string
}

export interface Recorded {
  event: EventName
  /** The record's id; null for what concerns no record. */
  id: number | null
  number?: string | null
  before?: object
  after?: object
  reason?: string | null
  outcome: 'success' | 'denied' | 'failed'
  /**
   * The ids of the people whom it concerns: the audit trail does not show them, notifications go to them. They are told how the
   * record is called, so they are people who may read it.
   */
  concerns?: readonly number[]
  /** The ids of those of them of whom it asks something: a decision that is theirs from now on. They too may read the record. */
  asks?: readonly number[]
}

type Change = Pick<Recorded, 'number' | 'before' | 'after' | 'reason' | 'concerns' | 'asks'> &
  Partial<Pick<Recorded, 'outcome'>>

/** What work inside a transaction needs to change something and to say so. */
export type Writing = Pick<ActionContext<unknown>, 'tx' | 'record'>

/** What is known outside the transaction: hashing, files and the network belong here. */
export interface PrepareContext {
  actor: Actor
  origin: Origin
  services: Services
  /** A short transaction that only reads. What it says may be otherwise by the time of the command's own. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Undoes what was done outside the database, when the command is refused and so surely did not commit. */
  ifRefused(undo: () => Promise<void>): void
  /**
   * Before an action says that it gives a stored file: refuses what the caller asked of it that it cannot be, and a file that is not
   * what was stored. That is an entry of its own, `failed`, with what the success would have said.
   */
  verifyBeforeSend(file: FileAnswer, said: Pick<Recorded, 'event' | 'id' | 'number' | 'after'>): Promise<void>
  /** A transaction of its own, which stays whatever becomes of the command: a failure that counts, a code that is used up. */
  inSeparateTransaction<T>(work: (writing: Writing) => Promise<T>): Promise<T>
  /** Aborted when who asked has gone: for what takes long, costs, and is of no use to anybody else. */
  signal?: AbortSignal | undefined
  /** Tells who asked what there is of the answer already, as the action's `pieces` say; undefined where they asked for all of it at once. */
  tell?: ((piece: object) => void) | undefined
}

export interface ActionContext<Prepared> {
  tx: Tx
  actor: Actor
  origin: Origin
  services: Services
  prepared: Prepared
  /** The revision that the caller's change was made on, by If-Match or by the body. */
  expectedRevision: number | undefined
  /** Every change says what happened: this becomes the audit entry. */
  record(event: EventName, id: number | null, change?: Change): void
  afterCommit(work: () => void): void
}

/** A file of a multipart request, received into the store's spool and found to be what its name says. */
export interface Upload {
  name: string
  content_type: string
  size_bytes: number
  sha256: string
  /** Gives the file its final name, synced; before this it is gone when the request ends. */
  keep(key: string): Promise<void>
}

/** `form`: the fields of a multipart request whose one file is `file`. */
export interface Parts {
  params?: TSchema
  query?: TSchema
  body?: TSchema
  form?: TSchema
}
export type Input<P extends Parts> = { [K in keyof P]: P[K] extends TSchema ? Static<P[K]> : never } & (P extends {
  form: TSchema
}
  ? { file: Upload }
  : unknown)

export interface Action<P extends Parts = Parts, R extends TSchema = TSchema, Prepared = unknown> {
  kind: 'query' | 'command'
  summary: string
  /** More of it, for the API's documentation. */
  description?: string
  permission: Permission
  input: P
  response: R
  /** Of an answer that may be told while it is made: what one piece of it is. */
  pieces?: TSchema
  prepare?: (context: PrepareContext, input: Input<P>) => Promise<Prepared>
  run: (context: ActionContext<Prepared>, input: Input<P>) => Promise<Static<R>>
}

type Definition<P extends Parts, R extends TSchema, Prepared> = Omit<Action<P, R, Prepared>, 'kind'>

/** Reads. Its transaction cannot write. */
export const query = <const P extends Parts, R extends TSchema, Prepared = undefined>(
  definition: Definition<P, R, Prepared>,
): Action<P, R, Prepared> => ({ kind: 'query', ...definition })
/** Changes something, and records what. */
export const command = <const P extends Parts, R extends TSchema, Prepared = undefined>(
  definition: Definition<P, R, Prepared>,
): Action<P, R, Prepared> => ({ kind: 'command', ...definition })

// biome-ignore lint/suspicious/noExplicitAny: a table of actions holds actions of every input and answer
export type AnyAction = Action<any, any, any>
