// Loaded into a command (`--import`): at the first line that matches KILL_AT the process kills itself, before its next instruction. A test
// that reads the line and then kills is too late on a busy machine.
const pattern = new RegExp(process.env.KILL_AT!)
const write = process.stdout.write.bind(process.stdout) as (chunk: Uint8Array | string, ...rest: unknown[]) => boolean
process.stdout.write = (chunk: Uint8Array | string, ...rest: unknown[]) => {
  if (pattern.test(String(chunk))) process.kill(process.pid, 'SIGKILL')
  return write(chunk, ...rest)
}
