// The service as it is started, which dies as soon as it has stored the archive of an export, before it says so.
import { readConfig } from '#platform/config.ts'
import { createLog } from '#platform/log/log.ts'
import { listen } from '../../../src/commands/serve.ts'
import { start } from '../../../src/commands/start.ts'

const config = readConfig(process.env)
const log = createLog({ format: 'json', level: config.log_level, write: line => process.stdout.write(line) })
const service = await start(config, log, { timing: { supervise_s: 1, queue_poll_s: 1 } })
const { storage } = service.services
const { keep } = storage
storage.keep = async (received, key) => {
  await keep(received, key)
  if (key.startsWith('export/')) process.kill(process.pid, 'SIGKILL')
}
process.exitCode = await listen(service)
