import { runCommand } from './commands/index.ts'
import { keepCompiled } from './platform/compiled.ts'

// The reader of the output may stop early, as `head` does. The work still goes on to its end, with its own exit code.
for (const output of [process.stdout, process.stderr])
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

keepCompiled()
process.exit(await runCommand(process.argv.slice(2), process.env))
