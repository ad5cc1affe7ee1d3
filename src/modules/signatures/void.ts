import { type ActionContext, type Actor, command } from '#action'
import { allowedActs, type Check, oneself, requireAll, requirePermission } from '#action/allowed.ts'
import { conflict, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { proveIdentity, requireSignerByAnyMethod } from '#modules/accounts'
import type { Tx } from '#platform/db/database.ts'
import { messages } from './messages.ts'
import { findForVoiding, findSignature, insertVoid, present, visibleTo } from './queries.ts'
import { voidBlockedReason } from './rules.ts'
import { Signature, type SignatureVoid, SignatureVoiding } from './schema.ts'

const voiding = 'signatures.void'

/** Voids signatures of decisions about a version. The caller holds the document's lock. */
export async function voidDecided(
  { tx, record }: ActionContext<unknown>,
  { number, ids, ...standing }: { number: string; ids: readonly number[] } & Pick<SignatureVoid, 'cause' | 'reason'>,
) {
  for (const id of ids) {
    const { signer_id } = await findForVoiding(tx, id)
    if (await insertVoid(tx, { signature_id: id, ...standing }))
      record('signature.voided', id, {
        number,
        after: { cause: standing.cause },
        reason: standing.reason,
        notify: [signer_id],
      })
  }
}

type Found = Awaited<ReturnType<typeof findForVoiding>>

/** The conditions under which a person may declare the signature void. */
const checksOfVoiding = (actor: Actor, signature: Pick<Signature, 'void'>, found: Found): Check[] => [
  () => {
    if (signature.void) throw conflict(messages.signature_already_void())
  },
  () => {
    const blockedReason = voidBlockedReason({ ...found, is_own: found.signer_id === actor.userId })
    if (blockedReason) throw conflict(blockedReason)
  },
]

/** Lists the acts on a signature that the person may perform. */
export function allowedOnSignature(asking: Actor, signature: Pick<Signature, 'void'>, found: Found, tx: Tx) {
  const actor = oneself(asking)
  return allowedActs({
    void: [
      () => requirePermission(actor, voiding),
      () => requireSignerByAnyMethod(tx, actor),
      ...checksOfVoiding(actor, signature, found),
    ],
  })
}

export const voidSignature = command({
  summary: 'Declare a signature void',
  description:
    'Only a signature that belongs to no other act can be declared void; a signature of a workflow decision is voided when its approver takes the approval back, or with its round. The signature is kept unchanged, and shows who declared it void, when and why.',
  permission: voiding,
  input: { params: IdParams, body: SignatureVoiding },
  response: Signature,
  async prepare(context, { params, body }) {
    const visible = visibleTo(context.actor, context.services.signing)
    if (!(await context.read(tx => findSignature(tx, params.id, visible)))) throw notFound('Signature')
    return proveIdentity(context, body)
  },
  async run({ tx, actor, services, record }, { params, body: { reason } }) {
    const visible = visibleTo(actor, services.signing)
    const signature = await findSignature(tx, params.id, visible)
    if (!signature) throw notFound('Signature')
    const found = await findForVoiding(tx, params.id)
    await requireAll(checksOfVoiding(actor, signature, found))
    if (!(await insertVoid(tx, { signature_id: params.id, cause: 'declared', reason })))
      throw conflict(messages.signature_already_void())
    record('signature.voided', params.id, {
      number: signature.resource_number,
      after: { cause: 'declared' },
      reason,
      notify: [found.signer_id],
    })
    return present((await findSignature(tx, params.id, visible))!)
  },
})
