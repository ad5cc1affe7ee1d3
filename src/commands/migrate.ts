import { readConfig } from '#platform/config.ts'
import { migrate as applyMigrations } from '#platform/db/migrate.ts'
import { openDatabase } from '#platform/db/open.ts'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { asRefusal, isInUse, locationOf, loginTo } from './location.ts'
import { lines } from './messages.ts'

const print = (line: string) => process.stderr.write(`${line}\n`)
const log = { info: print, warn: print, error: print }

export const migrate: Command = {
  options: {},
  async run(args, env) {
    readOptions(args, {})
    const config = readConfig(env)
    if (config.migration_database_url) {
      const owner = await loginTo(config.migration_database_url, config).catch(asRefusal)
      await applyMigrations(owner, log, undefined, undefined, config.installation_number).catch(asRefusal)
    } else if (config.database_url) {
      throw new Refusal(lines.owner_login_missing())
    } else {
      const { close } = await openDatabase(locationOf(config), log).catch(error => {
        if (isInUse(error)) throw new Refusal(lines.service_running_migrated({ folder: config.data_dir }))
        return asRefusal(error)
      })
      await close()
    }
    say(lines.database_current())
    return 0
  },
}
