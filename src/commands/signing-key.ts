import { join } from 'node:path'
import { platformTenantId, systemActor } from '#modules/accounts'
import { listSigningKeys, registerNextKey } from '#modules/signatures'
import { installNextSigningKey, prepareNextSigningKey } from '#platform/crypto/signing-key.ts'
import { type Command, readOptions, say } from './command.ts'
import { origin, withService } from './start.ts'

/**
 * First the new key is whole on the disk, then its public half is in the database, then it takes the other's place. Whatever ends
 * this between two steps leaves a service that seals with a key that verifies; begun again, it goes on with the same new key.
 */
export const signingKeyRotate: Command = {
  options: {},
  async run(args, env) {
    readOptions(args, {})
    await withService(env, 'stop it first', async ({ config, runner, services: { signingKey } }) => {
      const folder = join(config.data_dir, 'keys')
      const next = await prepareNextSigningKey(folder)
      await runner.apart(systemActor(platformTenantId), origin, writing => registerNextKey(writing, next, signingKey))
      await installNextSigningKey(folder)
      say(`The key ${next.key_id} seals the signatures from the next start on, in the place of ${signingKey.key_id}.`)
      say('What was sealed before stays valid. Restart every process that still runs, and copy DATA_DIR/keys anew.')
    })
    return 0
  },
}

export const signingKeyList: Command = {
  options: {},
  async run(args, env) {
    readOptions(args, {})
    await withService(env, 'stop it first', async ({ database, services: { signingKey } }) => {
      const keys = await database.transaction({ tenantId: null, userId: null }, 'read only', listSigningKeys)
      for (const { key_id, public_key, created_at } of keys)
        say(`${key_id}  ${created_at}  ${public_key}${key_id === signingKey.key_id ? '  in use' : ''}`)
    })
    return 0
  },
}
