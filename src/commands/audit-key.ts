import type { Services } from '#action'
import { auditKeys, type PublicHalf, verifierKeysOf } from '#modules/audit'
import {
  dropPreviousSigningKey,
  findKeys,
  installNextSigningKey,
  keepSigningKey,
  prepareNextSigningKey,
  readOrMakeKey,
} from '#platform/crypto/signing-key.ts'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { newKeyFile, newKeyOption } from './signing-key.ts'
import { introduceAuditKey, tenantsOf, withService } from './start.ts'

/**
 * After an interruption between two steps the service still signs with a registered key, and a repetition continues with the same new key.
 */
export const auditKeyRotate: Command = {
  options: {
    ...newKeyOption,
    '--finish': 'sign with the new key only, and destroy the private half of the old one',
  },
  async run(args, env) {
    const { finish, to } = readOptions(args, {
      to: { type: 'string' },
      finish: { type: 'boolean', default: false },
    })
    await withService(env, 'stop it first', async services => (finish ? end(services) : begin(services, to)))
    return 0
  },
}

async function begin(services: Services, given: string | undefined) {
  const { keys } = services.config
  const { inUse, previous } = await findKeys(keys, 'audit')
  if (previous && previous.key_id !== inUse!.key_id)
    throw new Refusal(`A rotation to ${inUse!.key_id} is not finished. Run audit-key rotate --finish first`)
  const to = newKeyFile(services.config, given)
  const next = to ? await readOrMakeKey(to) : await prepareNextSigningKey(keys.folder, 'audit')
  if (next.key_id === inUse!.key_id) throw new Refusal(`${to} has the key in use. Name another file`)
  await introduceAuditKey(services, next, null)
  if (to) {
    say(
      `The key ${next.key_id} is in ${to}, and the database knows it. Checkpoints are still signed by ${inUse!.key_id}.`,
    )
    say(
      'On every host, let PREVIOUS_AUDIT_KEY_FILE name the key in use and AUDIT_KEY_FILE the new one, and restart every',
    )
    say('process: then both sign. Remove this copy, and send the new key to everybody who verifies:')
  } else {
    await keepSigningKey(keys.folder, 'audit')
    await installNextSigningKey(keys.folder, 'audit')
    say(`The keys ${inUse!.key_id} and ${next.key_id} both sign checkpoints from the next start on.`)
    say(
      'Copy DATA_DIR/keys to every host, restart every running process, and send the new key to everybody who verifies:',
    )
  }
  say('  audit-key list --tenant SLUG')
  say('When they have it, run audit-key rotate --finish')
}

async function end({ config: { keys } }: Services) {
  const { inUse, previous } = await findKeys(keys, 'audit')
  if (!previous || previous.key_id === inUse!.key_id) throw new Refusal('There is no rotation to finish')
  if (keys.files)
    throw new Refusal(
      'This command does not change the files that variables name: on every host, unset PREVIOUS_AUDIT_KEY_FILE, destroy that key, and restart every process',
    )
  await dropPreviousSigningKey(keys.folder, 'audit')
  say(`The key ${inUse!.key_id} alone signs from the next start on. Restart every running process.`)
}

export const auditKeyList: Command = {
  options: { '--tenant SLUG': "in the form for verifying this tenant's trail" },
  async run(args, env) {
    const { tenant } = readOptions(args, { tenant: { type: 'string' } })
    await withService(env, 'stop it first', async services => {
      const { auditKey, previousAuditKey } = services
      const used: Record<string, string> = {
        ...(previousAuditKey && { [previousAuditKey.key_id]: '  until the rotation is finished' }),
        [auditKey.key_id]: '  in use',
      }
      const [tenantId] = tenant === undefined ? [] : await tenantsOf(services, tenant)
      const shown =
        tenantId === undefined ? (key: PublicHalf) => key.public_key : await verifierKeysOf(services.database, tenantId)
      for (const key of await auditKeys(services.database))
        say(`${key.key_id}  ${key.created_at}  ${shown(key)}${used[key.key_id] ?? ''}`)
    })
    return 0
  },
}
