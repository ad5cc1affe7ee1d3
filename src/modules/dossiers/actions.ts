import { command } from '#action'
import { FileContent } from '#action/file.ts'
import { conflict, forbidden } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { readRecord } from '#modules/documents'
import { openGate } from '#platform/gate.ts'
import { collect } from './collect.ts'
import { messages } from './messages.ts'
import { pack } from './pack.ts'
import { zipOfEntries } from './zip.ts'

/** Limited, because each export reads every file of a document from end to end. */
const turn = openGate({
  at_once: 2,
  waiting: 8,
})

export const exportDossier = command({
  summary: 'Export the dossier of a document',
  description:
    'A zip with the whole record: every version with its file, history and decisions, signatures with their verification, the audit trail, the SHA-256 of each part, and a PDF for people. Also needs `documents.download`, and the right to read every version.',
  permission: 'audit.read',
  input: { params: IdParams },
  response: FileContent,
  async prepare(context, { params }) {
    const { actor, ifRefused } = context
    if (!actor.permissions.has('documents.download')) throw forbidden(messages.dossier_permission_required())
    return turn(actor.tenantId, async () => {
      const collected = await collect(context, params.id)
      ifRefused(collected.discard)
      return pack(context, collected)
    })
  },
  async run({ tx, actor, record, services, prepared }, { params }) {
    const { document } = await readRecord(tx, actor, params.id)
    const { entries, manifest } = prepared
    if (document.revision !== manifest.document.revision)
      throw conflict(messages.dossier_outdated({ number: document.number }))
    record('document.dossier_exported', document.id, {
      number: document.number,
      after: {
        content_sha256: manifest.content_sha256,
        entries: entries.length,
        failed_checks: manifest.failed_checks,
      },
    })
    return {
      name: `${document.number} dossier.zip`,
      content_type: 'application/zip',
      open: async () => zipOfEntries(services.storage, entries, new Date(document.updated_at)),
    }
  },
})
