import { setTimeout } from 'node:timers/promises'
import type { Services } from '#action'
import { AppError } from '#kernel/errors.ts'
import { systemActor } from '#modules/accounts'
import { countRead, reindex as readAgain, type WhatToRead } from '#modules/search'
import { type Command, Refusal, readOptions, say } from './command.ts'
import { lines } from './messages.ts'
import { origin, tenantsOf, withService } from './start.ts'

const pollMs = 2_000

export const reindex: Command = {
  options: {
    '--failed': 'only files that could not be read',
    '--all': 'all files; by default those that an older program has read',
    '--tenant S': 'the slug of one tenant; all tenants by default',
    '--watch': 'show the progress of the service until it is done',
  },
  async run(args, env) {
    const options = readOptions(args, {
      failed: { type: 'boolean' },
      all: { type: 'boolean' },
      tenant: { type: 'string' },
      watch: { type: 'boolean' },
    })
    if (options.failed && options.all) throw new Refusal(lines.options_exclusive({ options: ['--failed', '--all'] }))
    const what = options.failed ? 'failed' : options.all ? 'all' : 'outdated'
    await withService(env, lines.service_running_reindex, async services => {
      const since = services.clock.now().toISOString()
      const asked: { tenantId: number; total: number; job: number }[] = []
      for (const tenantId of await tenantsOf(services, options.tenant)) {
        const answer = await ask(services, tenantId, what)
        if (answer) asked.push({ tenantId, total: answer.total, job: answer.id })
      }
      if (asked.length === 0) throw new Refusal(lines.reindex_nothing())
      for (const { tenantId, total, job } of asked) say(lines.reindex_queued({ tenant: tenantId, files: total, job }))
      if (options.watch) await watch(services, asked, since)
    })
    return 0
  },
}

/** Undefined if there is nothing to read. */
const ask = ({ runner }: Services, tenantId: number, what: WhatToRead) =>
  runner.run(readAgain, systemActor(tenantId), { body: { what } }, { origin }).catch(error => {
    if (error instanceof AppError && error.status === 409) return undefined
    throw error
  })

async function watch({ database }: Services, asked: { tenantId: number; total: number }[], since: string) {
  const total = asked.reduce((sum, each) => sum + each.total, 0)
  for (let shown = -1, read = 0; read < total; ) {
    read = 0
    for (const { tenantId, total } of asked) {
      const count = await database.transaction({ tenantId, userId: null }, 'read only', tx => countRead(tx, since))
      read += Math.min(count, total)
    }
    if (read !== shown) say(lines.reindex_progress({ read, total }))
    shown = read
    if (read < total) await setTimeout(pollMs)
  }
}
