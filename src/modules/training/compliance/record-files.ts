import { momentInUtc } from '#kernel/moment.ts'
import { personInWords } from '#kernel/person.ts'
import { type CsvRow, csvOf } from '#platform/csv.ts'
import type { Block, Fact } from '#platform/pdf/rendition.ts'
import type { RecordEntry, RecordSignature } from './record-schema.ts'

const moment = (text: string | null) => (text === null ? '' : momentInUtc(new Date(text)))
const signed = (signature: RecordSignature | null) =>
  signature === null
    ? ''
    : `${signature.meaning} by ${personInWords(signature.signer)} at ${moment(signature.signed_at)}, verification code ${signature.verification_code}${signature.is_void ? ', VOID' : ''}`
const standing = ({ status, is_overdue, is_valid }: RecordEntry) =>
  is_overdue ? 'overdue' : status === 'completed' && !is_valid ? 'completed, not valid today' : status

const columns: [title: string, of: (entry: RecordEntry) => string | number | null][] = [
  ['Assignment', entry => entry.assignment_id],
  ['Program', entry => entry.number],
  ['Title', entry => entry.title],
  ['Type', entry => entry.type],
  ['Status', entry => entry.status],
  ['Valid today', entry => (entry.is_valid ? 'yes' : 'no')],
  ['Document', entry => entry.document?.number ?? null],
  ['Version', entry => entry.document?.version ?? null],
  ['Source', entry => entry.source],
  ['Assigned', entry => moment(entry.assigned_at)],
  ['Assigned by', entry => entry.assigned_by && personInWords(entry.assigned_by)],
  ['Due', entry => entry.due_date],
  ['Overdue', entry => (entry.is_overdue ? 'yes' : 'no')],
  ['Completed', entry => moment(entry.completed_at)],
  ['Score', entry => entry.score],
  ['Attempts', entry => entry.attempts],
  ['Valid until', entry => entry.valid_until],
  ['Signature', entry => signed(entry.signature)],
  ['Verification', entry => signed(entry.verification_signature)],
  ['Reason', entry => entry.reason],
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
    ['Status', standing(entry)],
    ['Document', document && `${document.number}${document.version === null ? '' : ` version ${document.version}`}`],
    ['Assigned', `${moment(entry.assigned_at)}${entry.assigned_by ? ` by ${personInWords(entry.assigned_by)}` : ''}`],
    ['Due', entry.due_date],
    ['Completed', moment(entry.completed_at)],
    [
      'Quiz',
      quiz_attempts
        .map(({ attempt_number, score, passed }) => `attempt ${attempt_number}: ${score} %${passed ? ', passed' : ''}`)
        .join('; '),
    ],
    ['Valid until', entry.valid_until],
    ['Intent', signature?.intent ?? null],
    ['Signed', signed(signature)],
    ['Verified', signed(verification_signature)],
    ['Reason', entry.reason],
  ]
  return facts.flatMap(([name, value]): Fact[] => (value ? [[name, value]] : []))
}

export const recordOnPaper = (entries: readonly RecordEntry[]): Block[] =>
  entries.length === 0
    ? [{ kind: 'text', text: 'Nothing was assigned to this person.' }]
    : entries.flatMap((entry): Block[] => [
        { kind: 'heading', text: `${entry.number} ${entry.title}` },
        { kind: 'facts', facts: factsOf(entry) },
      ])
