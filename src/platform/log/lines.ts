import type { Writable } from 'node:stream'

const held_ms = 5

/**
 * Writes the lines of a moment at once: each call takes as long as a good part of an answer. A process that ends by itself, or by an
 * error that nobody caught, has written all; one that is killed may owe those of its last 5 ms.
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
    if (!waiting) setTimeout(write, held_ms)
    waiting += line
  }
}
