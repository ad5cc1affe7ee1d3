// The pages of an archive that people read without the service.
import { momentInBoth } from '#kernel/moment.ts'
import { headings, numberOf, type Print, printIn, together, wordOf } from '#kernel/print.ts'
import type { WholeTrail } from '#modules/audit'
import { html, type Markup } from '#platform/html.ts'
import type { Received } from '#platform/storage/storage.ts'
import type { ArchiveSink } from '../../archive.ts'
import { printed } from '../../messages.ts'
import type { Contents } from '../../schema.ts'
import type { Requested } from '../manifest.ts'
import type { Track } from '../progress.ts'
import type { Json } from '../records.ts'
import type { ArchivedSignature } from '../signatures.ts'
import type { Snapshot } from '../snapshot.ts'
import { objectsOf, textOf } from '../spool.ts'
import { factsAsHtml, tableAsHtml } from './blocks.ts'
import { type Cell, type List, listPages, momentCell, recordLists } from './lists.ts'
import { nameOfPlace, pageOf, places, rootFrom, type Surroundings } from './page.ts'
import { type FileState, filesTable, recordPages, type SpooledPage } from './record.ts'

interface Adding {
  sink: ArchiveSink
  snapshot: Snapshot
  contents: Contents
  trail: WholeTrail
  requested: Requested
  /** The lines of signatures.jsonl. */
  verified: Received
  stateOf(sha256: string): FileState
  track: Track
}

/** The folder of the pages of records, by the kind of record that a signature names. */
const signedPages: Partial<Record<string, string>> = {
  document: 'pages/documents',
  deviation: 'pages/deviations',
  capa: 'pages/capas',
}

export async function addPages(adding: Adding): Promise<void> {
  const { sink, snapshot, stateOf, track } = adding
  const around: Surroundings = {
    language: snapshot.language,
    company: snapshot.tenant.name,
    moment: momentInBoth(snapshot.zone, new Date(snapshot.at)),
  }
  const add = (path: string, text: string) => sink.add(path, textOf(text))
  const written = new Map<string, Set<number>>()
  for (const { kind, spooled } of snapshot.pages) {
    const { folder } = recordPages[kind.name]!
    const { place } = recordLists[kind.name as keyof typeof recordLists]
    const ids = new Set<number>()
    written.set(folder, ids)
    for await (const { id, title, facts, files, rest } of objectsOf<SpooledPage>(spooled)) {
      const path = `${folder}/${id}.html`
      const table = filesTable({ files }, { root: rootFrom(path), language: around.language, stateOf })
      const body = `${html`<h1>${title}</h1>`.text}\n${facts}${table.text}${rest}`
      await add(path, pageOf(around, { path, place, title, body }))
      ids.add(id)
    }
    track.advance()
  }
  const pageOfRecord = (folder: string, id: unknown) =>
    written.get(folder)?.has(id as number) ? `${folder}/${String(id as number)}.html` : undefined
  for (const list of listsOf(adding, pageOfRecord))
    for await (const { path, text } of listPages(around, list)) await add(path, text)
  await add('pages/trail.html', trailPage(around, adding))
  await add('index.html', overview(around, adding))
}

type PageOfRecord = (folder: string, id: unknown) => string | undefined

function listsOf({ snapshot, contents, verified }: Adding, pageOfRecord: PageOfRecord): List[] {
  const lists = Object.entries(recordLists).map(([name, { place, path, columns, row }]): List => {
    const { spooled, count } = snapshot.records.find(({ kind }) => kind.name === name)!
    const folder = recordPages[name]?.folder
    const toOf = (record: Json) =>
      folder ? pageOfRecord(folder, record.id) : pageOfRecord('pages/people', (record.user as Json | null)?.id)
    return {
      ...{ place, path, columns, count },
      title: nameOfPlace(place),
      lead: printed.export_list_lead({ file: `records/${name}.jsonl` }),
      rows: (async function* () {
        for await (const record of objectsOf<Json>(spooled)) yield row(record, toOf(record))
      })(),
    }
  })
  const signatures: List = {
    place: 'signatures',
    path: 'pages/signatures.html',
    title: nameOfPlace('signatures'),
    lead: printed.export_signatures_lead({ total: contents.signatures, valid: contents.signatures_valid }),
    columns: [
      ...[printed.export_signature(), headings.record_number, headings.person, headings.meaning, headings.signed],
      ...[headings.status, headings.verification_code],
    ],
    count: contents.signatures,
    rows: (async function* () {
      for await (const each of objectsOf<ArchivedSignature>(verified)) yield signatureRow(each, pageOfRecord)
    })(),
  }
  return [...lists, signatures]
}

const signatureRow = (each: ArchivedSignature, pageOfRecord: PageOfRecord): readonly Cell[] => {
  const number = [each.record_number, each.document_version].filter(Boolean).join(' ')
  const folder = signedPages[each.resource_type]
  const failed = (each.verification?.checks ?? []).filter(({ passed }) => !passed).map(({ name }) => wordOf(name))
  return [
    { text: String(each.id), to: undefined, id: `s${each.id}` },
    { text: number, to: folder && pageOfRecord(folder, each.resource_id) },
    `${each.signer.full_name ?? each.signer.username} (${each.signer.role})`,
    wordOf(each.signature_type),
    momentCell(each.signed_at),
    each.verification === null
      ? printed.export_signature_unreadable()
      : together([printed.export_signature_status({ status: each.verification.status }), ...failed], '; '),
    each.verification_code,
  ]
}

function trailPage(around: Surroundings, { snapshot, trail }: Adding): string {
  const say = (text: Print) => printIn(around.language, text)
  const path = 'pages/trail.html'
  const title = say(nameOfPlace('trail'))
  const body = html`<h1>${title}</h1>
<p class="lead">${say(printed.export_trail_lead())}</p>
${factsAsHtml([
  [say(headings.log), trail.origin],
  [say(headings.entries), say(numberOf(trail.entries))],
  [say(headings.entries_in_the_tree), say(numberOf(trail.size))],
  [say(headings.root_base64), trail.root ?? '-'],
  [say(printed.export_verifier_key()), trail.vkey],
])}
<p>${say(printed.export_trail_file())} <a href="../audit/trail.zip">audit/trail.zip</a></p>
<pre>node verifier/attest-audit-verify.mjs audit/trail.zip --whole --vkey KEY</pre>
<h2>${say(printed.export_trail_actions())}</h2>
${tableAsHtml(
  [say(headings.action), say(headings.entries)],
  snapshot.actions.map(({ action, count }) => [html`${action}`, html`${say(numberOf(count))}`]),
  { named: say(printed.export_trail_actions()), isHeaded: true, numbers: [1] },
)}`
  return pageOf(around, { path, place: 'trail', title, body: body.text })
}

function overview(around: Surroundings, { snapshot, contents, trail, requested }: Adding): string {
  const say = (text: Print) => printIn(around.language, text)
  const moment = (text: string) => momentInBoth(snapshot.zone, new Date(text))
  const counts: Record<string, number> = {
    ...contents.records,
    people: contents.records.users ?? 0,
    training: contents.records.training_assignments ?? 0,
    signatures: contents.signatures,
    trail: contents.audit_entries,
  }
  const title = say(printed.export_title({ company: snapshot.tenant.name }))
  const links: Markup[][] = places
    .filter(([place]) => place !== 'index')
    .map(([place, to]) => [
      html`<a href="${to}">${say(nameOfPlace(place))}</a>`,
      html`${say(numberOf(counts[place] ?? 0))}`,
    ])
  const others = snapshot.records
    .filter(({ kind }) => !(kind.name in recordLists))
    .map(({ kind: { name }, count }) => [
      html`<a class="wrap" href="records/${name}.jsonl">records/${name}.jsonl</a>`,
      html`${say(numberOf(count))}`,
    ])
  const wrong = contents.files_missing > 0
  const body = html`<h1>${title}</h1>
<p class="lead">${say(printed.export_lead({ moment: moment(snapshot.at) }))}</p>
${wrong ? html`<p class="warning">${say(printed.export_files_missing({ count: contents.files_missing }))}</p>` : html``}
${tableAsHtml([say(printed.export_column_records()), say(printed.export_column_count())], links, {
  named: say(printed.export_column_records()),
  isHeaded: true,
  numbers: [1],
})}
<h2>${say(printed.export_about())}</h2>
${factsAsHtml([
  [say(headings.company), snapshot.tenant.name],
  [say(printed.export_as_of()), moment(snapshot.at)],
  [
    say(printed.export_requested()),
    say(printed.export_requested_by({ person: requested.by, moment: moment(requested.at) })),
  ],
  [say(headings.reason), requested.reason],
  [
    say(printed.export_files()),
    say(printed.export_files_count({ count: contents.files, bytes: contents.files_bytes })),
  ],
  [
    say(headings.signatures),
    say(printed.export_signatures_lead({ total: contents.signatures, valid: contents.signatures_valid })),
  ],
  [say(printed.export_installation()), snapshot.installation?.id ?? '-'],
  [say(printed.export_verifier_key()), trail.vkey],
])}
<h2>${say(printed.export_check())}</h2>
<p>${say(printed.export_check_how())}</p>
<pre>node verifier/attest-export-verify.mjs . --vkey KEY --key KEY</pre>
<p>${say(printed.export_readme())} <a href="README.md">README.md</a></p>
<h2>${say(printed.export_other_records())}</h2>
${tableAsHtml([say(headings.file), say(printed.export_column_count())], others, {
  named: say(printed.export_other_records()),
  isHeaded: true,
  numbers: [1],
})}`
  return pageOf(around, { path: 'index.html', place: 'index', title, body: body.text })
}
