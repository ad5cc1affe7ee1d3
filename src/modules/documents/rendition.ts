import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Actor, PrepareContext, Services } from '#action'
import type { MadeFile } from '#action/file.ts'
import { makeFile } from '#action/made.ts'
import { conflict } from '#kernel/errors.ts'
import { momentInBoth, momentInUtc } from '#kernel/moment.ts'
import { personInWords } from '#kernel/person.ts'
import { dayOf, headings, labels, type Print, together } from '#kernel/print.ts'
import { readSettings } from '#modules/accounts'
import { listRecords, manifestation, metadataDigest } from '#modules/signatures'
import type { Tx } from '#platform/db/database.ts'
import {
  type Block,
  ConverterMissing,
  type Fact,
  largest_shown_bytes,
  NotPages,
  type Rendition,
} from '#platform/pdf/rendition.ts'
import { CorruptFile, hashOf, type Received } from '#platform/storage/storage.ts'
import { standingOf } from './core/rules.ts'
import { findMilestones } from './core/version-queries.ts'
import { loadAtWork, requireReadable, signableOf, type View } from './core/view.ts'
import { approvalsOnPaper } from './historical-approvals.ts'
import { listHistoricalApprovals } from './imported-queries.ts'
import { messages, printed } from './messages.ts'

interface Copy {
  /** The revision of the document when the copy was made. */
  revision: number
  file: MadeFile
}

/** The version as a PDF with its status on each page and its signatures at the end (21 CFR 11.50(b)). */
export async function makeSignedCopy(context: PrepareContext, id: number, version: string | undefined): Promise<Copy> {
  const { read, actor, services } = context
  const seen = await read(tx => readForCopy(tx, actor, id, version))
  const { number, revision, version: label } = seen.row
  const rendition = renditionOf(seen, { actor, now: services.clock.now() })
  const { file } = await render(context, seen, { rendition, name: `${number} v${label} signed.pdf` })
  return { revision, file }
}

/** What is printed on each page of a numbered copy, and what its last page says of it. */
export interface CopyMark {
  name: string
  mark: Print
  foot: Print
  facts: Fact[]
}

/**
 * The version as a numbered copy. Throws `NotPages` where its file cannot be shown: an attached file would have no number on its pages.
 */
export async function makeNumberedCopy(
  context: PrepareContext,
  { id, version, now }: { id: number; version: string; now: Date },
  { name, mark, foot, facts }: CopyMark,
) {
  const { read, actor } = context
  const seen = await read(tx => readForCopy(tx, actor, id, version))
  const { cover: _, ...usual } = renditionOf(seen, { actor, now }, facts)
  const { head, foot: usualFoot } = usual.stamp
  const stamp = {
    head: { ...head, right: together([mark, ' - ', head.right]) },
    foot: { first: foot, last: usualFoot.last },
    across: mark,
  }
  return render(context, seen, { rendition: { ...usual, stamp }, name })
}

/**
 * The file as pages to look at; undefined where it is a PDF already. It is made anew for each reader and stored nowhere: a stored one would
 * have to be backed up, verified, and found again when two people remove the content of the file.
 */
export async function makePreview(
  context: PrepareContext,
  id: number,
  version: string | undefined,
): Promise<Copy | undefined> {
  const { read, actor, services, ifRefused } = context
  const { row } = await read(tx => requireReadable(tx, actor, id, version))
  const { number, version: label, title, revision, keywords, file } = row
  if (file.content_type === pdfType) return undefined
  const info = {
    title: `${number} v${label} ${title}`,
    subject: file.name,
    author: row.owner.full_name ?? row.owner.username,
    keywords,
    created_at: services.clock.now().toISOString(),
  }
  const made = await services.pdf.turn(actor.tenantId, async () => {
    const original = await fetch(services, row)
    const { name, content_type, size: size_bytes } = file
    try {
      const { bytes } = await services.pdf.show({ path: original?.path, name, content_type, size_bytes }, info)
      return await makeFile({ services, ifRefused }, Readable.from([bytes]), {
        name: `${number} v${label} preview.pdf`,
        content_type: pdfType,
      })
    } catch (error) {
      if (error instanceof ConverterMissing) throw conflict(messages.document_preview_converter_missing({ number }))
      if (error instanceof NotPages)
        throw conflict(messages.document_preview_not_possible({ number, reason: error.reason }))
      throw error
    } finally {
      if (original) await services.storage.discard(original)
    }
  })
  return { revision, file: made }
}
const pdfType = 'application/pdf'

function render(
  { actor, services, ifRefused }: PrepareContext,
  seen: Seen,
  { rendition, name }: { rendition: Unfetched; name: string },
) {
  return services.pdf.turn(actor.tenantId, async () => {
    const original = await fetch(services, seen.row)
    try {
      const { bytes, pages } = await services.pdf.render({
        ...rendition,
        file: { ...rendition.file, path: original?.path },
      })
      const file = await makeFile({ services, ifRefused }, Readable.from([bytes]), {
        name,
        content_type: pdfType,
      })
      return { file, pages, sha256: createHash('sha256').update(bytes).digest('hex') }
    } finally {
      if (original) await services.storage.discard(original)
    }
  })
}

async function readForCopy(tx: Tx, actor: Actor, id: number, version: string | undefined) {
  const { row } = await requireReadable(tx, actor, id, version)
  const atWork = await loadAtWork(tx, row.version_id)
  const milestones = await findMilestones(tx, row.version_id)
  const { time_zone: zone, language } = await readSettings(tx)
  const signatures = await listRecords(tx, { document_id: row.id, version_id: row.version_id })
  const historical = await listHistoricalApprovals(tx, { document_id: row.id, version_id: row.version_id })
  return { row, atWork, milestones, zone, language, signatures, historical }
}
type Seen = Awaited<ReturnType<typeof readForCopy>>

/** Fetches the file and checks its bytes; undefined if it is too large to be shown. Its bytes are checked in any case. */
async function fetch({ storage }: Services, { file_path, file }: View['row']): Promise<Received | undefined> {
  const requireSame = (found: string) => {
    if (found !== file.sha256) throw new CorruptFile(file_path, `SHA-256 ${found}, not ${file.sha256}`)
  }
  if (file.size > largest_shown_bytes) {
    requireSame(await hashOf(storage, file_path))
    return
  }
  const received = await storage.receive(await storage.open(file_path), { max_bytes: largest_shown_bytes })
  try {
    requireSame(received.sha256)
    return received
  } catch (error) {
    await storage.discard(received)
    throw error
  }
}

/** Without the place of the file, which is fetched when its turn comes. */
type Unfetched = Omit<Rendition, 'file'> & { file: Omit<Rendition['file'], 'path'> }

/** `more`: facts of this copy, beside those of the version. */
function renditionOf(
  { row, atWork, milestones, zone, language, signatures, historical }: Seen,
  { actor, now }: { actor: Actor; now: Date },
  more: readonly Fact[] = [],
): Unfetched {
  const { number, version, title, file } = row
  const standing = standingOf({ ...atWork.version, ...milestones, effective_date: row.effective_date })
  const effective = row.effective_date === null ? labels.not_set : dayOf(row.effective_date)
  const person = personInWords({ username: actor.username, full_name: actor.fullName })
  const facts: Fact[] = [
    [headings.number, number],
    [headings.title, title],
    [headings.version, version],
    [headings.status, standing.words],
    [headings.effective_date, effective],
    [headings.document_type, row.document_type.name],
    [headings.owner, row.owner.full_name ?? row.owner.username],
    [headings.file, printed.document_copy_file({ name: file.name, size: file.size })],
    [headings.sha256_of_the_file, file.sha256],
    [headings.sha256_of_the_metadata, metadataDigest(signableOf(atWork))],
  ]
  const sheets: Block[] = [
    { kind: 'title', text: headings.signatures },
    { kind: 'facts', facts: [...facts, ...more] },
    { kind: 'heading', text: printed.document_copy_signatures({ version }) },
    ...manifestation(signatures),
    ...approvalsOnPaper(historical),
    {
      kind: 'note',
      text: printed.document_copy_note({ moment: momentInBoth(zone, now) }),
    },
  ]
  return {
    // The company's, so that a copy is the same whoever makes it.
    language,
    file: { name: file.name, content_type: file.content_type, size_bytes: file.size },
    cover: [
      { kind: 'title', text: printed.document_copy_title({ number, version }) },
      { kind: 'text', text: title },
      { kind: 'facts', facts },
    ],
    sheets,
    stamp: {
      head: { left: printed.document_copy_title({ number, version }), right: standing.words, below: title },
      foot: {
        first: printed.document_copy_printed({ person, moment: momentInUtc(now) }),
        last: printed.document_copy_effective({ date: row.effective_date }),
      },
      ...(standing.isOver && { across: standing.words }),
    },
    info: {
      title: `${number} v${version} ${title}`,
      subject: standing.words,
      author: person,
      keywords: row.keywords,
      created_at: now.toISOString(),
    },
  }
}
