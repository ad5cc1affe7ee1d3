import { conflict } from '#kernel/errors.ts'
import { startJob, steppedJob } from '#modules/jobs'
import type { World } from '../world/world.ts'

/** Work that somebody asked for, and that was refused in the middle: so it has all that a job can have. */
export async function addJob(world: World, { word, by }: { word: string; by: string }) {
  const { tenant_id, id: user } = world.people[by]!
  const { actor } = (await world.services.accounts.find({ tenantId: tenant_id, userId: user, sessionId: null }))!
  const { runner } = world.services
  const { id } = await runner.inSeparateTransaction(
    { ...actor, authTime: 0 },
    { requestId: '', clientAddr: '' },
    context => startJob(context, { name: word }, { input: { word }, total: 2 }),
  )
  const job = steppedJob<object, { word: string }>({
    name: word,
    async step(_, { state }) {
      if (state.word) throw conflict({ code: 'word', params: {}, text: word })
      return { state: { word }, done: 1, skipped: 0, isOver: false }
    },
  })
  await job.run(
    world.services,
    { tenant_id, id, turn: 1 },
    { number: 1, isLast: false, signal: new AbortController().signal },
  )
  return { job: id }
}
