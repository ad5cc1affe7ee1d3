import { createHash } from 'node:crypto'
import type { Mailbox } from '#platform/config.ts'
import type { Database } from '#platform/db/database.ts'
import type { Mailer } from '#platform/mail/mailer.ts'
import { latestCheckpoint } from '../log/queries.ts'
import { heads } from './anchor.ts'

const nobody = { tenantId: null, userId: null }

/** Sends each mailbox the newest checkpoint of every log. The same name gives the same message again. `isSent` is called for each accepted message. */
export async function mailCheckpoints(
  { database, mailer, from }: { database: Database; mailer: Mailer; from: Mailbox },
  mailboxes: readonly string[],
  { now, name, signal }: { now: string; name: string; signal?: AbortSignal },
  isSent: (address: string) => void,
) {
  const notes: string[] = []
  const logs = createHash('sha256')
  for await (const { tenant_id, log_id } of heads(work => database.transaction(nobody, 'read only', work))) {
    logs.update(log_id)
    const newest = await database.transaction({ tenantId: tenant_id, userId: null }, 'read only', tx =>
      latestCheckpoint(tx),
    )
    if (newest) notes.push(newest.note)
  }
  const day = now.slice(0, 10)
  for (const address of mailboxes) {
    const id = createHash('sha256')
      .update(`${logs.copy().digest('hex')} ${address}`)
      .digest('hex')
      .slice(0, 32)
    await mailer.send(
      {
        message_id: `<checkpoints-${name}-${id}@${from.address.split('@')[1]}>`,
        date: now,
        to: { name: '', address },
        subject: `Checkpoints of the audit trail, ${day}: ${notes.length} ${notes.length === 1 ? 'log' : 'logs'}`,
        text: [introduction, ...notes].join('\n'),
        isUrgent: false,
      },
      signal,
    )
    isSent(address)
  }
}

const introduction = `How far the audit trail of each tenant was sealed, signed by the service. Keep this message where nobody who administers the
database can change it. Saved as a file, it tells whether the database has forgotten or changed something since:

  npm run --silent qms -- audit anchor --check FILE
`

/** Finds the notes in a text, such as a saved e-mail. */
export function notesIn(text: string): string[] {
  const note = /^attest\/t\/[0-9a-f-]{36}\/e\d+\n\d+\n[A-Za-z0-9+/]{43}=\n\n(?:— .+\n)+/gm
  return [...new Set(readings(text).flatMap(reading => reading.match(note) ?? []))]
}

/** The text itself, and its decoded form if a mail server encoded it. */
function readings(text: string): string[] {
  const plain = text.replaceAll('\r\n', '\n')
  const quoted = plain
    .replace(/=\n/g, '')
    .replace(/(?:=[0-9A-F]{2})+/g, bytes => Buffer.from(bytes.replaceAll('=', ''), 'hex').toString())
  const encoded = [...plain.matchAll(/(?:^[A-Za-z0-9+/=]{60,}\n)+(?:^[A-Za-z0-9+/=]+\n)?/gm)].map(([lines]) =>
    Buffer.from(lines, 'base64').toString(),
  )
  return [plain, quoted, ...encoded].map(each => `${each.replaceAll('\r\n', '\n')}\n`)
}
