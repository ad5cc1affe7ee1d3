// Exports of training records, as CSV or PDF.

import { Readable } from 'node:stream'
import type { PrepareContext } from '#action'
import type { MadeFile } from '#action/file.ts'
import { makeFile } from '#action/made.ts'
import { printed } from '#kernel/messages.ts'
import { momentInBoth } from '#kernel/moment.ts'
import { personInWords } from '#kernel/person.ts'
import { headings, momentInBoth as momentOnPaper, type Print } from '#kernel/print.ts'
import { OneOf } from '#kernel/schema.ts'
import { nameOfTenant, readerLanguage, readSettings } from '#modules/accounts'
import type { Block } from '#platform/pdf/rendition.ts'

export const Format = OneOf('json', 'csv', 'pdf')

export const csvFile = (context: PrepareContext, name: string, bytes: AsyncIterable<Uint8Array>): Promise<MadeFile> =>
  makeFile(context, bytes, { name: `${name}.csv`, content_type: 'text/csv' })

/** `subject` names the person or the filter of the export. */
export interface PdfContent {
  title: Print
  subject: Print
  blocks: Block[]
}

export async function pdfFile(
  context: PrepareContext,
  name: string,
  { title, subject, blocks }: PdfContent,
): Promise<MadeFile> {
  const { actor, services, read } = context
  const { tenant, zone } = await read(async tx => ({
    tenant: await nameOfTenant(tx),
    zone: (await readSettings(tx)).time_zone,
  }))
  const now = services.clock.now()
  const language = await readerLanguage(context)
  const moment = momentInBoth(zone, now)
  const person = personInWords({ username: actor.username, full_name: actor.fullName })
  const { bytes } = await services.pdf.turn(actor.tenantId, () =>
    services.pdf.write({
      language,
      blocks: [
        { kind: 'title', text: title },
        {
          kind: 'facts',
          facts: [
            [headings.company, tenant],
            [headings.content, subject],
            [headings.generated, printed.printed_by({ person, moment })],
          ],
        },
        ...blocks,
      ],
      info: { title, subject, author: person, created_at: now.toISOString() },
      stamp: {
        head: { left: title, right: tenant, below: subject },
        foot: { first: printed.printed_footer({ person }), last: momentOnPaper(zone, now) },
      },
    }),
  )
  return makeFile(context, Readable.from([bytes]), { name: `${name}.pdf`, content_type: 'application/pdf' })
}

/** Audits the export. */
export const recordExport = (
  { inSeparateTransaction }: PrepareContext,
  id: number | null,
  details: { number?: string; after: object },
): Promise<void> => inSeparateTransaction(async ({ record }) => record('training_record.exported', id, details))
