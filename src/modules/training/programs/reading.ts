import type { ActionContext } from '#action'
import { notFound } from '#kernel/errors.ts'
import { trainingPattern } from '#kernel/number-pattern.ts'
import { seriesOf, takeNumber } from '#platform/db/numbers.ts'
import { programDefaults } from '../rules.ts'
import { findProgram, findReadable, findReading, insertProgram, lockOfDocument, type ProgramRow } from './queries.ts'
import { recordedOf } from './view.ts'

const programSeries = seriesOf({ number_pattern: trainingPattern }, { today: '' })

export const takeProgramNumber = ({ tx }: Pick<ActionContext<unknown>, 'tx'>) => takeNumber(tx, programSeries)

/**
 * The active reading of a document, created if there is none. The actor must be able to read the document.
 */
export async function readingOf(context: ActionContext<unknown>, document_id: number): Promise<ProgramRow> {
  const { tx, actor, record } = context
  const document = await findReadable(tx, actor, document_id)
  if (!document) throw notFound('Document')
  const there = await findReading(tx, document_id)
  if (there) return (await findProgram(tx, there.id))!
  // If two requests come at once, the second finds the reading of the first.
  await lockOfDocument(tx, document_id)
  const meanwhile = await findReading(tx, document_id)
  if (meanwhile) return (await findProgram(tx, meanwhile.id))!
  const number = await takeProgramNumber(context)
  const fields = {
    title: `${document.number}: ${document.title}`.slice(0, 500),
    description: '',
    type: 'read_and_understand',
    document_id,
    due_days: programDefaults.due_days,
    valid_months: null,
    requires_verification: false,
    requires_opening: false,
  } as const
  const { id } = await insertProgram(tx, { ...fields, number, quiz_version: null })
  record('training_program.created', id, {
    number,
    after: { ...recordedOf({ ...fields, status: 'active' }, undefined), revision: 1 },
  })
  return (await findProgram(tx, id))!
}
