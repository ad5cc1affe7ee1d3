import type { Static, TSchema } from 'typebox'
import { AppError, type AuditedRefusal, conflict } from '#kernel/errors.ts'
import { type Access, isDuplicate, type Tx } from '#platform/db/database.ts'
import { askGuards } from '#platform/db/trial.ts'
import { CorruptFile, MissingFile } from '#platform/storage/storage.ts'
import { requireIntact } from '#platform/storage/verified.ts'
import { requirePermission } from './allowed.ts'
import type {
  Action,
  ActionContext,
  Actor,
  AnyAction,
  DeputyScope,
  Input,
  Origin,
  Parts,
  Recorded,
  Rehearsal,
  Rehearsed,
  Runner,
  Services,
} from './definitions.ts'
import { claim, findAnswer, keepAnswer, openKeyTurns } from './idempotency.ts'
import { messages, reasons } from './messages.ts'

interface RecordedBy {
  actor: Actor
  origin: Origin
  services: Services
}

/** Writes the events of a command in its transaction. */
export type Sink = (tx: Tx, by: RecordedBy, recorded: Recorded[]) => Promise<void>

const damagedFile = { outcome: 'failed', reason: reasons.reason_file_damaged().text } as const

/** 21 CFR 11.10(g) and 11.300(d): each refused attempt is recorded. */
const denied = (
  { summary }: Pick<AnyAction, 'summary'>,
  refusal: string,
  record?: AppError['record'],
): AuditedRefusal => ({
  event: 'access.denied',
  outcome: 'denied',
  reason: reasons.reason_access_denied({ about: record ? `${record.number} (${record.id})` : summary, refusal }).text,
})

interface PersonToActFor {
  id: number
  scope: DeputyScope
}

/** The person whom the request names as the one for whom the caller acts. */
function personToActFor({ byDeputy }: Pick<AnyAction, 'byDeputy'>, input: { body?: unknown; form?: unknown }) {
  const { on_behalf_of: id } = (input.body ?? input.form ?? {}) as { on_behalf_of?: number }
  return id === undefined || byDeputy === undefined ? undefined : { id, scope: byDeputy }
}

const actFor = async (
  context: Parameters<Services['representedBy']>[0],
  { id, scope }: PersonToActFor,
  { lock } = { lock: false },
): Promise<Actor> => ({
  ...context.actor,
  standsInFor: await context.services.representedBy(context, id, scope, { lock }),
})

/** Rolls a transaction back and carries out its result. */
class RolledBack<T> {
  readonly result: T
  constructor(result: T) {
    this.result = result
  }
}

export function createRunner(services: Services, sinks: readonly Sink[]): Runner {
  const { database } = services
  const sink = async (tx: Tx, by: { actor: Actor; origin: Origin }, recorded: Recorded[]) => {
    // Together: their statements are sent in this order before the first answer.
    await Promise.all(sinks.map(each => each(tx, { ...by, services }, recorded)))
  }

  /** Runs work and the sinks in one transaction. Resolves when it is committed. */
  async function transact<Prepared, T>(
    {
      actor,
      origin,
      prepared,
      expectedRevision,
      rehearsal,
    }: Pick<ActionContext<Prepared>, 'actor' | 'origin' | 'prepared' | 'expectedRevision' | 'rehearsal'>,
    access: Access,
    work: (context: ActionContext<Prepared>, recorded: readonly Recorded[]) => Promise<T>,
    { leavesNoTrace = false, plansOnce = false } = {},
  ): Promise<T> {
    const committed: (() => void)[] = []
    const transaction = database.transaction(
      actor,
      access,
      async tx => {
        // The work runs again after a deadlock, and the events of the earlier try are rolled back with it.
        const recorded: Recorded[] = []
        committed.length = 0
        const context: ActionContext<Prepared> = {
          tx,
          actor,
          origin,
          services,
          prepared,
          expectedRevision,
          rehearsal,
          record: (event, id, change) => recorded.push({ event, id, outcome: 'success', ...change }),
          afterCommit: each => committed.push(each),
        }
        const output = await work(context, recorded)
        if (leavesNoTrace && access === 'read write') throw new RolledBack(output)
        if (recorded.length > 0) await sink(tx, { actor, origin }, recorded)
        return output
      },
      { canRunAgain: true, plansOnce },
    )
    const result = await transaction.catch(thrown => {
      if (!(thrown instanceof RolledBack)) throw thrown
      committed.length = 0
      return (thrown as RolledBack<T>).result
    })
    for (const each of committed) each()
    return result
  }

  const inSeparateTransaction = <T>(
    actor: Actor,
    origin: Origin,
    work: (context: ActionContext<undefined>) => Promise<T>,
    how?: { leavesNoTrace: boolean },
  ): Promise<T> =>
    transact({ actor, origin, prepared: undefined, expectedRevision: undefined }, 'read write', work, how)

  async function auditDenial(actor: Actor, origin: Origin, { event, id = null, ...rest }: AuditedRefusal) {
    await database.transaction(actor, 'read write', tx => sink(tx, { actor, origin }, [{ event, id, ...rest }]))
  }

  async function authorize(action: Pick<AnyAction, 'summary' | 'permission'>, actor: Actor, origin: Origin) {
    if (actor.permissions.has(action.permission)) return
    await auditDenial(actor, origin, denied(action, action.permission))
    requirePermission(actor, action.permission)
  }

  async function runAction<P extends Parts, R extends TSchema, Prepared>(
    action: Action<P, R, Prepared>,
    caller: Actor,
    input: Input<P>,
    {
      origin,
      expectedRevision,
      beforeSend,
      once,
      leavesNoTrace = false,
      signal,
      sendPiece,
      renewActor,
      act,
      rehearsal,
    }: Parameters<Runner['run']>[3] & { rehearsal?: Rehearsal },
  ): Promise<Static<R>> {
    await authorize(action, caller, origin)
    const undo: (() => Promise<void>)[] = []
    let recordedSeparately = 0
    const person = personToActFor(action, input)
    let actor = caller
    try {
      if (person)
        actor = await database.transaction(caller, 'read only', tx => actFor({ tx, actor: caller, services }, person))
      // Before the preparation, so that a repeated request costs no password and no file.
      const replayed =
        once &&
        (await database.transaction(caller, 'read only', tx => findAnswer({ tx, userId: caller.userId! }, once)))
      if (replayed) return replayed as unknown as Static<R>
      const prepared = (await action.prepare?.(
        {
          actor,
          origin,
          services,
          read: work => database.transaction(actor, 'read only', work),
          readSnapshot: work => database.transaction(actor, 'snapshot', work),
          ifRefused: each => undo.push(each),
          async inSeparateTransaction(work) {
            const made = await inSeparateTransaction(
              actor,
              origin,
              async context => {
                let count = 0
                const result = await work({
                  tx: context.tx,
                  record(...event) {
                    count += 1
                    context.record(...event)
                  },
                })
                return { result, count }
              },
              { leavesNoTrace },
            )
            recordedSeparately += made.count
            return made.result
          },
          signal,
          sendPiece,
          renewActor,
          act,
          rehearsal,
          async verifyBeforeSend(file, entry) {
            beforeSend?.(file)
            await requireIntact(services.storage, file).catch(async error => {
              if (error instanceof CorruptFile || error instanceof MissingFile)
                await inSeparateTransaction(actor, origin, async ({ record }) =>
                  record(entry.event, entry.id, { ...entry, ...damagedFile }),
                )
              throw error
            })
          },
        },
        input,
      )) as Prepared
      const access = action.kind === 'query' ? 'read only' : 'read write'
      return await transact(
        { actor, origin, prepared, expectedRevision, rehearsal },
        access,
        async (context, recorded) => {
          // The deputyship may have been ended while a password was checked.
          if (person)
            await actFor({ tx: context.tx, actor: caller, services }, person, { lock: access === 'read write' })
          const claiming = once && { tx: context.tx, userId: caller.userId! }
          const meanwhile = claiming && (await claim(claiming, once, services.clock.now()))
          if (meanwhile) return meanwhile as unknown as Static<R>
          const result = await action.run(context, input)
          const isSilent = recorded.length + recordedSeparately === 0
          if (action.kind === 'command' && isSilent && !action.mayRecordNothing)
            throw new Error(`${action.summary}: a command must record what it changed`)
          if (claiming) await keepAnswer(claiming, once, result)
          return result
        },
        { leavesNoTrace, plansOnce: action.plansOnce ?? false },
      )
    } catch (thrown) {
      // An action refuses a duplicate that it finds; the database refuses the one that was stored at the same moment.
      const error = isDuplicate(thrown) ? conflict(messages.conflicting_change()) : thrown
      if (error instanceof AppError) {
        for (const each of undo.splice(0)) await each()
        const entry =
          error.auditEntry ?? (error.status === 403 ? denied(action, error.message, error.record) : undefined)
        if (entry) await auditDenial(actor, origin, entry)
      }
      throw error
    } finally {
      if (rehearsal) for (const each of undo.splice(0)) await each()
    }
  }

  const rehearseWork: Runner['rehearseWork'] = (actor, origin, work) =>
    transact(
      { actor, origin, prepared: undefined, expectedRevision: undefined },
      'read write',
      async (context, recorded) => {
        const result = await work(context)
        if (recorded.length > 0) await sink(context.tx, { actor, origin }, [...recorded])
        await askGuards(context.tx)
        return result
      },
      { leavesNoTrace: true },
    )

  const rehearse: Runner['rehearse'] = async (action, actor, input, { method, ...request }) => {
    const found: Rehearsed = { isAsked: false, signs: null }
    const rehearsal: Rehearsal = {
      method,
      ask() {
        found.isAsked = true
      },
      end(signed) {
        found.signs = signed
        throw new RolledBack(undefined)
      },
    }
    await runAction(action, actor, input, { ...request, leavesNoTrace: true, rehearsal })
    return found
  }

  const inTurn = openKeyTurns()
  const run: Runner['run'] = (action, actor, input, request) => {
    const work = () => runAction(action, actor, input, request)
    return request.once ? inTurn(`${actor.userId} ${request.once.key_hash.toString('hex')}`, work) : work()
  }

  return { run, rehearse, rehearseWork, authorize, auditDenial, inSeparateTransaction }
}
