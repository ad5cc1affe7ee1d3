import type { Static, TSchema } from 'typebox'
import type { EventName, Permission } from '#kernel/catalogue.ts'
import type { AuditedRefusal } from '#kernel/errors.ts'
import type { Language, Message } from '#kernel/message.ts'
import type { Tx } from '#platform/db/database.ts'
import type { Ending } from '#platform/files/media-type.ts'
import type { FileAnswer } from './file.ts'
import type { Outside } from './outside.ts'

/**
 * All that work needs beside its input: the one way in which collaborators come to a module. A module that needs another one which it may
 * not import adds a member here (`declare module '#action/definitions.ts'`, as `documents/core/training-gate.ts` does); `buildApp` fills
 * every member in, or it does not compile.
 */
export interface Services extends Outside {
  runner: Runner
  /** The person for whom the actor may act now as their deputy, or a refusal. With `lock` it stays so until the transaction ends. */
  representedBy(
    context: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
    person_id: number,
    scope: DeputyScope,
    how: { lock: boolean },
  ): Promise<Represented>
  /** The people for whom the actor may act now as their deputy. */
  listRepresented(
    context: Pick<ActionContext<unknown>, 'tx' | 'actor' | 'services'>,
  ): Promise<(Represented & { scopes: readonly DeputyScope[] })[]>
}

/** What a deputy does for a person. */
export const deputyScopes = ['approvals', 'tasks'] as const
export type DeputyScope = (typeof deputyScopes)[number]

/** A person for whom their deputy acts. */
export interface Represented {
  userId: number
  username: string
  fullName: string | null
}

/** The session with which a person is logged in. */
export interface ActorSession {
  /** Null for a token that was issued before tokens had sessions. */
  id: number | null
  kind: 'browser' | 'token'
  /** Null where it is never idle. */
  idleEndsAt: string | null
  endsAt: string
  /** What the person proved at the log-in (RFC 8176): `pwd`, `otp`; `hwk` or `swk` with `user` for a passkey. */
  amr: readonly string[]
  /** The provider that said who the person is, with its own name of the session; null where they proved it to this service. */
  provider: { id: number; sid: string | null } | null
}

/** The key by which a service account asks. */
export interface ActorKey {
  id: number
  /** The person who answers for the account, and owns what it uploads. */
  owner_id: number
  /** The limit of the account. */
  requests_per_second: number
}

/** The person, the service account, or the system (`userId` null), on whose behalf an action runs. */
export interface Actor {
  tenantId: number
  userId: number | null
  username: string
  fullName: string | null
  role: string
  /** The role, followed by those that it inherits from. */
  roles: readonly string[]
  /** The role is Admin, or inherits from it. */
  isAdmin: boolean
  permissions: ReadonlySet<Permission>
  /** The last log-in or re-authentication, in seconds since 1970. */
  authTime: number
  /** Undefined for the system, and where a person is not asking themselves, as in a job. */
  session?: ActorSession
  /** Of a service account alone. */
  apiKey?: ActorKey
  /** Why the permissions are fewer than the role grants. A refusal gives this reason instead of the missing permission. */
  restriction?: Message | undefined
  /** The person for whom the actor acts as their deputy, where the request says so. Rules about people apply to both. */
  standsInFor?: Represented | undefined
}

export const nameOfPerson = ({ username, fullName }: Represented) => fullName ?? username

/** The actor, and the person for whom they act. */
export const actingPeople = ({ userId, standsInFor }: Pick<Actor, 'userId' | 'standsInFor'>): number[] =>
  [userId, standsInFor?.userId].filter(id => id !== undefined && id !== null)

/** The person whose tasks the actor does: their own, or those of the person for whom they act. */
export const taskOwner = ({ userId, standsInFor }: Pick<Actor, 'userId' | 'standsInFor'>): number | null =>
  standsInFor?.userId ?? userId

/** The source of a request; both are empty for a job. */
export interface Origin {
  requestId: string
  clientAddr: string
  /** The browser or program, as it names itself. */
  userAgent?: string
  /** The language that the request asks for; undefined where it names none of ours. */
  language?: Language
  /** The request comes from a page of another site. */
  isCrossSite?: boolean
}

export interface Recorded {
  event: EventName
  /** The record's id; null for an event without a record. */
  id: number | null
  number?: string | null
  before?: object
  after?: object
  reason?: string | null
  outcome: 'success' | 'denied' | 'failed'
  /**
   * The ids of the people to notify, whom the audit trail does not show. A notification names the record, so they must be people who may
   * read it.
   */
  notify?: readonly number[]
  /** The ids of those of them who have something to do or to decide from now on. They too must be people who may read the record. */
  assignees?: readonly number[]
}

type Change = Pick<Recorded, 'number' | 'before' | 'after' | 'reason' | 'notify' | 'assignees'> &
  Partial<Pick<Recorded, 'outcome'>>

/** The means of changing something in a transaction and recording it. */
export type Writing = Pick<ActionContext<unknown>, 'tx' | 'record'>

/** A request as a signing challenge names it: the digest is of the canonical JSON of the body without the proof of identity. */
export interface Act {
  method: string
  path: string
  body_sha256: string
}

/** What an act signs. Numbers are digits in strings, as in a signature. */
export interface SignedByAct {
  record: {
    type: string
    /** Null for a record that the act itself creates. */
    id: string | null
    number: string | null
    version: string | null
    content_revision: string
    content_sha256: string
    /** The fields of the content that only the act itself fills in, such as its moment: they are not in the digest. */
    without: readonly string[]
  }
  meaning: string
  intent: string
  /** The id of the person for whom a deputy signs. */
  on_behalf_of: string | null
}

/** An act that is only tried, to learn what it would sign. Nothing of it stays. */
export interface Rehearsal {
  /** How the signer will prove who they are. */
  method: 'passkey' | 'provider'
  /** The act asks for a proof of identity. */
  ask(): void
  /** Ends the attempt where the act would sign. */
  end(signed: SignedByAct): never
}

/** The content that a rehearsed act would sign; `signs` is null for an act that asks for a proof of identity and signs nothing. */
export interface Rehearsed {
  isAsked: boolean
  signs: SignedByAct | null
}

/**
 * The context of `prepare`, outside the transaction. Hashing, files and the network belong here, because they take longer than a lock may
 * be held.
 */
export interface PrepareContext {
  actor: Actor
  origin: Origin
  services: Services
  /** A short transaction that only reads. Its result may be stale by the time of the command's own transaction. */
  read<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** All that the work reads is of one moment, however long it takes. */
  readSnapshot<T>(work: (tx: Tx) => Promise<T>): Promise<T>
  /** Undoes work outside the database when the command is refused, because it then surely did not commit. */
  ifRefused(undo: () => Promise<void>): void
  /**
   * Call it before recording that a stored file is given. It refuses a range that the file does not have, and a file that differs from
   * the one that was stored; the latter leaves `entry` in the audit trail with the outcome `failed`.
   */
  verifyBeforeSend(file: FileAnswer, entry: Pick<Recorded, 'event' | 'id' | 'number' | 'after'>): Promise<void>
  /** A transaction of its own, which stays if the command fails: it counts a wrong password, or uses up a code. */
  inSeparateTransaction<T>(work: (writing: Writing) => Promise<T>): Promise<T>
  /** Aborted when the caller has gone: for work that takes long, costs money, and is of no use to anybody else. */
  signal?: AbortSignal | undefined
  /** Sends a piece of the answer ahead, as the schema `pieces` has it; undefined where the caller wants the answer as a whole. */
  sendPiece?: ((piece: object) => void) | undefined
  /** The caller as they are now, or a 401 if their session has ended; undefined where the action is not a request. */
  renewActor?: (() => Promise<Actor>) | undefined
  /** Undefined where the action is not a request of its own. */
  act?: Act | undefined
  rehearsal?: Rehearsal | undefined
}

export interface ActionContext<Prepared> {
  tx: Tx
  actor: Actor
  origin: Origin
  services: Services
  prepared: Prepared
  /** The revision that the change is based on, from If-Match or from the body. */
  expectedRevision: number | undefined
  rehearsal?: Rehearsal | undefined
  /** Every change is recorded: this becomes the audit entry. */
  record(event: EventName, id: number | null, change?: Change): void
  afterCommit(work: () => void): void
}

/** A file of a multipart request, received into the store's spool and found to be what its name says. */
export interface Upload {
  name: string
  content_type: string
  size_bytes: number
  sha256: string
  /** Where it lies until it is kept, or the request ends. */
  path: string
  /** Gives the file its final name and syncs it. Otherwise it is gone when the request ends. */
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
  /** For the API's documentation. */
  description?: string
  permission: Permission
  /**
   * Of a form: the endings of files that it takes, whatever the tenant accepts. The edge scans the file for viruses, and the action itself
   * inspects what is in it.
   */
  takes?: readonly Ending[]
  /** A deputy may do it for a person, whom the body names as `on_behalf_of`. */
  byDeputy?: DeputyScope
  input: P
  response: R
  /** The schema of the answer 202, where the change awaits the approval of another person. */
  accepted?: TSchema
  /** The schema of one piece of an answer that can be sent in pieces while it is made. */
  pieces?: TSchema
  /** Only for a GET that records something once, of which a repeated one changes nothing, and for what may find nothing to change. */
  mayRecordNothing?: true
  /** It makes a file or verifies everything, so that a person may ask it some times a minute and not more. */
  isCostly?: true
  /** It begins a proof of identity for a signature, so that a person may ask it some times a minute and not more. */
  isStepUp?: true
  /** Its answer in pieces lasts as long as its reader stays: it is not counted as a request under way, and a reader that does not read is dropped. */
  isStream?: true
  /** Its statements are planned once on each connection: their planning takes longer than they do. */
  plansOnce?: true
  /** Pages ask it by themselves, without a person's hand, so it does not count as use of the session. */
  isPolled?: true
  prepare?: (context: PrepareContext, input: Input<P>) => Promise<Prepared>
  run: (context: ActionContext<Prepared>, input: Input<P>) => Promise<Static<R>>
}

type Definition<P extends Parts, R extends TSchema, Prepared> = Omit<Action<P, R, Prepared>, 'kind'>

/** Reads. Its transactions cannot write. */
export const query = <const P extends Parts, R extends TSchema, Prepared = undefined>(
  definition: Definition<P, R, Prepared>,
): Action<P, R, Prepared> => ({ kind: 'query', ...definition })
/** Changes something and records it. */
export const command = <const P extends Parts, R extends TSchema, Prepared = undefined>(
  definition: Definition<P, R, Prepared>,
): Action<P, R, Prepared> => ({ kind: 'command', ...definition })

// biome-ignore lint/suspicious/noExplicitAny: a table of actions holds actions of every input and answer
export type AnyAction = Action<any, any, any>

/** A request that is to happen once. */
export interface Once {
  key_hash: Buffer
  request_hash: Buffer
  /** The answer as it is sent. */
  answerOf(output: unknown): { status: number; headers: Record<string, string>; body: unknown }
}

/** The only way in which an action runs: permission, preparation, transaction, audit trail. */
export interface Runner {
  run<P extends Parts, R extends TSchema, Prepared>(
    action: Action<P, R, Prepared>,
    actor: Actor,
    input: Input<P>,
    request: {
      origin: Origin
      expectedRevision?: number | undefined
      /** Throws if the requested range is not in the file. */
      beforeSend?: (file: FileAnswer) => void
      /** Happens once for its key: the answer may be a `Replayed`. */
      once?: Once | undefined
      /** Answers as ever, and rolls everything back that it would store: only a refusal is recorded. */
      leavesNoTrace?: boolean
    } & Partial<Pick<PrepareContext, 'signal' | 'sendPiece' | 'renewActor' | 'act'>>,
  ): Promise<Static<R>>
  /** What the action would sign. A refusal is that of the action itself, and is recorded; otherwise it leaves no trace. */
  rehearse(
    action: AnyAction,
    actor: Actor,
    input: Input<Parts>,
    request: { origin: Origin; expectedRevision: number | undefined; method: Rehearsal['method'] },
  ): Promise<Rehearsed>
  authorize(action: Pick<AnyAction, 'summary' | 'permission'>, actor: Actor, origin: Origin): Promise<void>
  /** Writes the entry of a refused attempt in another transaction, because its own is rolled back. */
  auditDenial(actor: Actor, origin: Origin, entry: AuditedRefusal): Promise<void>
  /**
   * Runs work that is not a command and needs no permission, such as a log-in, a first start, or a step of a job that was authorized when
   * it began.
   */
  inSeparateTransaction<T>(
    actor: Actor,
    origin: Origin,
    work: (context: ActionContext<undefined>) => Promise<T>,
  ): Promise<T>
  /**
   * As `inSeparateTransaction`, to its very end: what the work recorded is written and the database asks its guards. Then all of it is undone. Not
   * within a savepoint, because the guards know an entry by its transaction.
   */
  rehearseWork<T>(actor: Actor, origin: Origin, work: (context: ActionContext<undefined>) => Promise<T>): Promise<T>
}
