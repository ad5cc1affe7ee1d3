import { Type } from 'typebox'
import { command } from '#action'
import { clockTask } from '#action/clock-task.ts'
import { conflict } from '#kernel/errors.ts'
import { messages } from './messages.ts'
import { endCall, listAbandoned } from './queries.ts'
import { CallParams } from './schema.ts'

/** Of what is asked again when the first answer is of no use. */
const most_attempts = 4
const longest_answer_ms = 600_000
const most_at_once = 100
const reason = 'The process ended before the answer arrived'

/** What it took nobody knows: it counts as the most that it could. */
const endCallOfNobody = command({
  summary: 'End a call of the assistant whose process is gone',
  permission: 'ai.manage',
  input: { params: CallParams },
  response: Type.Null(),
  async run({ tx, services, record }, { params }) {
    const finished_at = services.clock.now().toISOString()
    if (!(await endCall(tx, params.id, { status: 'failed', error: reason, finished_at })))
      throw conflict(messages.assistant_call_ended())
    record('ai_call.failed', params.id, {
      before: { status: 'started' },
      after: { status: 'failed' },
      reason,
      outcome: 'failed',
    })
    return null
  },
})

export const endAbandoned = clockTask({
  name: 'ai_calls.end_abandoned',
  every_minutes: 5,
  due: ({ services, read }) =>
    read(async tx => {
      const longest_ms = most_attempts * (services.config.ai?.timeout_ms ?? longest_answer_ms)
      const before = new Date(services.clock.now().getTime() - longest_ms)
      return (await listAbandoned(tx, before, most_at_once)).map(params => ({ params }))
    }),
  action: endCallOfNobody,
})
