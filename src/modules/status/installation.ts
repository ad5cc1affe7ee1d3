import { report, type Services } from '#action'
import { version } from '#kernel/version.ts'
import { listOwnAuditKeys } from '#modules/audit'
import { listSigningKeys } from '#modules/signatures'
import { readCertificates } from './certificates.ts'
import { looksOfAnHour, readHistory } from './history.ts'
import { findNewestBackup, readVersions } from './queries.ts'
import { type Check, Checks, Installation } from './schema.ts'

declare module '#action/definitions.ts' {
  interface Services {
    /** Examines this installation as `doctor` does, while it runs. */
    examine(services: Services): Promise<Check[]>
  }
}

const nobody = { tenantId: null, userId: null }

export const installation = report({
  summary: 'Read the versions, keys, certificates and backups of the installation',
  description:
    'With the worst state of each dependency in each hour of the last day. Only what the service itself can see: a backup by other means than `qms backup` is not known to it.',
  permission: 'platform.read_status',
  response: Installation,
  async run({ services }) {
    const { config, database, clock, signingKey, auditKey } = services
    const [found, certificates, hours] = await Promise.all([
      database.transaction(nobody, 'read only', async tx => ({
        versions: await readVersions(tx),
        signing: await listSigningKeys(tx),
        audit: await listOwnAuditKeys(tx),
        backup: await findNewestBackup(tx),
      })),
      readCertificates(config, database),
      readHistory(services),
    ])
    const keysOf = (use: 'signatures' | 'audit_trail', keys: typeof found.signing, inUse: string) =>
      keys.map(({ key_id, created_at }) => ({ use, key_id, created_at, is_in_use: key_id === inUse }))
    return {
      time: clock.now().toISOString(),
      versions: {
        program: version,
        release: config.release,
        node: process.versions.node,
        ...found.versions,
      },
      keys: [
        ...keysOf('signatures', found.signing, signingKey.key_id),
        ...keysOf('audit_trail', found.audit, auditKey.key_id),
      ],
      certificates,
      newest_backup: found.backup ?? null,
      history: { looks_of_an_hour: looksOfAnHour, hours },
    }
  },
})

/** Two who ask at the same time wait for the same examination, because it reads the records of every tenant. */
const running = new WeakMap<Services['database'], Promise<Check[]>>()

export const checks = report({
  summary: 'Examine the installation',
  description:
    'The checks of `qms doctor`, by the running service: each with what was found and what to do. A check with the verdict `note` is no failure; the last ones say what was not examined.',
  permission: 'platform.read_status',
  response: Checks,
  async run({ services }) {
    const { database, clock } = services
    const examining = running.get(database) ?? services.examine(services).finally(() => running.delete(database))
    running.set(database, examining)
    return { time: clock.now().toISOString(), checks: await examining }
  },
})
