import { CannotRedact, type RedactablePart, redact, redactableParts } from '#modules/audit'
import { readConfig } from '#platform/config.ts'
import { openAsOwner } from './backup/database.ts'
import { type Command, Refusal, readOptions, required, say } from './command.ts'
import { lines } from './messages.ts'

export const auditRedact: Command = {
  options: {
    '--tenant S': 'the slug of the tenant',
    '--entry N': 'the id of an entry; can be given several times',
    '--part P': 'person (name, role, address) or detail (changes, number, reason); both by default',
    '--reason TEXT': 'the reason, which stays in the trail',
    '--by NAME': 'the person who decided, which stays in the trail too',
  },
  async run(args, env) {
    const options = readOptions(args, {
      tenant: { type: 'string' },
      entry: { type: 'string', multiple: true, default: [] },
      part: { type: 'string', multiple: true, default: [...redactableParts] },
      reason: { type: 'string' },
      by: { type: 'string' },
    })
    const slug = required('tenant', options.tenant)
    const reason = required('reason', options.reason)
    const redacted_by = required('by', options.by)
    const entries = [...new Set(options.entry)].map(id => {
      if (!/^[1-9]\d{0,14}$/.test(id)) throw new Refusal(lines.audit_entry_number())
      return Number(id)
    })
    if (entries.length === 0) throw new Refusal(lines.option_needed({ option: '--entry' }))
    const parts = [...new Set(options.part)].map(part => {
      if (!redactableParts.includes(part as RedactablePart)) throw new Refusal(lines.audit_part_unknown())
      return part as RedactablePart
    })
    const { client, close } = await openAsOwner(readConfig(env), { make: false })
    try {
      const { rows } = await client.query<{ id: number }>('select id from tenants where slug = $1', [slug])
      if (!rows[0]) throw new Refusal(lines.tenant_unknown({ slug }))
      await redact(client, { tenant_id: rows[0].id, entries, parts, reason, redacted_by })
    } catch (error) {
      throw error instanceof CannotRedact ? new Refusal(lines.failure_reported({ reason: error.message })) : error
    } finally {
      await close()
    }
    say(lines.audit_redacted({ parts, count: entries.length }))
    say(lines.audit_redacted_backups())
    return 0
  },
}
