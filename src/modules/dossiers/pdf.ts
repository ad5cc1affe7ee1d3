import { printed as kernel } from '#kernel/messages.ts'
import { momentInBoth, momentInUtc } from '#kernel/moment.ts'
import { personInWords } from '#kernel/person.ts'
import { headings, labels, type Print, printIn, together } from '#kernel/print.ts'
import { howToVerify, manifestationOf } from '#modules/signatures'
import type { Block, Fact, PdfInfo, Stamp } from '#platform/pdf/rendition.ts'
import { momentWithin, withoutZone, words } from './blocks.ts'
import { type Collected, isAsExpected, isIntact, isRemoved, maxPrintedEntries } from './collect.ts'
import type { Manifest } from './manifest.ts'
import { printed } from './messages.ts'
import type { RecordedSignature, Subject } from './subject.ts'

interface Pages {
  blocks: Block[]
  info: PdfInfo
  stamp: Stamp
}

/** Who prints, for which company, and when. */
interface Printing {
  company: string
  by: { username: string; full_name: string | null }
  at: Date
}

/** The dossier as a PDF for people. It repeats facts of the other parts, and has none of its own. */
export function dossierPdf(collected: Collected, manifest: Manifest): Pages {
  const { subject, files, signatures } = collected
  const altered = new Set(files.filter(each => !isAsExpected(each)).map(({ key }) => key))
  return dossierPages(collected, manifest, manifest.failed_checks, [
    ...subject.pages(altered),
    ...signaturesOf(signatures, group => group.map(verifiedAs)),
    ...howToVerifyThem(signatures),
    ...auditOf(collected),
    ...hashesOf(collected),
  ])
}

/** For a record with so much text that its pages cannot be made. */
export const dossierCover = (collected: Collected, manifest: Manifest): Pages =>
  dossierPages(collected, manifest, [printed.dossier_too_large_to_print(), ...manifest.failed_checks], [])

function dossierPages(
  { subject, company, zone }: Collected,
  manifest: Manifest,
  warnings: readonly Print[],
  blocks: Block[],
): Pages {
  const printing = { company, by: manifest.generated_by, at: new Date(manifest.generated_at) }
  return pagesOf(subject, printing, {
    title: printed.dossier_title({ number: subject.number }),
    right: headings.dossier,
    last: printed.dossier_content_digest({ digest: manifest.content_sha256 }),
    warnings,
    facts: [
      [headings.signatures, printed.dossier_signature_count(manifest.signatures)],
      [headings.audit_entries, String(manifest.audit_entries)],
      ...changedOf(subject),
      [
        headings.generated,
        printed.dossier_made_with({
          moment: momentInBoth(zone, printing.at),
          person: personInWords(printing.by),
          release: manifest.service.version,
        }),
      ],
      [headings.content_sha256, manifest.content_sha256],
    ],
    note: printed.dossier_other_files(),
    blocks,
  })
}

/** The record as people read it. Nothing of it is compared with the stored files, and it says so. */
export function recordPdf(subject: Subject, printing: Printing & { zone: string }): Pages {
  const moment = momentInBoth(printing.zone, printing.at)
  return pagesOf(subject, printing, {
    title: printed.record_title({ number: subject.number }),
    right: subject.status,
    last: printed.record_footer(),
    warnings: [],
    facts: [
      ...changedOf(subject),
      [headings.generated, kernel.printed_by({ moment, person: personInWords(printing.by) })],
    ],
    note: printed.record_note(),
    blocks: [...subject.pages(new Set()), ...signaturePages(subject), ...howToVerifyThem(subject.signatures)],
  })
}

interface Parts {
  title: Print
  right: Print
  last: Print
  warnings: readonly Print[]
  facts: Fact[]
  note: Print
  blocks: Block[]
}

function pagesOf(
  { number, title, facts }: Subject,
  { company, by, at }: Printing,
  { title: text, right, last, warnings, facts: more, note, blocks }: Parts,
): Pages {
  const person = personInWords(by)
  return {
    blocks: [
      { kind: 'title', text },
      { kind: 'text', text: title },
      ...warnings.map(text => ({ kind: 'warning' as const, text })),
      {
        kind: 'facts',
        facts: [[headings.company, company], [headings.number, number], [headings.title, title], ...facts, ...more],
      },
      { kind: 'note', text: note },
      ...blocks,
    ],
    info: { title: text, subject: title, author: person, created_at: at.toISOString() },
    stamp: {
      head: { left: number, right, below: title },
      foot: { first: kernel.printed_footer_at({ person, moment: momentInUtc(at) }), last },
    },
  }
}

const changedOf = ({ changed_at, revision }: Subject): Fact[] =>
  changed_at === null || revision === null
    ? []
    : [[headings.last_changed, printed.dossier_last_changed({ moment: momentWithin(changed_at), revision })]]

/** The signatures of a record as they are printed. */
export const signaturePages = ({ signatures }: Pick<Subject, 'signatures'>): Block[] =>
  signaturesOf(signatures, () => [])

function signaturesOf<S extends RecordedSignature>(
  signatures: readonly S[],
  factsOf: (group: readonly S[]) => Fact[],
): Block[] {
  const groups = Map.groupBy(signatures, ({ heading }) => printIn('en', heading))
  return [
    { kind: 'heading', text: headings.signatures },
    ...(signatures.length === 0 ? [{ kind: 'text' as const, text: printed.dossier_no_signatures() }] : []),
    ...[...groups.values()].flatMap((group): Block[] => {
      const { heading } = group[0]!
      const facts = factsOf(group)
      return [
        { kind: 'heading', text: heading },
        ...manifestationOf(group.map(({ row }) => row)),
        ...(facts.length > 0 ? [{ kind: 'facts', facts } as const] : []),
      ]
    }),
  ]
}

const howToVerifyThem = (signatures: readonly RecordedSignature[]): Block[] =>
  signatures.length === 0 ? [] : [howToVerify()]

function verifiedAs({ row, verification: { status, checks } }: Collected['signatures'][number]): Fact {
  const failed = checks.filter(({ passed }) => !passed).map(({ detail }) => detail)
  const removed = checks.filter(({ was_removed }) => was_removed).map(({ detail }) => detail)
  return [
    printed.dossier_signature({ id: row.id }),
    failed.length === 0
      ? together([printed.dossier_signature_verified({ status }), ...removed], '\n')
      : printed.dossier_signature_failed({ status, checks: failed }),
  ]
}

function auditOf({ audit: { printed: entries, total } }: Collected): Block[] {
  return [
    { kind: 'heading', text: headings.audit_trail },
    ...(total > maxPrintedEntries
      ? [
          {
            kind: 'warning' as const,
            text: printed.dossier_first_entries({ shown: maxPrintedEntries, total }),
          },
        ]
      : []),
    {
      kind: 'table',
      columns: [
        { title: headings.entry, share: 1.4 },
        { title: headings.time_utc, share: 3 },
        { title: headings.user, share: 2.4 },
        { title: headings.action, share: 4 },
        { title: headings.changes, share: 5 },
        { title: headings.reason, share: 3 },
      ],
      rows: entries.map(({ id, occurred_at, user, action, outcome, changes, reason }) => [
        String(id),
        withoutZone(occurred_at),
        user.username === null ? labels.redacted : `${user.username} (${user.role})`,
        outcome === 'success' ? action : `${action} (${outcome})`,
        changes === null ? labels.redacted : changesOf(changes as Changes),
        words(reason),
      ]),
    },
  ]
}

type Changes = Record<string, { from: unknown; to: unknown }>
const changesOf = (changes: Changes) =>
  Object.entries(changes)
    .map(([field, { from, to }]) => `${field}: ${from === null ? '' : `${words(from)} to `}${words(to)}`)
    .join('; ')

function hashesOf({ files }: Collected): Block[] {
  if (files.length === 0) return []
  return [
    { kind: 'heading', text: headings.files },
    {
      kind: 'table',
      columns: [
        { title: headings.folder, share: 1 },
        { title: headings.name, share: 4 },
        { title: headings.sha256, share: 9 },
        { title: headings.checked, share: 2 },
      ],
      rows: files.map(file => [
        file.folder,
        file.name,
        file.sha256,
        isRemoved(file)
          ? labels.removed
          : isIntact(file)
            ? labels.as_stored
            : file.found
              ? labels.altered
              : labels.missing,
      ]),
    },
  ]
}
