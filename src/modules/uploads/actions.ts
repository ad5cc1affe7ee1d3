import { type ActionContext, command, query } from '#action'
import { fileColumns, keepFile } from '#action/upload.ts'
import { conflict, noneOf, notFound } from '#kernel/errors.ts'
import { IdParams } from '#kernel/schema.ts'
import { takeSpace } from '#platform/storage/quota.ts'
import { messages } from './messages.ts'
import { countWaiting, findUpload, insertUpload, takeRows, type UploadRow } from './queries.ts'
import { expiredBefore, expiryOf, lifetimeHours, mostWaiting } from './rules.ts'
import { Upload, UploadForm } from './schema.ts'

type Context = ActionContext<unknown>

const shown = ({ id, file_name, file_size, content_type, sha256, description, created_at }: UploadRow): Upload => ({
  id,
  file: { name: file_name, size: file_size, content_type, sha256 },
  description,
  created_at,
  expires_at: expiryOf(created_at),
})

async function requireUpload({ tx, actor, services }: Pick<Context, 'tx' | 'actor' | 'services'>, id: number) {
  const found = await findUpload(tx, id, actor.userId!, expiredBefore(services.clock.now()))
  if (!found) throw notFound('Upload')
  return shown(found)
}

export const upload = command({
  summary: 'Upload a file for a record that is to be made',
  description: `The file is yours alone. Name its id in \`attachment_ids\` when you make the record; after ${lifetimeHours} hours it is erased.`,
  permission: 'deviations.create',
  input: { form: UploadForm },
  response: Upload,
  prepare: (context, { file }) => keepFile(context, file),
  async run(context, { form, file }) {
    const { tx, actor, services, record, prepared } = context
    if ((await countWaiting(tx, actor.userId!)) >= mostWaiting)
      throw conflict(messages.uploads_too_many({ maximum: mostWaiting, hours: lifetimeHours }))
    const columns = fileColumns(file)
    const description = form.description || null
    await takeSpace(tx, file.size_bytes)
    const created_at = services.clock.now().toISOString()
    const { id } = await insertUpload(tx, { ...columns, ...prepared, description, created_at })
    record('upload.created', id, { after: { ...columns, description } })
    return requireUpload(context, id)
  },
})

export const uploadDetails = query({
  summary: 'Read an upload of your own',
  description: 'Until a record uses it, or it expires.',
  permission: 'deviations.create',
  input: { params: IdParams },
  response: Upload,
  run: (context, { params }) => requireUpload(context, params.id),
})

/** Hands uploads of the actor over to a record, in the order of the ids: from then on the record names their files. */
export async function takeUploads(
  { tx, actor, services, record }: Context,
  ids: readonly number[],
  to: { number: string; after: object },
): Promise<UploadRow[]> {
  const found = await takeRows(tx, ids, actor.userId!, expiredBefore(services.clock.now()))
  const byId = new Map(found.map(each => [each.id, each]))
  const missing = ids.filter(id => !byId.has(id))
  if (missing.length > 0) throw noneOf('Upload', ids, missing)
  for (const id of ids) record('upload.used', id, to)
  return ids.map(id => byId.get(id)!)
}
