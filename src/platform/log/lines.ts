import type { Writable } from 'node:stream'

/**
 * Writes the lines of one turn of the event loop at once: each call takes as long as a good part of an answer. A process that ends by
 * itself, or by an error that nobody caught, has written all; one that is killed may owe those of its last turn.
 */
export function lineWriter(to: Writable): (line: string) => void {
  let waiting = ''
  const write = () => {
    const text = waiting
    waiting = ''
    if (text) to.write(text)
  }
  process.on('exit', write)
  return line => {
    if (!waiting) setImmediate(write)
    waiting += line
  }
}
