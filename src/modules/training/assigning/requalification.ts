import { Type } from 'typebox'
import { command } from '#action'
import { conflict, notFound } from '#kernel/errors.ts'
import { Id } from '#kernel/schema.ts'
import { holding, todayOf } from '#modules/accounts'
import { forEachDue, type Schedule, type TenantRound } from '#modules/jobs'
import { setNotices } from '../assignments/reminder-queries.ts'
import { chunksOf, maxAtOnce, maxPerRun } from '../assignments/rules.ts'
import { messages } from '../messages.ts'
import { findProgram } from '../programs/queries.ts'
import { assignPeople } from './people.ts'
import { listEnding, lockEnding } from './requalification-queries.ts'

const requalify = command({
  summary: 'Assign the renewal of qualifications that end soon',
  permission: 'training.assign',
  input: { params: Type.Object({ program_id: Id, ids: Type.Array(Id) }) },
  response: Type.Null(),
  async run(context, { params }) {
    const { tx, record } = context
    const program = await findProgram(tx, params.program_id)
    if (!program) throw notFound('Training program')
    const today = await todayOf(context)
    const ending = await lockEnding(tx, params.ids, today, await holding(tx, 'training.complete', 'u'))
    if (ending.length === 0) throw conflict(messages.training_nothing_to_renew())
    const { number, title } = program
    for (const { id, user_id, valid_until } of ending)
      record('training_assignment.expiring', id, {
        number,
        after: { program_id: program.id, number, title, user_id, valid_until },
        notify: [user_id],
      })
    await setNotices(
      tx,
      ending.map(({ id }) => ({ id, notice_on: null })),
    )
    for (const [valid_until, people] of Map.groupBy(ending, each => each.valid_until))
      await assignPeople(
        context,
        program,
        people.map(({ user_id }) => user_id),
        {
          source: 'requalification',
          source_id: new Map(people.map(({ id, user_id }) => [user_id, id])),
          due_date: valid_until < today ? today : valid_until,
        },
      )
    return null
  },
})

async function endingDue({ services, read }: TenantRound) {
  const ending = await read(async tx =>
    listEnding(tx, await todayOf({ tx, services }), await holding(tx, 'training.complete', 'u'), maxPerRun),
  )
  return [...Map.groupBy(ending, ({ program_id }) => program_id)].flatMap(([program_id, some]) =>
    chunksOf(some, maxAtOnce).map(each => ({ params: { program_id, ids: each.map(({ id }) => id) } })),
  )
}

/** Renews each qualification once, before its last day. */
export const renewQualifications: Schedule = {
  name: 'training.requalification',
  every_minutes: 15,
  round: forEachDue({
    where: { task: 'training.requalification' },
    due: endingDue,
    action: requalify,
  }),
}
