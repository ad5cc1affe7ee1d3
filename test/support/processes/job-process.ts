// The service as it is started, with work of a kind that only tests know, and with less patience for a process that is silent.
import { readConfig } from '#platform/config.ts'
import { createLog } from '#platform/log/log.ts'
import { listen } from '../../../src/commands/serve.ts'
import { start } from '../../../src/commands/start.ts'
import { makeGroups } from './job-kinds.ts'

const config = readConfig(process.env)
const log = createLog({ format: 'json', level: config.log_level, write: line => process.stdout.write(line) })
const timing = { supervise_s: 1, queue_poll_s: 1 }
process.exitCode = await listen(await start(config, log, { moreJobs: [makeGroups], timing }))
