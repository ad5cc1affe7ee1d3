import type { PrepareContext } from '#action'
import { personInWords } from '#kernel/person.ts'
import { headings } from '#kernel/print.ts'
import { readSignaturesOf, type SignatureOfRecord } from '#modules/signatures'
import { readTrainingRecord, recordOnPaper, requireTrainingRecord } from '#modules/training'
import type { Fact } from '#platform/pdf/rendition.ts'
import { plain, yesOrNo } from '../blocks.ts'
import { printed } from '../messages.ts'
import type { Kind, Subject } from '../subject.ts'
import { signaturesOf } from './case.ts'

type Record = Awaited<ReturnType<typeof readTrainingRecord>>

const reading = [
  ...['training_assignment.record_exported', 'training_assignment.dossier_exported'],
  ...['training_record.exported', 'access.denied'],
] as Kind<unknown>['reading']

/** One training of a person. */
export const assignments: Kind<{ id: number }> = {
  reading,
  async require(context, { id }) {
    const { mark, number } = await requireTrainingRecord(context, { assignment_id: id })
    return { id, number, mark }
  },
  async read(context, { id }) {
    const record = await readTrainingRecord(context, { assignment_id: id })
    const [entry] = record.entries
    const { number, title, status, revision, type } = entry!
    return {
      ...(await commonOf(context, record)),
      ...{ type: 'training_assignment', id, title, status: plain(status), revision },
      number: printed.dossier_training({ number, id }).text,
      printed_number: printed.dossier_training({ number, id }),
      facts: [
        [headings.person, personInWords(record.trainee)],
        [headings.role, record.trainee.role],
        [headings.program, number],
        [headings.type, plain(type)],
        [headings.assignment, String(id)],
        [headings.valid_today, yesOrNo(entry!.is_valid)],
      ],
    }
  },
}

/** All training of a person. */
export const trainingRecords: Kind<{ user_id: number }> = {
  reading,
  async require(context, { user_id }) {
    const { number, mark } = await requireTrainingRecord(context, { user_id })
    return { id: user_id, number, mark }
  },
  async read(context, { user_id }) {
    const record = await readTrainingRecord(context, { user_id })
    const { trainee, entries } = record
    const facts: Fact[] = [
      [headings.person, personInWords(trainee)],
      [headings.role, trainee.role],
      [headings.active, yesOrNo(trainee.is_active)],
      [headings.assignments, String(entries.length)],
    ]
    return {
      ...(await commonOf(context, record)),
      ...{
        type: 'training_record',

        id: user_id,
        number: trainee.username,
        revision: null,
      },
      title: personInWords(trainee),
      status: headings.training_record,
      facts,
    }
  },
}

const signedAtOnce = 100

async function commonOf(context: PrepareContext, { trainee, entries, attempts, mark }: Record) {
  const ids = entries.map(({ assignment_id }) => assignment_id)
  const signatures: SignatureOfRecord[] = []
  for (let from = 0; from < ids.length; from += signedAtOnce)
    signatures.push(
      ...(await context.read(tx =>
        readSignaturesOf(tx, context.services.signing, 'training_assignment', ids.slice(from, from + signedAtOnce)),
      )),
    )
  const { role, is_active, ...user } = trainee
  return {
    mark,
    changed_at: null,
    // Whether a training is overdue or valid depends on the day.
    record: { user, assignments: entries.map(({ is_overdue, is_valid, ...entry }) => entry) },
    parts: { attempts },
    pages: () => recordOnPaper(entries),
    files: [],
    signatures: signaturesOf(signatures),
    scope: {
      resources: [{ type: 'training_assignment', ids }],
      refused: entries.map(({ assignment_id: id, number }) => ({ id, number })),
    },
  } satisfies Omit<Subject, 'type' | 'id' | 'number' | 'title' | 'status' | 'revision' | 'facts'>
}
