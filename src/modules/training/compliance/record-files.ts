import { headings as columnNames, labels as columnValues } from '#kernel/labels.ts'
import { printed as kernel } from '#kernel/messages.ts'
import { momentInUtc as momentText } from '#kernel/moment.ts'
import { personInWords } from '#kernel/person.ts'
import { dayOf, headings, labels, momentInUtc, type Print, together, wordOf } from '#kernel/print.ts'
import { type CsvRow, csvOf } from '#platform/csv.ts'
import type { Block, Fact } from '#platform/pdf/rendition.ts'
import { printed } from '../messages.ts'
import type { RecordEntry, RecordSignature } from './record-schema.ts'

const moment = (text: string | null) => (text === null ? '' : momentText(new Date(text)))
const momentOnPaper = (text: string | null): Print | null => (text === null ? null : momentInUtc(new Date(text)))
const signed = (signature: RecordSignature | null) =>
  signature === null
    ? null
    : printed.training_record_signed({
        meaning: signature.meaning,
        signer: personInWords(signature.signer),
        moment: moment(signature.signed_at),
        code: signature.verification_code,
        is_void: signature.is_void,
      })
const standing = ({ status, is_overdue, is_valid }: RecordEntry) =>
  is_overdue ? labels.overdue : status === 'completed' && !is_valid ? labels.not_valid_today : wordOf(status)

const opened = ({ opened }: RecordEntry) =>
  opened === null ? null : printed.training_record_opened({ version: opened.version, moment: moment(opened.at) })

const yesOrNo = (is: boolean) => (is ? columnValues.yes : columnValues.no)

const columns: [title: string, of: (entry: RecordEntry) => string | number | null][] = [
  [columnNames.assignment, entry => entry.assignment_id],
  [columnNames.program, entry => entry.number],
  [columnNames.title, entry => entry.title],
  [columnNames.type, entry => entry.type],
  [columnNames.status, entry => entry.status],
  [columnNames.valid_today, entry => yesOrNo(entry.is_valid)],
  [columnNames.document, entry => entry.document?.number ?? null],
  [columnNames.version, entry => entry.document?.version ?? null],
  [columnNames.source, entry => entry.source],
  [columnNames.assigned, entry => moment(entry.assigned_at)],
  [columnNames.assigned_by, entry => entry.assigned_by && personInWords(entry.assigned_by)],
  [columnNames.due, entry => entry.due_date],
  [columnNames.overdue, entry => yesOrNo(entry.is_overdue)],
  [columnNames.opened, entry => opened(entry)?.text ?? ''],
  [columnNames.completed, entry => moment(entry.completed_at)],
  [columnNames.score, entry => entry.score],
  [columnNames.attempts, entry => entry.attempts],
  [columnNames.valid_until, entry => entry.valid_until],
  [
    columnNames.signature,
    entry => (entry.source === 'migration' ? printed.training_record_imported() : signed(entry.signature))?.text ?? '',
  ],
  [columnNames.verification, entry => signed(entry.verification_signature)?.text ?? ''],
  [columnNames.reason, entry => entry.reason],
]

export const recordAsCsv = (parts: AsyncIterable<readonly RecordEntry[]>) =>
  csvOf(
    columns.map(([title]) => title),
    linesOf(parts),
  )

async function* linesOf(parts: AsyncIterable<readonly RecordEntry[]>): AsyncGenerator<CsvRow[]> {
  for await (const entries of parts) yield entries.map(entry => columns.map(([, of]) => of(entry)))
}

/** 21 CFR 11.50(b): each signature with the name, the time and the meaning. */
function factsOf(entry: RecordEntry): Fact[] {
  const { document, signature, verification_signature, quiz_attempts } = entry
  const facts: [Print, Print | null][] = [
    [headings.status, standing(entry)],
    [
      headings.document,
      document &&
        (document.version === null
          ? document.number
          : printed.training_record_document({ number: document.number, version: document.version })),
    ],
    [
      headings.assigned,
      entry.assigned_by
        ? kernel.printed_by({ moment: moment(entry.assigned_at), person: personInWords(entry.assigned_by) })
        : momentOnPaper(entry.assigned_at),
    ],
    [headings.due, entry.due_date && dayOf(entry.due_date)],
    [headings.opened, opened(entry)],
    [headings.completed, momentOnPaper(entry.completed_at)],
    [
      headings.quiz,
      quiz_attempts.length === 0 ? null : together(quiz_attempts.map(printed.training_record_attempt), '; '),
    ],
    [headings.valid_until, entry.valid_until && dayOf(entry.valid_until)],
    [headings.intent, signature?.intent ?? null],
    [headings.signed, entry.source === 'migration' ? printed.training_record_imported() : signed(signature)],
    [headings.verified, signed(verification_signature)],
    [headings.reason, entry.reason],
  ]
  return facts.flatMap(([name, value]): Fact[] => (value ? [[name, value]] : []))
}

export const recordOnPaper = (entries: readonly RecordEntry[]): Block[] =>
  entries.length === 0
    ? [{ kind: 'text', text: printed.training_record_empty() }]
    : entries.flatMap((entry): Block[] => [
        { kind: 'heading', text: `${entry.number} ${entry.title}` },
        { kind: 'facts', facts: factsOf(entry) },
      ])
