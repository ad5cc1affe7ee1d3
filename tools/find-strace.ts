import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

const program = '/usr/bin/strace'
const scope = '/proc/sys/kernel/yama/ptrace_scope'

/** The program that makes system calls of another process fail, if it may trace processes that are not its children. */
export const findStrace = () => {
  if (!existsSync(program)) return undefined
  const isFree = process.getuid?.() === 0 || !existsSync(scope) || readFileSync(scope, 'utf8').trim() === '0'
  const options = { stdio: 'ignore' } as const
  return isFree && spawnSync(program, ['-o', '/dev/null', 'true'], options).status === 0 ? program : undefined
}
