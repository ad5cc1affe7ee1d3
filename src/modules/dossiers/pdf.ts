import { headings, labels } from '#kernel/labels.ts'
import { printed as kernel } from '#kernel/messages.ts'
import { momentInBoth, momentInUtc } from '#kernel/moment.ts'
import { personInWords } from '#kernel/person.ts'
import { manifestation } from '#modules/signatures'
import type { Block, PdfInfo, Stamp } from '#platform/pdf/rendition.ts'
import { type Collected, isIntact, maxPrintedEntries } from './collect.ts'
import type { Manifest } from './manifest.ts'
import { printed } from './messages.ts'
import { moment, type Row, tables, words } from './tables.ts'

/** The dossier as a PDF for people. It repeats facts of the other parts, and has none of its own. */
export function dossierPdf(collected: Collected, manifest: Manifest): { blocks: Block[]; info: PdfInfo; stamp: Stamp } {
  const { document, zone } = collected
  const at = new Date(manifest.generated_at)
  const person = personInWords(manifest.generated_by)
  return {
    blocks: [
      ...coverOf(collected, manifest, momentInBoth(zone, at), person),
      ...versionsOf(collected),
      ...partsOf(collected),
      ...signaturesOf(collected),
      ...auditOf(collected),
      ...hashesOf(collected, manifest),
    ],
    info: {
      title: printed.dossier_title({ number: document.number }).text,
      subject: document.title,
      author: person,
      created_at: manifest.generated_at,
    },
    stamp: {
      head: { left: document.number, right: headings.dossier, below: document.title },
      foot: {
        first: kernel.printed_footer_at({ person, moment: momentInUtc(at) }).text,
        last: printed.dossier_content_digest({ digest: manifest.content_sha256 }).text,
      },
    },
  }
}

function coverOf({ document, versions }: Collected, manifest: Manifest, at: string, person: string): Block[] {
  const failed = manifest.failed_checks
  return [
    { kind: 'title', text: printed.dossier_title({ number: document.number }).text },
    { kind: 'text', text: document.title },
    ...failed.map(text => ({ kind: 'warning' as const, text })),
    {
      kind: 'facts',
      facts: [
        [headings.number, document.number],
        [headings.title, document.title],
        [headings.document_type, document.document_type.name],
        [headings.owner, words(document.owner)],
        [headings.status, printed.dossier_status(document).text],
        [headings.effective_version, document.effective_version ?? labels.none],
        [headings.effective_date, document.effective_date ?? labels.not_set],
        [headings.review_due, document.review_due_date ?? labels.not_set],
        [headings.category, document.category ?? '-'],
        [headings.keywords, document.keywords.join(', ')],
        [headings.versions, String(versions.length)],
        [headings.signatures, printed.dossier_signature_count(manifest.signatures).text],
        [headings.audit_entries, String(manifest.audit_entries)],
        [headings.created, madeBy(document)],
        [
          headings.last_changed,
          printed.dossier_last_changed({ moment: moment(document.updated_at), revision: document.revision }).text,
        ],
        [headings.generated, printed.dossier_made_with({ moment: at, person, release: manifest.service.version }).text],
        [headings.content_sha256, manifest.content_sha256],
      ],
    },
    {
      kind: 'note',
      text: printed.dossier_other_files().text,
    },
  ]
}

function versionsOf({ versions, files }: Collected): Block[] {
  return versions.flatMap((version, at): Block[] => [
    { kind: 'heading', text: printed.dossier_version({ version: version.version }).text },
    ...(isIntact(files[at]!) ? [] : [{ kind: 'warning' as const, text: printed.dossier_file_differs().text }]),
    {
      kind: 'facts',
      facts: [
        [headings.status, version.status],
        [headings.title, version.title],
        [headings.category, version.category ?? '-'],
        [headings.description, version.description ?? '-'],
        [headings.keywords, version.keywords.join(', ')],
        [headings.change, `${version.change_type}${version.change_reason ? `: ${version.change_reason}` : ''}`],
        [headings.uploaded, madeBy(version)],
        [headings.submitted, moment(version.submitted_at)],
        [headings.approved, moment(version.approved_at)],
        [
          headings.effective,
          version.effective_at
            ? `${version.effective_date} (${moment(version.effective_at)})`
            : (version.effective_date ?? '-'),
        ],
        [
          headings.workflow,
          printed.dossier_workflow({
            name: version.workflow_template,
            version: version.workflow_template_version,
            round: version.round,
          }).text,
        ],
        [
          headings.file,
          printed.dossier_file({
            name: version.file_name,
            type: version.content_type,
            size: version.file_size.toLocaleString('en'),
          }).text,
        ],
        [headings.sha256, version.sha256],
      ],
    },
  ])
}

function partsOf({ parts }: Collected): Block[] {
  return Object.entries(tables).flatMap(([name, { title, columns }]): Block[] => {
    const rows = (parts[name] ?? []) as Row[]
    if (rows.length === 0) return []
    return [
      { kind: 'heading', text: title },
      {
        kind: 'table',
        columns: columns.map(({ title, share }) => ({ title, share })),
        rows: rows.map(row => columns.map(({ of }) => of(row))),
      },
    ]
  })
}

function signaturesOf({ versions, signatures }: Collected): Block[] {
  return [
    { kind: 'heading', text: headings.signatures },
    ...(signatures.length === 0 ? [{ kind: 'text' as const, text: printed.dossier_no_signatures().text }] : []),
    ...versions.flatMap(({ id, version }): Block[] => {
      const own = signatures.filter(({ row }) => row.version_id === id)
      if (own.length === 0) return []
      return [
        { kind: 'heading', text: printed.dossier_signatures_of({ version }).text },
        ...manifestation(own.map(({ row }) => row)),
        {
          kind: 'facts',
          facts: own.map(({ row, verification: { status, checks } }) => {
            const failed = checks.filter(({ passed }) => !passed).map(({ detail }) => detail)
            return [
              printed.dossier_signature({ id: row.id }).text,
              failed.length === 0
                ? printed.dossier_signature_verified({ status }).text
                : printed.dossier_signature_failed({ status, checks: failed }).text,
            ]
          }),
        },
      ]
    }),
  ]
}

function auditOf({ audit: { printed: entries, total } }: Collected): Block[] {
  return [
    { kind: 'heading', text: headings.audit_trail },
    ...(total > maxPrintedEntries
      ? [
          {
            kind: 'warning' as const,
            text: printed.dossier_first_entries({ shown: maxPrintedEntries, total }).text,
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
        moment(occurred_at).replace(' UTC', ''),
        user.username === null ? labels.redacted : `${user.username} (${user.role})`,
        outcome === 'success' ? action : `${action} (${outcome})`,
        changes === null ? labels.redacted : changesOf(changes as Changes),
        words(reason),
      ]),
    },
  ]
}

const madeBy = ({ created_at, created_by }: { created_at: string; created_by: object | null }) =>
  kernel.printed_by({ moment: moment(created_at), person: words(created_by) }).text

type Changes = Record<string, { from: unknown; to: unknown }>
const changesOf = (changes: Changes) =>
  Object.entries(changes)
    .map(([field, { from, to }]) => `${field}: ${from === null ? '' : `${words(from)} to `}${words(to)}`)
    .join('; ')

function hashesOf({ files }: Collected, { files: checked }: Manifest): Block[] {
  return [
    { kind: 'heading', text: headings.files },
    {
      kind: 'table',
      columns: [
        { title: headings.version, share: 1 },
        { title: headings.name, share: 4 },
        { title: headings.sha256, share: 9 },
        { title: headings.checked, share: 2 },
      ],
      rows: files.map(({ version, name, sha256 }, at) => [
        version,
        name,
        sha256,
        checked[at]!.is_intact ? labels.as_stored : checked[at]!.found ? labels.altered : labels.missing,
      ]),
    },
  ]
}
