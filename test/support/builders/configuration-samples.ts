import type { World } from '../world/world.ts'
import { type Json, ok } from './documents.ts'

/** A proposed change of a workflow template; rejected, it has all that such a change can have. */
export async function addConfigurationChange(
  world: World,
  {
    word,
    admin,
    by,
    template,
    isRejected,
  }: { word: string; admin: string; by: string; template: number; isRejected: boolean },
) {
  const { id: user, tenant_id } = world.people[by]!
  // Behind the API, because one person alone cannot switch the setting off again.
  const set = async (needsApproval: boolean, granted: string[]) => {
    await world.superuser.query('begin; set local session_replication_role = replica')
    await world.superuser.query(
      `update tenants set settings = settings || jsonb_build_object('configuration_needs_approval', $1::boolean) where id = $2`,
      [needsApproval, tenant_id],
    )
    await world.superuser.query('update users set granted = $1 where id = $2', [granted, user])
    await world.superuser.query('commit')
    world.services.accounts.changed()
  }
  await set(true, ['workflow_templates.manage', 'configuration_changes.decide'])
  const { id }: Json = ok(
    await world
      .as(by)
      .put(`/api/workflow-templates/${template}`, { description: `${word} changed`, change_reason: word }),
  )
  if (isRejected) ok(await world.as(admin).post(`/api/configuration-changes/${id}/reject`, { decision_reason: word }))
  await set(false, [])
  return { configuration_change: id as number, configuration_proposer: user }
}
