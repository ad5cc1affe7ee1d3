import { ConfigError } from '#platform/config.ts'
import { auditAnchor } from './audit-anchor.ts'
import { auditKeyList, auditKeyRotate } from './audit-key.ts'
import { auditNewEpoch } from './audit-new-epoch.ts'
import { auditRedact } from './audit-redact.ts'
import { backup } from './backup.ts'
import { type Command, type Environment, Refusal, say } from './command.ts'
import { demo } from './demo.ts'
import { doctor } from './doctor.ts'
import { mailList, mailRetry, mailTest } from './mail.ts'
import { migrate } from './migrate.ts'
import { reindex } from './reindex.ts'
import { restore } from './restore.ts'
import { serve } from './serve.ts'
import { signingKeyList, signingKeyRotate } from './signing-key.ts'
import { statsRecount } from './stats.ts'
import { storageMove } from './storage/move.ts'
import { storageSweep } from './storage/sweep.ts'
import { tenantCreate } from './tenant.ts'
import { platformUserCreate, userCreate } from './user.ts'
import { vectorIndex } from './vector-index.ts'

const commands: Command[] = [
  serve,
  demo,
  migrate,
  tenantCreate,
  userCreate,
  platformUserCreate,
  doctor,
  backup,
  restore,
  mailList,
  mailRetry,
  mailTest,
  signingKeyRotate,
  signingKeyList,
  auditKeyRotate,
  auditKeyList,
  auditRedact,
  auditAnchor,
  auditNewEpoch,
  storageMove,
  storageSweep,
  reindex,
  statsRecount,
  vectorIndex,
]

const table = (lines: [string, string][]) =>
  lines.map(([left, right]) => `  ${left.padEnd(26)}${right}`.trimEnd()).join('\n')

const overview = () =>
  [
    'Attest: npm run --silent qms -- COMMAND',
    '',
    table(commands.map(({ name, summary }) => [name, summary])),
    '',
    'COMMAND --help shows its options. Configuration is read from the environment: see the README.',
  ].join('\n')

const usage = ({ name, summary, options }: Command) =>
  [`${name}: ${summary}`, ...(Object.keys(options).length > 0 ? ['', table(Object.entries(options))] : [])].join('\n')

/** Runs the command that the words name. Answers the exit code. */
export async function runCommand(words: string[], env: Environment): Promise<number> {
  if (words.length === 0 || words[0] === '--help' || words[0] === '-h' || words[0] === 'help') {
    say(overview())
    return words.length === 0 ? 2 : 0
  }
  const command = commands.find(({ name }) => name.split(' ').every((word, index) => words[index] === word))
  if (!command) {
    process.stderr.write(
      `There is no command ${words
        .slice(0, 2)
        .filter(word => !word.startsWith('-'))
        .join(' ')}.\n\n${overview()}\n`,
    )
    return 2
  }
  const rest = words.slice(command.name.split(' ').length)
  if (rest.includes('--help') || rest.includes('-h')) {
    say(usage(command))
    return 0
  }
  try {
    return await command.run(rest, env)
  } catch (error) {
    // A line for each thing that is wrong; of a bug the traceback.
    const known = error instanceof ConfigError || error instanceof Refusal
    process.stderr.write(`${known ? error.message : (error as Error).stack}\n`)
    return 1
  }
}
