import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { AppError } from '#kernel/errors.ts'
import { importFolder as bringIn } from '#modules/migrations-in'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { lines } from './messages.ts'
import { origin, tenantsOf, withService } from './start.ts'

const named = 20

export const importFolder: Command = {
  options: {
    '--tenant S': 'the slug of the tenant',
    '--batch ID': 'the id of the import',
    '--from FOLDER': 'a folder on this machine; the paths of the manifest begin below it',
  },
  async run(args, env) {
    const options = readOptions(args, {
      tenant: { type: 'string' },
      batch: { type: 'string' },
      from: { type: 'string' },
    })
    const { tenant, batch, from } = options
    if (tenant === undefined || from === undefined || !/^[1-9]\d{0,15}$/.test(batch ?? ''))
      throw new Refusal(lines.import_folder_options())
    const folder = resolve(from)
    if (!(await stat(folder).catch(() => undefined))?.isDirectory())
      throw new Refusal(lines.model_no_folder({ folder }))
    await withService(env, lines.service_running_import, async services => {
      const [tenantId] = await tenantsOf(services, tenant)
      const { taken, refused } = await bringIn(services, {
        ...{ tenantId: tenantId!, batchId: Number(batch), folder, origin },
        progress: count => say(lines.import_folder_progress({ files: count })),
      }).catch(error => {
        throw error instanceof AppError ? new Refusal(lines.import_folder_refused({ reason: error.message })) : error
      })
      for (const { path, message } of refused.slice(0, named))
        say(lines.import_folder_file_refused({ path, reason: message.text }))
      if (taken + refused.length === 0) throw new Refusal(lines.import_folder_empty({ folder }))
      say(lines.import_folder_done({ files: taken, refused: refused.length }))
    })
    return 0
  },
}
