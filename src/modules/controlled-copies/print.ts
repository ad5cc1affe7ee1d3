import { command, type PrepareContext } from '#action'
import { FileContent } from '#action/file.ts'
import { conflict, notFound } from '#kernel/errors.ts'
import { momentInUtc as momentText } from '#kernel/moment.ts'
import { personInWords } from '#kernel/person.ts'
import { headings, momentInUtc, together } from '#kernel/print.ts'
import { IdParams } from '#kernel/schema.ts'
import { lockDocument, makeNumberedCopy } from '#modules/documents'
import type { Tx } from '#platform/db/database.ts'
import { NotPages } from '#platform/pdf/rendition.ts'
import { finish, lockForWork, managing, requireCopy, requireDocumentId } from './access.ts'
import { messages, printed } from './messages.ts'
import { findEffectiveVersion, insertPrint, updateCopy } from './queries.ts'
import { requirePrintable } from './rules.ts'
import { type ControlledCopy, CopyPrint } from './schema.ts'

const isEffective = async (tx: Tx, { document, version }: ControlledCopy) =>
  (await findEffectiveVersion(tx, document.id))?.version === version

export const print = command({
  summary: 'Print a controlled copy',
  description:
    'A PDF with the copy number on each page and across it, with the signatures at its end. Printing it again needs a `reason`. A copy is printed only while its version is effective.',
  permission: managing,
  input: { params: IdParams, body: CopyPrint },
  response: FileContent,
  async prepare(context, { params, body: { reason } }) {
    const copy = await context.read(async tx => {
      const found = await requireCopy({ ...context, tx }, params.id)
      requirePrintable(found, await isEffective(tx, found), reason)
      return found
    })
    const print_number = copy.prints + 1
    return { print_number, ...(await render(context, copy, { print_number, reason: reason ?? null })) }
  },
  async run(context, { params, body: { reason } }) {
    const { tx, prepared } = context
    const { print_number, file, pages, sha256 } = prepared
    // A transition of the document locks it before its copies.
    if (!(await lockDocument(tx, await requireDocumentId(context, params.id)))) throw notFound('Controlled copy')
    const copy = await lockForWork(context, params.id)
    const { id, number } = copy
    requirePrintable(copy, await isEffective(tx, copy), reason)
    if (copy.prints + 1 !== print_number) throw conflict(messages.controlled_copy_printed_meanwhile({ number }))
    await insertPrint(tx, { copy_id: id, print_number, reason: reason ?? null, sha256, pages })
    await updateCopy(tx, id, {})
    await finish(context, copy, { event: 'controlled_copy.printed', reason: reason ?? null })
    return file
  },
})

async function render(
  context: PrepareContext,
  { number, copy_number: copy, document, version, issued_to, issued_by, issued_at, location, purpose }: ControlledCopy,
  { print_number: print, reason }: { print_number: number; reason: string | null },
) {
  const { actor, services } = context
  const now = services.clock.now()
  const [holder, person] = [
    personInWords(issued_to),
    personInWords({ username: actor.username, full_name: actor.fullName }),
  ]
  const foot = printed.controlled_copy_footer({ copy, holder, location, print, person, moment: momentText(now) })
  try {
    return await makeNumberedCopy(
      context,
      { id: document.id, version, now },
      {
        name: `${number} v${version}.pdf`,
        mark: printed.controlled_copy_mark({ copy }),
        foot,
        facts: [
          [headings.controlled_copy, String(copy)],
          [headings.issued_to, holder],
          [headings.location, location],
          [headings.purpose, purpose ?? '-'],
          [headings.issued, together([momentInUtc(new Date(issued_at)), ', ', personInWords(issued_by)])],
          [headings.print, printed.controlled_copy_print({ print, reason })],
        ],
      },
    )
  } catch (error) {
    if (!(error instanceof NotPages)) throw error
    throw conflict(messages.controlled_copy_not_pages({ number: document.number, version, reason: error.reason }))
  }
}
