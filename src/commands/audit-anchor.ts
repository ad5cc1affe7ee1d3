import { readFile } from 'node:fs/promises'
import type { Services } from '#action'
import { type Comparison, compareNotes, compareStores, mailCheckpoints } from '#modules/audit'
import { MailFailure } from '#platform/mail/failure.ts'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { lines } from './messages.ts'
import { withService } from './start.ts'

export const auditAnchor: Command = {
  options: {
    '--check': 'store nothing; compare the stored checkpoints with the database',
    '--check FILE': 'compare the checkpoints in a file, such as a saved e-mail, with the database',
  },
  async run(args, env) {
    const { file, rest } = takeFile(args)
    const { check } = readOptions(rest, { check: { type: 'boolean', default: false } })
    const text = file === undefined ? undefined : await readFile(file, 'utf8').catch(unreadable(file))
    let failures = 0
    await withService(env, lines.service_running_anchor, async services => {
      const { anchors, config } = services
      const { mailboxes } = config.audit_anchors
      if (text === undefined && anchors.length === 0 && (check || mailboxes.length === 0))
        throw new Refusal(lines.audit_anchors_missing())
      let seen = 0
      const all =
        text === undefined ? compareStores(services, { write: !check }) : compareNotes(services, text, String(file))
      for await (const each of all) {
        seen += 1
        failures += each.isWell ? 0 : 1
        sayCompared(each)
      }
      if (file !== undefined && seen === 0) throw new Refusal(lines.audit_anchor_file_empty({ file }))
      if (!check && text === undefined) await sendTo(mailboxes, services)
    })
    return failures === 0 ? 0 : 1
  },
}

/** `--check` takes an optional file, which parseArgs does not support. */
function takeFile(args: string[]) {
  const at = args.indexOf('--check')
  const file = at < 0 || args[at + 1]?.startsWith('-') ? undefined : args[at + 1]
  return { file, rest: file === undefined ? args : args.toSpliced(at + 1, 1) }
}

const sayCompared = ({ tenant, log_id, isWell, says }: Comparison) =>
  say(lines.audit_anchor_compared({ is_well: isWell, tenant: tenant ?? null, log: log_id, result: says }))

async function sendTo(mailboxes: readonly string[], { clock, config, database, mailer }: Services) {
  if (mailboxes.length === 0) return
  const now = clock.now().toISOString()
  const parties = { database, mailer: mailer!, from: config.mail!.from }
  try {
    await mailCheckpoints(parties, mailboxes, { now, name: now.replace(/\D/g, '') }, address =>
      say(lines.audit_anchor_sent({ address })),
    )
  } catch (error) {
    throw error instanceof MailFailure ? new Refusal(lines.failure_reported({ reason: error.message })) : error
  }
}

const unreadable = (file: string) => (error: NodeJS.ErrnoException) => {
  throw new Refusal(lines.audit_anchor_file_unreadable({ file, reason: error.code ?? error.message }))
}
