// A process that looks after a PostgreSQL as the service does, for embedded.test.ts to end in every way that a process can end.
import { openEmbedded } from '#platform/db/embedded.ts'

const { connection, close } = await openEmbedded(process.argv[2]!, console)
process.once('SIGTERM', () => {
  void close().then(() => process.exit(0))
})
process.once('message', () => {
  throw new Error('a bug that nothing catches')
})
process.send!(connection)
