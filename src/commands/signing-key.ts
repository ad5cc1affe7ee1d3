import { platformTenantId, systemActor } from '#modules/accounts'
import { listSigningKeys, registerNextKey } from '#modules/signatures'
import type { Config } from '#platform/config.ts'
import { installNextSigningKey, prepareNextSigningKey, readOrMakeKey } from '#platform/crypto/signing-key.ts'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { origin, withService } from './start.ts'

/** The command writes a new key to this file if variables name the key files: it does not change secrets. */
export const newKeyOption = {
  '--to FILE': 'where to write the new key, if SIGNING_KEY_FILE and AUDIT_KEY_FILE are set',
}

/** The file for a new key; undefined if it lies beside the one in use. */
export function newKeyFile({ keys }: Config, to: string | undefined): string | undefined {
  if (keys.files && to === undefined)
    throw new Refusal(
      'SIGNING_KEY_FILE and AUDIT_KEY_FILE are set, and this command does not change those files: name a file for the new key with --to FILE, and replace the old one by it',
    )
  if (!keys.files && to !== undefined)
    throw new Refusal(
      '--to is for keys that SIGNING_KEY_FILE and AUDIT_KEY_FILE name: the new key goes to DATA_DIR/keys',
    )
  return to
}

/**
 * The new key is written to the disk, then its public half to the database, and then it replaces the other. After an interruption between
 * two steps the service still seals with a registered key, and a repetition continues with the same new key.
 */
export const signingKeyRotate: Command = {
  options: newKeyOption,
  async run(args, env) {
    const options = readOptions(args, { to: { type: 'string' } })
    await withService(env, 'stop it first', async ({ config, runner, signingKey }) => {
      const { folder } = config.keys
      const to = newKeyFile(config, options.to)
      const next = to ? await readOrMakeKey(to) : await prepareNextSigningKey(folder)
      if (next.key_id === signingKey.key_id) throw new Refusal(`${to} has the key in use. Name another file`)
      await runner.inSeparateTransaction(systemActor(platformTenantId), origin, writing =>
        registerNextKey(writing, next, signingKey),
      )
      if (to) {
        say(
          `The key ${next.key_id} is in ${to}, and the database knows it. Signatures are still sealed by ${signingKey.key_id}.`,
        )
        say('Put it in the place of SIGNING_KEY_FILE on every host, restart every process, and remove this copy.')
        return
      }
      await installNextSigningKey(folder)
      say(`The key ${next.key_id} seals the signatures from the next start on, in the place of ${signingKey.key_id}.`)
      say('Earlier seals stay valid. Copy DATA_DIR/keys to every host, and restart every running process.')
    })
    return 0
  },
}

export const signingKeyList: Command = {
  options: {},
  async run(args, env) {
    readOptions(args, {})
    await withService(env, 'stop it first', async ({ database, signingKey }) => {
      const keys = await database.transaction({ tenantId: null, userId: null }, 'read only', listSigningKeys)
      for (const { key_id, public_key, created_at } of keys)
        say(`${key_id}  ${created_at}  ${public_key}${key_id === signingKey.key_id ? '  in use' : ''}`)
    })
    return 0
  },
}
