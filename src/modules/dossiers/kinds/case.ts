// What deviations and CAPAs share on paper and in a dossier.
import { dayOf, headings, labels, together } from '#kernel/print.ts'
import type { RecordParts } from '#modules/casework'
import type { SignatureOfRecord } from '#modules/signatures'
import type { Block } from '#platform/pdf/rendition.ts'
import { by, heading, labelled, plain, removalOf, table, withoutZone, words } from '../blocks.ts'
import { printed } from '../messages.ts'
import type { RecordedFile, RecordedSignature } from '../subject.ts'

/** The rest are in parts/comments.json of the dossier. */
const maxPrintedComments = 500

/** Without the keys of files in the store, which mean nothing outside of it. */
export const partsOf = ({ history, extensions, links, comments, files }: RecordParts) => ({
  history,
  extensions,
  links,
  comments,
  attachments: files.map(({ file_key, ...rest }) => rest),
})

export const filesOf = ({ files }: RecordParts): RecordedFile[] =>
  files.map(({ id, file_key, file_name, file_size, sha256 }) => ({
    folder: String(id),
    of: { attachment_id: id },
    row: { attachment_id: id },
    key: file_key,
    name: file_name,
    size: file_size,
    sha256,
  }))

export const signaturesOf = (signatures: readonly SignatureOfRecord[]): RecordedSignature[] =>
  signatures.map(each => ({
    ...each,
    heading: printed.dossier_signatures_of_record({ number: each.row.record_number }),
  }))

export const pagesOfParts = (
  { history, extensions, links, comments, files }: RecordParts,
  altered: ReadonlySet<string>,
): Block[] => [
  ...table(
    headings.linked_records,
    [headings.record_number, headings.relation, headings.linked],
    links.map(({ number, resource_type, relation, direction, created_at, created_by }) => [
      number ?? printed.dossier_record_not_readable({ type: resource_type }),
      direction === 'to' ? plain(relation) : printed.dossier_relation_of_other({ relation }),
      by(created_at, created_by),
    ]),
  ),
  ...table(
    headings.attachments,
    [headings.file, headings.description, headings.sha256, headings.attached],
    files.map(file => [
      together(
        [
          file.file_name,
          printed.dossier_attachment({ id: file.id, size: file.file_size }),
          ...(file.file_removal ? [removalOf(file.file_removal)] : altered.has(file.file_key) ? [labels.altered] : []),
        ],
        '\n',
      ),
      file.description ?? '-',
      file.sha256,
      by(file.created_at, file.created_by),
    ]),
  ),
  ...table(
    headings.extensions,
    [headings.from, headings.to, headings.status, headings.requested, headings.decided, headings.reason],
    extensions.map(each => [
      dayOf(each.from_date),
      dayOf(each.to_date),
      plain(each.status),
      by(each.requested_at, each.requested_by),
      by(each.decided_at, each.decided_by),
      [each.reason, ...(each.comment ? [each.comment] : [])].join('\n'),
    ]),
  ),
  ...table(
    headings.history,
    [headings.time_utc, headings.event, headings.user, headings.reason, headings.signature],
    history.map(({ occurred_at, from, to, user, reason, signature_id }) => [
      withoutZone(occurred_at),
      from === null ? printed.dossier_created_as({ to }) : printed.dossier_transition({ from, to }),
      user ? words(user) : labels.system,
      words(reason),
      words(signature_id),
    ]),
  ),
  ...(comments.length === 0
    ? []
    : [
        heading(headings.comments),
        ...(comments.length > maxPrintedComments
          ? [
              {
                kind: 'warning' as const,
                text: printed.dossier_first_comments({ shown: maxPrintedComments, total: comments.length }),
              },
            ]
          : []),
        ...comments
          .slice(0, maxPrintedComments)
          .flatMap(({ text, created_at, created_by }) => labelled(by(created_at, created_by), text)),
      ]),
]
