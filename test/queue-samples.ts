import { startJob } from '#modules/jobs'
import type { World } from './world.ts'

/** Work that somebody asked for, which nobody here knows how to do. */
export async function addJob(world: World, { word, by }: { word: string; by: string }) {
  const { tenant_id, id } = world.people[by]!
  const account = (await world.app.accounts.find(tenant_id, id))!
  const { id: job } = await world.app.runner.apart(
    { ...account.actor, authTime: 0 },
    { requestId: '', clientAddr: '' },
    context => startJob(context, word, { input: { word }, total: 1 }),
  )
  return { job }
}
