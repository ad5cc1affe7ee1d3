import { ConfigError, type Environment } from '#platform/config/variables.ts'
import { type Command, print, Refusal } from './command.ts'
import { lines } from './messages.ts'

interface Entry {
  name: string
  summary: string
  /** Only the requested command is loaded, because each loads much of the service. */
  load(): Promise<Command>
}

export const commands: Entry[] = [
  {
    name: 'serve',
    summary: 'Run the service (npm start)',
    load: async () => (await import('./serve.ts')).serve,
  },
  {
    name: 'demo',
    summary: 'Run the service with a demo company (npm run demo)',
    load: async () => (await import('./demo.ts')).demo,
  },
  {
    name: 'migrate',
    summary: 'Apply the missing migrations to the database',
    load: async () => (await import('./migrate.ts')).migrate,
  },
  {
    name: 'tenant create',
    summary: 'Create a tenant with its Admin',
    load: async () => (await import('./tenant.ts')).tenantCreate,
  },
  {
    name: 'tenant export',
    summary: 'Export everything of a tenant into a folder, in open formats',
    load: async () => (await import('./tenant-export.ts')).tenantExport,
  },
  {
    name: 'tenant import',
    summary: 'Take in a company from the export of another installation',
    load: async () => (await import('./tenant-import.ts')).tenantImport,
  },
  {
    name: 'user create',
    summary: 'Create a user of a tenant',
    load: async () => (await import('./user.ts')).userCreate,
  },
  {
    name: 'user unlock',
    summary: 'End the locks of a user after failed log-ins',
    load: async () => (await import('./user.ts')).userUnlock,
  },
  {
    name: 'sso-domain confirm',
    summary: "Confirm that a mail domain is a tenant's, without its DNS",
    load: async () => (await import('./sso-domain.ts')).ssoDomainConfirm,
  },
  {
    name: 'platform-user create',
    summary: 'Create a user who operates the installation, with a second factor',
    load: async () => (await import('./user.ts')).platformUserCreate,
  },
  {
    name: 'doctor',
    summary: 'Check configuration, database and storage',
    load: async () => (await import('./doctor.ts')).doctor,
  },
  {
    name: 'backup',
    summary: 'Copy all records and files into a folder',
    load: async () => (await import('./backup.ts')).backup,
  },
  {
    name: 'restore',
    summary: 'Restore a backup into an empty installation',
    load: async () => (await import('./restore.ts')).restore,
  },
  {
    name: 'mail list',
    summary: 'List e-mails, newest first',
    load: async () => (await import('./mail.ts')).mailList,
  },
  {
    name: 'mail retry',
    summary: 'Queue failed e-mails again',
    load: async () => (await import('./mail.ts')).mailRetry,
  },
  {
    name: 'mail test',
    summary: 'Send an e-mail by SMTP_URL and show the answer of the mail server',
    load: async () => (await import('./mail.ts')).mailTest,
  },
  {
    name: 'signing-key rotate',
    summary: 'Seal signatures with a new key from the next start on',
    load: async () => (await import('./signing-key.ts')).signingKeyRotate,
  },
  {
    name: 'signing-key confirm',
    summary: 'Trust signatures that an earlier key sealed, which has no link to the key in use',
    load: async () => (await import('./signing-key.ts')).signingKeyConfirm,
  },
  {
    name: 'signing-key list',
    summary: 'List the keys that signatures are sealed with',
    load: async () => (await import('./signing-key.ts')).signingKeyList,
  },
  {
    name: 'audit-key rotate',
    summary: 'Sign checkpoints of the audit trail with a new key too',
    load: async () => (await import('./audit-key.ts')).auditKeyRotate,
  },
  {
    name: 'audit-key list',
    summary: 'List the keys that sign checkpoints of the audit trail',
    load: async () => (await import('./audit-key.ts')).auditKeyList,
  },
  {
    name: 'secret-key reseal',
    summary: 'Seal second factors, passkeys and single sign-on with a new SECRET_KEY',
    load: async () => (await import('./secret-key.ts')).secretKeyReseal,
  },
  {
    name: 'installation new-keys',
    summary: 'Create new keys if all copies of the keys are lost',
    load: async () => (await import('./installation.ts')).installationNewKeys,
  },
  {
    name: 'audit redact',
    summary: 'Remove data of a person or of a record from entries of the audit trail',
    load: async () => (await import('./audit-redact.ts')).auditRedact,
  },
  {
    name: 'audit anchor',
    summary: 'Store checkpoints of the audit trail outside of the database now',
    load: async () => (await import('./audit-anchor.ts')).auditAnchor,
  },
  {
    name: 'audit new-epoch',
    summary: 'Begin a new tree of the audit trail if the present one cannot continue',
    load: async () => (await import('./audit-new-epoch.ts')).auditNewEpoch,
  },
  {
    name: 'storage move',
    summary: 'Copy all files of records to another store',
    load: async () => (await import('./storage/move.ts')).storageMove,
  },
  {
    name: 'storage sweep',
    summary: 'Move files that no record names to the trash',
    load: async () => (await import('./storage/sweep.ts')).storageSweep,
  },
  {
    name: 'import-folder',
    summary: 'Bring the files of a folder into an import',
    load: async () => (await import('./import-folder.ts')).importFolder,
  },
  {
    name: 'reindex',
    summary: 'Read the files of documents again for search',
    load: async () => (await import('./reindex.ts')).reindex,
  },
  {
    name: 'projections check',
    summary: 'Compare indexes, statistics and other projections with the records that they are derived from',
    load: async () => (await import('./projections.ts')).projectionsCheck,
  },
  {
    name: 'projections rebuild',
    summary: 'Derive statistics and other projections from the records again, if doctor reports that they differ',
    load: async () => (await import('./projections.ts')).projectionsRebuild,
  },
  {
    name: 'embeddings install',
    summary: 'Install a model from a folder, by which the search knows what words mean',
    load: async () => (await import('./embeddings.ts')).embeddingsInstall,
  },
  {
    name: 'vector-index',
    summary: 'Index the vectors of texts with pgvector, for search in hundreds of thousands of passages',
    load: async () => (await import('./vector-index.ts')).vectorIndex,
  },
]

const table = (lines: [string, string][]) =>
  lines.map(([left, right]) => `  ${left.padEnd(26)}${right}`.trimEnd()).join('\n')

const overview = () =>
  [
    'Attest: npm run --silent qms -- COMMAND',
    '',
    table(commands.map(({ name, summary }) => [name, summary])),
    '',
    'COMMAND --help shows its options. Configuration is read from the environment: see docs/configuration.md.',
  ].join('\n')

const usage = ({ name, summary }: Entry, { options }: Command) =>
  [`${name}: ${summary}`, ...(Object.keys(options).length > 0 ? ['', table(Object.entries(options))] : [])].join('\n')

/** Runs the named command. Resolves to the exit code. */
export async function runCommand(words: string[], env: Environment): Promise<number> {
  if (words.length === 0 || words[0] === '--help' || words[0] === '-h' || words[0] === 'help') {
    print(overview())
    return words.length === 0 ? 2 : 0
  }
  const entry = commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word))
  if (!entry) {
    const command = words
      .slice(0, 2)
      .filter(word => !word.startsWith('-'))
      .join(' ')
    process.stderr.write(`${lines.command_unknown({ command }).text}\n\n${overview()}\n`)
    return 2
  }
  const command = await entry.load()
  const rest = words.slice(entry.name.split(' ').length)
  if (rest.includes('--help') || rest.includes('-h')) {
    print(usage(entry, command))
    return 0
  }
  try {
    return await command.run(rest, env)
  } catch (error) {
    // Known problems are shown as lines, and a bug with its traceback.
    const known = error instanceof ConfigError || error instanceof Refusal
    process.stderr.write(`${known ? error.message : (error as Error).stack}\n`)
    return 1
  }
}
