import { Readable } from 'node:stream'
import type { TObject } from 'typebox'
import { type ActionContext, command, type PrepareContext } from '#action'
import { FileContent } from '#action/file.ts'
import { makeFile } from '#action/made.ts'
import type { EventName, Permission } from '#kernel/catalogue.ts'
import { conflict } from '#kernel/errors.ts'
import { nameOfTenant, readerLanguage, readSettings } from '#modules/accounts'
import { openGate } from '#platform/gate.ts'
import { NotPages } from '#platform/pdf/rendition.ts'
import { collect } from './collect.ts'
import { messages } from './messages.ts'
import { pack } from './pack.ts'
import { recordPdf } from './pdf.ts'
import type { Kind } from './subject.ts'
import { zipOfEntries } from './zip.ts'

/** Limited, because each export reads every file of a record from end to end. */
const turn = openGate({
  at_once: 2,
  waiting: 8,
})

/** The record as it is in the transaction that records the export; what was read before must be the same. */
async function requireSame<P>(context: ActionContext<unknown>, kind: Kind<P>, params: P, mark: string) {
  const now = await kind.require(context, params)
  if (now.mark !== mark) throw conflict(messages.dossier_outdated({ number: now.number }))
  return now
}

const requireFirst = <P>({ read, actor, services }: PrepareContext, kind: Kind<P>, params: P) =>
  read(tx => kind.require({ tx, actor, services }, params))

export const exportDossier = <P extends TObject, V>(
  kind: Kind<V>,
  params: P,
  { summary, event, needs }: { summary: string; event: EventName; needs: string },
) =>
  command({
    summary,
    description: `A zip with the whole record: its content and parts, files, signatures with their verification, the audit trail, the SHA-256 of each part, and a PDF for people. ${needs}`,
    permission: 'audit.read',
    isCostly: true,
    input: { params },
    response: FileContent,
    async prepare(context, input) {
      const { actor, ifRefused } = context
      const asked = input.params as V
      await requireFirst(context, kind, asked)
      return turn(actor.tenantId, async () => {
        const subject = await kind.read(context, asked)
        const collected = await collect(context, subject, kind.reading)
        ifRefused(collected.discard)
        return { subject, ...(await pack(context, collected)) }
      })
    },
    async run(context, input) {
      const { record, services, prepared } = context
      const { entries, manifest, subject } = prepared
      const { id, number } = await requireSame(context, kind, input.params as V, subject.mark)
      record(event, id, {
        number,
        after: {
          ...(event === 'training_record.exported' && { format: 'dossier' }),
          content_sha256: manifest.content_sha256,
          entries: entries.length,
          failed_checks: manifest.failed_checks,
        },
      })
      return {
        name: `${subject.number} dossier.zip`,
        content_type: 'application/zip',
        open: async () =>
          zipOfEntries(services.storage, entries, new Date(subject.changed_at ?? manifest.generated_at)),
      }
    },
  })

export const exportRecord = <P extends TObject, V>(
  kind: Kind<V>,
  params: P,
  {
    summary,
    event,
    permission,
    needs = '',
  }: { summary: string; event: EventName; permission: Permission; needs?: string },
) =>
  command({
    summary,
    description: `A PDF for people: the content of the record with its history, comments, attachments and signatures, as they are now.${needs}`,
    permission,
    isCostly: true,
    input: { params },
    response: FileContent,
    async prepare(context, input) {
      const { actor, services } = context
      const asked = input.params as V
      await requireFirst(context, kind, asked)
      return services.pdf.turn(actor.tenantId, async () => {
        const subject = await kind.read(context, asked)
        const { zone, company } = await context.read(async tx => ({
          zone: (await readSettings(tx)).time_zone,
          company: await nameOfTenant(tx),
        }))
        const language = await readerLanguage(context)
        const by = { username: actor.username, full_name: actor.fullName }
        const { bytes, pages } = await services.pdf
          .write({ language, ...recordPdf(subject, { company, by, at: services.clock.now(), zone }) })
          .catch((error: Error) => {
            throw error instanceof NotPages ? conflict(messages.record_too_large({ number: subject.number })) : error
          })
        const name = `${subject.number} record.pdf`
        const file = await makeFile(context, Readable.from([bytes]), { name, content_type: 'application/pdf' })
        return { file, pages, mark: subject.mark }
      })
    },
    async run(context, input) {
      const { record, prepared } = context
      const { id, number } = await requireSame(context, kind, input.params as V, prepared.mark)
      record(event, id, { number, after: { pages: prepared.pages } })
      return prepared.file
    },
  })
