import { headings, labelOf, labels } from '#kernel/labels.ts'
import { printed as kernel } from '#kernel/messages.ts'
import { momentInUtc } from '#kernel/moment.ts'
import { personInWords } from '#kernel/person.ts'
import { type CsvRow, csvOf } from '#platform/csv.ts'
import type { Block, Fact } from '#platform/pdf/rendition.ts'
import { printed } from '../messages.ts'
import type { RecordEntry, RecordSignature } from './record-schema.ts'

const moment = (text: string | null) => (text === null ? '' : momentInUtc(new Date(text)))
const signed = (signature: RecordSignature | null) =>
  signature === null
    ? ''
    : printed.training_record_signed({
        meaning: signature.meaning,
        signer: personInWords(signature.signer),
        moment: moment(signature.signed_at),
        code: signature.verification_code,
        is_void: signature.is_void,
      }).text
const standing = ({ status, is_overdue, is_valid }: RecordEntry) =>
  is_overdue ? labels.overdue : status === 'completed' && !is_valid ? labels.not_valid_today : labelOf(status)

const opened = ({ opened }: RecordEntry) =>
  opened === null ? '' : printed.training_record_opened({ version: opened.version, moment: moment(opened.at) }).text

const yesOrNo = (is: boolean) => (is ? labels.yes : labels.no)

const columns: [title: string, of: (entry: RecordEntry) => string | number | null][] = [
  [headings.assignment, entry => entry.assignment_id],
  [headings.program, entry => entry.number],
  [headings.title, entry => entry.title],
  [headings.type, entry => entry.type],
  [headings.status, entry => entry.status],
  [headings.valid_today, entry => yesOrNo(entry.is_valid)],
  [headings.document, entry => entry.document?.number ?? null],
  [headings.version, entry => entry.document?.version ?? null],
  [headings.source, entry => entry.source],
  [headings.assigned, entry => moment(entry.assigned_at)],
  [headings.assigned_by, entry => entry.assigned_by && personInWords(entry.assigned_by)],
  [headings.due, entry => entry.due_date],
  [headings.overdue, entry => yesOrNo(entry.is_overdue)],
  [headings.opened, entry => opened(entry)],
  [headings.completed, entry => moment(entry.completed_at)],
  [headings.score, entry => entry.score],
  [headings.attempts, entry => entry.attempts],
  [headings.valid_until, entry => entry.valid_until],
  [headings.signature, entry => signed(entry.signature)],
  [headings.verification, entry => signed(entry.verification_signature)],
  [headings.reason, entry => entry.reason],
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
  const facts: [string, string | null][] = [
    [headings.status, standing(entry)],
    [
      headings.document,
      document &&
        (document.version === null
          ? document.number
          : printed.training_record_document({ number: document.number, version: document.version }).text),
    ],
    [
      headings.assigned,
      entry.assigned_by
        ? kernel.printed_by({ moment: moment(entry.assigned_at), person: personInWords(entry.assigned_by) }).text
        : moment(entry.assigned_at),
    ],
    [headings.due, entry.due_date],
    [headings.opened, opened(entry)],
    [headings.completed, moment(entry.completed_at)],
    [headings.quiz, quiz_attempts.map(attempt => printed.training_record_attempt(attempt).text).join('; ')],
    [headings.valid_until, entry.valid_until],
    [headings.intent, signature?.intent ?? null],
    [headings.signed, signed(signature)],
    [headings.verified, signed(verification_signature)],
    [headings.reason, entry.reason],
  ]
  return facts.flatMap(([name, value]): Fact[] => (value ? [[name, value]] : []))
}

export const recordOnPaper = (entries: readonly RecordEntry[]): Block[] =>
  entries.length === 0
    ? [{ kind: 'text', text: printed.training_record_empty().text }]
    : entries.flatMap((entry): Block[] => [
        { kind: 'heading', text: `${entry.number} ${entry.title}` },
        { kind: 'facts', facts: factsOf(entry) },
      ])
