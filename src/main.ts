import { runCommand } from './commands/index.ts'

// Whoever reads has had enough, as `head` has: the work goes on to its end, and its exit code is its own.
for (const output of [process.stdout, process.stderr])
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

process.exit(await runCommand(process.argv.slice(2), process.env))
