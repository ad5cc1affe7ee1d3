// The service as it is started, but for the timing of its background work, which is the argument as JSON.
import { readConfig } from '#platform/config.ts'
import { createLog } from '#platform/log/log.ts'
import { listen } from '../../../src/commands/serve.ts'
import { start } from '../../../src/commands/start.ts'

const config = readConfig(process.env)
const log = createLog({ format: 'json', level: config.log_level, write: line => process.stdout.write(line) })
process.exitCode = await listen(await start(config, log, { timing: JSON.parse(process.argv[2]!) }))
