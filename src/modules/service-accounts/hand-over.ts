import {
  countOwnedServices,
  findServiceAccount,
  listOwnedServices,
  lockServiceAccount,
  updateServiceAccount,
  type WorkOfKind,
} from '#modules/accounts'

/** The owner answers for the machine, and is told before its keys end. */
export const ownedServices: WorkOfKind = {
  kind: 'service_account',
  needs: [],
  list: listOwnedServices,
  count: countOwnedServices,
  async give({ tx, services, record }, { id }, { from, to, reason }) {
    const now = services.clock.now()
    await lockServiceAccount(tx, id)
    const before = await findServiceAccount(tx, id, now)
    if (!before?.is_active || before.owner.id !== from) return false
    await updateServiceAccount(tx, id, { owner_id: to })
    const after = (await findServiceAccount(tx, id, now))!
    record('user.service_account_updated', id, {
      ...{ before: { owner: before.owner.username }, after: { owner: after.owner.username }, reason, notify: [to] },
    })
    return true
  },
}
