import type { Writable } from 'node:stream'

const held_ms = 20

/**
 * Buffers log lines for 20 ms, because each write takes as long as a good part of an answer. A process that ends by itself or by an
 * uncaught error writes all of them; one that is killed may lose those of its last 20 ms.
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
