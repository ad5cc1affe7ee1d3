import { type ChildProcess, spawn } from 'node:child_process'
import { realpathSync } from 'node:fs'
import { type FileHandle, readFile } from 'node:fs/promises'
import { constants, setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { ReaderOutput } from './extraction.ts'
import { limits, most_line_bytes, too_large } from './limits.ts'
import { givenProgram, taking_given } from './program.ts'
import type { Readable } from './readers.ts'

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url))
const reader = here('reader.ts')

/** The process may read the program and its libraries, and may not write files or start programs. */
const flags = [
  '--permission',
  ...[here('../../'), here('../../../package.json'), realpathSync(here('../../../node_modules'))].map(
    path => `--allow-fs-read=${path}`,
  ),
  `--allow-fs-read=${here('../../../node_modules')}`,
  '--allow-worker',
  '--disallow-code-generation-from-strings',
  '--no-addons',
  '--no-warnings',
  `--max-old-space-size=${limits.most_heap_mb}`,
  taking_given,
]

export type Ended = 'by itself' | 'too slow' | 'too large' | 'crashed'

/** For tests: another program, or another time limit. */
export interface Means {
  signal?: AbortSignal | undefined
  program?: string | undefined
  longest_ms?: number | undefined
  /** Of a PDF with more pages nothing is read. */
  max_pdf_pages?: number | undefined
}

const lookEveryMs = 50

/**
 * Reads a file in a process of its own, so that a crash affects nothing else, and ends it if it takes too long or too much memory. `emit`
 * receives each finding at once, so that a failure does not lose it. Throws if the machine is at fault: the process cannot be started, or
 * somebody else ended it.
 */
export async function readInProcess(
  file: FileHandle,
  ending: Readable,
  emit: (output: ReaderOutput) => void,
  { signal, program = reader, longest_ms = limits.longest_ms, max_pdf_pages = Number.POSITIVE_INFINITY }: Means = {},
): Promise<Ended> {
  const given = await givenProgram()
  signal?.throwIfAborted()
  const child = spawn(
    process.execPath,
    [...flags, `--allow-fs-read=${program}`, program, ending, String(process.pid), String(max_pdf_pages)],
    {
      cwd: '/',
      // The process gets no environment, because it holds the service's secrets.
      env: {},
      stdio: ['ignore', 'pipe', 'ignore', file.fd, given],
    },
  )
  // Requests to the service have priority.
  if (child.pid) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  let ended: Ended | undefined
  const end = (why: Ended) => {
    ended ??= why
    child.kill('SIGKILL')
  }
  const abort = () => child.kill('SIGKILL')
  signal?.addEventListener('abort', abort, { once: true })
  const late = setTimeout(end, longest_ms, 'too slow')
  const watch = setInterval(() => {
    void memoryOf(child).then(bytes => bytes > limits.most_memory_mb * 1024 * 1024 && end('too large'))
  }, lookEveryMs)
  try {
    const seen = { ready: false, end: false }
    const [{ code, by }] = await Promise.all([
      exitOf(child),
      eachLine(child, line => {
        const each = JSON.parse(line) as ReaderOutput
        if ('ready' in each) seen.ready = true
        else if ('end' in each) seen.end = true
        emit(each)
      }).catch(() => end('crashed')),
    ])
    signal?.throwIfAborted()
    if (ended) return ended
    if (!seen.ready || by === 'SIGTERM' || by === 'SIGKILL')
      throw new Error(`The process that reads files ended by ${by ?? code}`)
    if (seen.end) return 'by itself'
    // V8 aborts when its heap is exhausted.
    const isTooLarge = by === too_large || by === 'SIGABRT' || by === 'SIGTRAP'
    return isTooLarge ? 'too large' : 'crashed'
  } finally {
    clearTimeout(late)
    clearInterval(watch)
    signal?.removeEventListener('abort', abort)
    abort()
  }
}

function exitOf(child: ChildProcess): Promise<{ code: number | null; by: NodeJS.Signals | null }> {
  const { promise, resolve, reject } = Promise.withResolvers<{ code: number | null; by: NodeJS.Signals | null }>()
  child.once('error', reject)
  child.once('exit', (code, by) => resolve({ code, by }))
  return promise
}

/** Our reader never writes a longer line, so it is refused. */
async function eachLine({ stdout }: ChildProcess, take: (line: string) => void) {
  let rest: Buffer = Buffer.alloc(0)
  for await (const piece of stdout as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, piece])
    for (let end = rest.indexOf(10); end >= 0; end = rest.indexOf(10)) {
      take(rest.toString('utf8', 0, end))
      rest = rest.subarray(end + 1)
    }
    if (rest.length > most_line_bytes) throw new RangeError('a line is too long')
  }
}

const page_bytes = 4_096

/** 0 on machines that do not report it; there the process watches itself. */
const memoryOf = ({ pid }: ChildProcess) =>
  readFile(`/proc/${pid}/statm`, 'latin1').then(
    text => Number(text.split(' ')[1]) * page_bytes,
    () => 0,
  )
