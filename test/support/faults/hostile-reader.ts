// Reads files as the service does, but for texts: these say what harm is done instead.
import { readFileSync } from 'node:fs'
import { readers } from '#platform/text-extraction/readers.ts'

const harms: Record<string, () => void> = {
  hang() {
    for (;;);
  },
  crash: () => process.kill(process.pid, 'SIGSEGV'),
  eat() {
    for (const all: object[] = []; ; ) all.push(new Array(1_000).fill({}))
  },
  'eat bytes'() {
    for (const all: Buffer[] = []; ; ) all.push(Buffer.alloc(16 * 1024 * 1024, 1))
  },
  flood() {
    for (;;) process.stdout.write('x'.repeat(100_000))
  },
  babble: () => void process.stdout.write('no line of ours\n'),
  lie: () => void process.stdout.write(`${JSON.stringify({ block: { page: 1, heading: null, text: 'a\0' } })}\n`),
  throw() {
    throw new Error('the secret recipe')
  },
  'read the key': () => void readFileSync('/etc/hostname'),
  'be ended': () => process.kill(process.pid, 'SIGTERM'),
}

readers.txt = async () => async (file, writer) => {
  writer.page(1)
  writer.paragraph('What was read until then.')
  writer.page(2)
  harms[readFileSync(file, 'utf8')]?.()
  writer.paragraph(`environment: ${Object.keys(process.env).join()}, folder: ${process.cwd()}`)
}
await import('#platform/text-extraction/reader.ts')
