import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Ending } from '../files/media-type.ts'
import { openSandbox } from '../sandbox.ts'
import { type Word, wordsOf } from './ocr-words.ts'

const folders = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']

export const isPicture = (ending: Ending) => /^(png|jpg|tif|gif|webp)$/.test(ending)

/** A page of text takes 2 to 5 seconds; a photograph may take all of the time. */
const defaultTimeoutMs = 60_000
/** The limit of address space. A page at 300 dots per inch takes some 300 MB. */
const maxMemoryKb = 1024 * 1024
const maxOutputBytes = 8 * 1024 * 1024
/** Dots along the longer side of an A4 page at 300 per inch. */
const pageDots = 3_508
/** Each language adds as much time. */
const maxLanguages = 4

export interface Ocr {
  /** The words of a picture, or of one page of a PDF. Undefined if it could not be read in time. */
  read(path: string, page: number | undefined, signal?: AbortSignal): Promise<Word[] | undefined>
  canReadPdf: boolean
}

/** OCR by Tesseract, with poppler for pages of a PDF, if these are installed. */
export function findOcr(
  places: readonly string[] = folders,
  longest_ms = defaultTimeoutMs,
  sandbox = openSandbox(),
): Ocr | null {
  const find = (name: string) => places.map(folder => `${folder}/${name}`).find(existsSync)
  const tesseract = find('tesseract')
  const pdftoppm = find('pdftoppm')
  if (!tesseract) return null
  const program = tesseract
  let known: Promise<string[]> | undefined

  return {
    canReadPdf: pdftoppm !== undefined,
    async read(path, page, signal) {
      known ??= optionsOf(program)
      const options = await known
      const enclosed = await sandbox.around({ program, install: program, read: [path], folder: '/' })
      const text =
        page === undefined
          ? await run(enclosed, 'nice "$@"', [program, path, 'stdout', ...options, 'tsv'], longest_ms, signal)
          : await run(
              enclosed,
              `nice "$1" -f "$2" -l "$2" -scale-to ${pageDots} -gray "$3" | { shift 3; nice "$@"; }`,
              [pdftoppm!, String(page), path, program, 'stdin', 'stdout', ...options, 'tsv'],
              longest_ms,
              signal,
            )
      return text === undefined ? undefined : wordsOf(text)
    },
  }
}

/** Uses every installed language, and turns pages that lie on their side. */
async function optionsOf(tesseract: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(tesseract, ['--list-langs'], { timeout: defaultTimeoutMs })
  const installed = stdout.split('\n').filter(name => /^[a-z][\w/]*$/i.test(name))
  const languages = installed.filter(name => name !== 'osd' && name !== 'equ').slice(0, maxLanguages)
  if (languages.length === 0) throw new Error('Tesseract is installed without a language')
  return ['-l', languages.join('+'), '--psm', installed.includes('osd') ? '1' : '3']
}

/** The output of the script; undefined if it fails, or takes too long or too much memory. It ends itself soon after the service ends. */
async function run(
  enclosed: readonly string[],
  script: string,
  parameters: readonly string[],
  longest_ms: number,
  signal?: AbortSignal,
) {
  const limited = `ulimit -v ${maxMemoryKb}; ulimit -t ${Math.ceil(longest_ms / 1000)}; ulimit -c 0; exec "$@"`
  const command = [...enclosed, '/bin/sh', '-c', script, 'sh', ...parameters]
  const child = spawn('/bin/sh', ['-c', limited, 'sh', ...command], {
    cwd: '/',
    detached: true, // a process group of its own, which is ended as a whole
    env: { PATH: '/usr/bin:/bin', OMP_THREAD_LIMIT: '1', LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const endAll = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // the group has ended
    }
  }
  const late = setTimeout(endAll, longest_ms)
  signal?.addEventListener('abort', endAll, { once: true })
  try {
    const exit = new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', resolve)
    })
    const pieces: Buffer[] = []
    let size = 0
    for await (const piece of child.stdout as AsyncIterable<Buffer>) {
      size += piece.length
      if (size > maxOutputBytes) return undefined
      pieces.push(piece)
    }
    const code = await exit
    signal?.throwIfAborted()
    return code === 0 ? Buffer.concat(pieces).toString('utf8') : undefined
  } finally {
    clearTimeout(late)
    signal?.removeEventListener('abort', endAll)
    if (child.pid) endAll()
  }
}
