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
import { type Command, print, Refusal, readOptions, say } from './command.ts'
import { lines } from './messages.ts'
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
    await withService(env, lines.service_running, async services => (finish ? end(services) : begin(services, to)))
    return 0
  },
}

async function begin(services: Services, given: string | undefined) {
  const { keys } = services.config
  const { inUse, previous } = await findKeys(keys, 'audit')
  if (previous && previous.key_id !== inUse!.key_id)
    throw new Refusal(lines.audit_key_rotation_unfinished({ key: inUse!.key_id }))
  const to = newKeyFile(services.config, given)
  const next = to ? await readOrMakeKey(to) : await prepareNextSigningKey(keys.folder, 'audit')
  if (next.key_id === inUse!.key_id) throw new Refusal(lines.key_file_in_use({ file: to ?? keys.folder }))
  await introduceAuditKey(services, next, null)
  if (to) {
    say(lines.audit_key_written({ key: next.key_id, file: to, in_use: inUse!.key_id }))
    say(lines.audit_key_to_place())
  } else {
    await keepSigningKey(keys.folder, 'audit')
    await installNextSigningKey(keys.folder, 'audit')
    say(lines.audit_key_rotated({ keys: [inUse!.key_id, next.key_id] }))
    say(lines.audit_key_to_copy())
  }
  say(lines.audit_key_to_finish())
}

async function end({ config: { keys } }: Services) {
  const { inUse, previous } = await findKeys(keys, 'audit')
  if (!previous || previous.key_id === inUse!.key_id) throw new Refusal(lines.audit_key_rotation_none())
  if (keys.files) throw new Refusal(lines.audit_key_files_to_change())
  await dropPreviousSigningKey(keys.folder, 'audit')
  say(lines.audit_key_finished({ key: inUse!.key_id }))
}

export const auditKeyList: Command = {
  options: { '--tenant SLUG': "in the form for verifying this tenant's trail" },
  async run(args, env) {
    const { tenant } = readOptions(args, { tenant: { type: 'string' } })
    await withService(env, lines.service_running, async services => {
      const { auditKey, previousAuditKey } = services
      const used: Record<string, string> = {
        ...(previousAuditKey && { [previousAuditKey.key_id]: '  until the rotation is finished' }),
        [auditKey.key_id]: '  in use',
      }
      const [tenantId] = tenant === undefined ? [] : await tenantsOf(services, tenant)
      const shown =
        tenantId === undefined ? (key: PublicHalf) => key.public_key : await verifierKeysOf(services.database, tenantId)
      for (const key of await auditKeys(services.database))
        print(`${key.key_id}  ${key.created_at}  ${shown(key)}${used[key.key_id] ?? ''}`)
    })
    return 0
  },
}
