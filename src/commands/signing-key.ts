import { platformTenantId, systemActor } from '#modules/accounts'
import { confirmEarlierKey, listSigningKeys, readTrustedKeys, registerNextKey } from '#modules/signatures'
import type { Config } from '#platform/config.ts'
import { installNextSigningKey, prepareNextSigningKey, readOrMakeKey } from '#platform/crypto/signing-key.ts'
import { type Command, print, Refusal, readOptions, required, say } from './command.ts'
import { lines } from './messages.ts'
import { origin, withService } from './start.ts'

/** The command writes a new key to this file if variables name the key files: it does not change secrets. */
export const newKeyOption = {
  '--to FILE': 'where to write the new key, if SIGNING_KEY_FILE and AUDIT_KEY_FILE are set',
}

/** The file for a new key; undefined if it lies beside the one in use. */
export function newKeyFile({ keys }: Config, to: string | undefined): string | undefined {
  if (keys.files && to === undefined) throw new Refusal(lines.key_file_needed())
  if (!keys.files && to !== undefined) throw new Refusal(lines.key_file_not_needed())
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
    await withService(env, lines.service_running, async ({ config, runner, signingKey }) => {
      const { folder } = config.keys
      const to = newKeyFile(config, options.to)
      const next = to ? await readOrMakeKey(to) : await prepareNextSigningKey(folder)
      if (next.key_id === signingKey.key_id) throw new Refusal(lines.key_file_in_use({ file: to ?? folder }))
      await runner.inSeparateTransaction(systemActor(platformTenantId), origin, writing =>
        registerNextKey(writing, next, signingKey),
      )
      if (to) {
        say(lines.signing_key_written({ key: next.key_id, file: to, in_use: signingKey.key_id }))
        say(lines.signing_key_to_place())
        return
      }
      await installNextSigningKey(folder)
      say(lines.signing_key_rotated({ key: next.key_id, before: signingKey.key_id }))
      say(lines.signing_key_to_copy())
    })
    return 0
  },
}

/** Earlier versions of the program recorded no link between keys, and a lost key has none to the next. */
export const signingKeyConfirm: Command = {
  options: {
    '--key ID': 'an earlier key of this installation, which you know from a list or backup of then',
    '--reason TEXT': 'how you know that it is one',
  },
  async run(args, env) {
    const options = readOptions(args, { key: { type: 'string' }, reason: { type: 'string' } })
    const [id, reason] = [required('key', options.key), required('reason', options.reason)]
    await withService(env, lines.service_running, async ({ database, runner, signingKey }) => {
      const known = await database.transaction({ tenantId: null, userId: null }, 'read only', listSigningKeys)
      const earlier = known.find(({ key_id }) => key_id === id)
      if (!earlier) throw new Refusal(lines.signing_key_unknown({ key: id }))
      if (id === signingKey.key_id) throw new Refusal(lines.signing_key_in_use({ key: id }))
      const trusted = await database.transaction({ tenantId: null, userId: null }, 'read only', tx =>
        readTrustedKeys(tx, [signingKey]),
      )
      if (trusted.has(earlier.public_key)) throw new Refusal(lines.signing_key_trusted({ key: id }))
      await runner.inSeparateTransaction(systemActor(platformTenantId), origin, writing =>
        confirmEarlierKey(writing, signingKey, earlier, reason),
      )
      say(lines.signing_key_confirmed({ key: id, by: signingKey.key_id }))
    })
    return 0
  },
}

export const signingKeyList: Command = {
  options: {},
  async run(args, env) {
    readOptions(args, {})
    await withService(env, lines.service_running, async ({ database, signingKey }) => {
      const [keys, trusted] = await database.transaction({ tenantId: null, userId: null }, 'read only', async tx => [
        await listSigningKeys(tx),
        await readTrustedKeys(tx, [signingKey]),
      ])
      for (const { key_id, public_key, created_at } of keys) {
        const state = key_id === signingKey.key_id ? '  in use' : trusted.has(public_key) ? '' : '  not trusted'
        print(`${key_id}  ${created_at}  ${public_key}${state}`)
      }
    })
    return 0
  },
}
