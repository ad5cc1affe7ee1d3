import { Readable } from 'node:stream'
import { command, type PrepareContext } from '#action'
import { FileContent, type MadeFile } from '#action/file.ts'
import { sealNow } from '../sealing/sealing.ts'
import { withoutListsOfOne } from '../trail/filter.ts'
import { ExportFilter } from '../trail/schema.ts'
import { bundleFile } from './bundle.ts'
import { entriesAsCsv } from './csv.ts'
import { entriesAsPdf } from './pdf.ts'
import { entryPages, readScope, type Scope } from './scope.ts'

const nameOf = ({ range: { from, to } }: Scope) => `Audit trail ${from}-${to}`

/** A CSV has no place for its scope, so it is in the headers. */
const headersOf = ({ origin, size, root, range: { from, to }, count }: Scope) => ({
  'x-audit-entries': String(count),
  'x-audit-sequence': `${from}-${to}`,
  ...(root !== null && { 'x-audit-checkpoint': `${origin} ${size} ${root}` }),
})

async function fileOf(context: PrepareContext, scope: Scope, format: ExportFilter['format']): Promise<MadeFile> {
  const name = nameOf(scope)
  if (format === 'pdf') return entriesAsPdf(context, scope, name)
  if (format === 'bundle')
    return { name: `${name}.zip`, content_type: 'application/zip', open: await bundleFile(context, scope) }
  return {
    name: `${name}.csv`,
    content_type: 'text/csv',
    open: async () => Readable.from(entriesAsCsv(scope.zone, entryPages(context, scope))),
  }
}

/** AUD-03. */
export const exportEntries = command({
  summary: 'Export the audit trail',
  isCostly: true,
  description:
    'All matching entries in the order of the log, as they were at the request: as CSV, as PDF for readers, or as a bundle (zip) that can be verified without the service. The headers `X-Audit-Entries`, `X-Audit-Sequence` and `X-Audit-Checkpoint` have the number of entries, the range and the root. An interrupted answer is cut off without a regular end.',
  permission: 'audit.export',
  input: { query: ExportFilter },
  response: FileContent,
  async prepare(context, { query: { format = 'csv', ...filter } }) {
    const { actor, read, services } = context
    const sealed = await sealNow(services, actor.tenantId)
    const scope = await read(tx => readScope(tx, withoutListsOfOne(filter), sealed))
    return { format, scope, file: await fileOf(context, scope, format) }
  },
  async run({ record, prepared: { format, scope, file } }) {
    const { filter, range, count, origin, size, root } = scope
    record('audit.exported', null, {
      after: { format, filter, first_seq: range.from, last_seq: range.to, entries: count, origin, size, root },
    })
    return { ...file, headers: headersOf(scope) }
  },
})
