import { runCommand } from './commands/index.ts'

process.exit(await runCommand(process.argv.slice(2), process.env))
