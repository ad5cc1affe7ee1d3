import type { Writing } from '#action'
import { allTenants, resealSecondFactors, systemActor } from '#modules/accounts'
import { resealIdentities, resealProviders } from '#modules/identity-providers'
import { resealPasskeys } from '#modules/passkeys'
import type { DerivedKeys } from '#platform/crypto/secrets.ts'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { lines } from './messages.ts'
import { origin, withService } from './start.ts'

const reseal = async (writing: Writing, keys: DerivedKeys) =>
  (await resealSecondFactors(writing, keys)) +
  (await resealProviders(writing, keys)) +
  (await resealIdentities(writing, keys)) +
  (await resealPasskeys(writing, keys))

export const secretKeyReseal: Command = {
  options: {},
  async run(args, env) {
    readOptions(args, {})
    await withService(env, lines.service_running, async ({ config, database, runner, keys }) => {
      if (config.secret_key_previous === undefined) throw new Refusal(lines.secret_key_previous_missing())
      let count = 0
      for (const tenantId of await allTenants(database))
        count += await runner.inSeparateTransaction(systemActor(tenantId), origin, writing => reseal(writing, keys))
      say(lines.secret_key_resealed({ count }))
      say(lines.secret_key_previous_to_remove())
    })
    return 0
  },
}
