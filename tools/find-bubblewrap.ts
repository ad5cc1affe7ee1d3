import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const program = '/usr/bin/bwrap'

/** What encloses converters, where the machine lets it make namespaces. */
export const findBubblewrap = () =>
  existsSync(program) &&
  spawnSync(program, ['--unshare-all', '--ro-bind', '/', '/', 'true'], { stdio: 'ignore' }).status === 0
    ? program
    : undefined
