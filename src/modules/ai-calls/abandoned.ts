import { Type } from 'typebox'
import { command, type Services } from '#action'
import { conflict } from '#kernel/errors.ts'
import { forEachDue, type Schedule } from '#modules/jobs'
import { messages, reasons } from './messages.ts'
import { endCall, listAbandoned } from './queries.ts'
import { CallParams } from './schema.ts'

/** A call asks the model again if its first answer is of no use. */
const maxAttempts = 4
const longestAnswerMs = 600_000
const maxAtOnce = 100
const reason = reasons.reason_call_abandoned().text

/** Nobody knows how many tokens it took, so it keeps counting as the most that it could. */
const endAbandonedCall = command({
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

const abandonedBefore = ({ config, clock }: Services) =>
  new Date(clock.now().getTime() - maxAttempts * (config.ai?.timeout_ms ?? longestAnswerMs))

export const endAbandoned: Schedule = {
  name: 'ai_calls.end_abandoned',
  every_minutes: 5,
  round: forEachDue({
    where: { task: 'ai_calls.end_abandoned', before: abandonedBefore },
    due: ({ services, read }) =>
      read(async tx => {
        return (await listAbandoned(tx, abandonedBefore(services), maxAtOnce)).map(params => ({ params }))
      }),
    action: endAbandonedCall,
  }),
}
