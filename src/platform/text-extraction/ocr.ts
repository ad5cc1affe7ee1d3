import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { promisify } from 'node:util'
import type { Ending } from '../files/media-type.ts'
import { type Word, wordsOf } from './ocr-words.ts'

const folders = ['/usr/bin', '/usr/local/bin', '/opt/homebrew/bin']

export const isPicture = (ending: Ending) => /^(png|jpg|tif|gif|webp)$/.test(ending)

/** A page of letters takes 2 to 5 seconds; a picture that is none of letters may take it all. */
const usual_longest_ms = 60_000
/** Of addresses: a page in letters of 300 to the inch takes some 300 MB. */
const most_memory_kb = 1024 * 1024
const most_output_bytes = 8 * 1024 * 1024
/** Dots along the longer side: an A4 page at 300 to the inch. */
const page_dots = 3_508
/** Each takes as long again. */
const most_languages = 4

export interface Ocr {
  /** The words of each page of a picture, or of one page of a PDF. Undefined where it could not be read in its time. */
  read(path: string, page: number | undefined, signal?: AbortSignal): Promise<Word[] | undefined>
  canReadPdf: boolean
}

/** Reads letters off pictures by Tesseract, and pages of a PDF as pictures by poppler, where these are installed. */
export function findOcr(places: readonly string[] = folders, longest_ms = usual_longest_ms): Ocr | null {
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
      const text =
        page === undefined
          ? await run('nice "$@"', [program, path, 'stdout', ...options, 'tsv'], longest_ms, signal)
          : await run(
              `nice "$1" -f "$2" -l "$2" -scale-to ${page_dots} -gray "$3" | { shift 3; nice "$@"; }`,
              [pdftoppm!, String(page), path, program, 'stdin', 'stdout', ...options, 'tsv'],
              longest_ms,
              signal,
            )
      return text === undefined ? undefined : wordsOf(text)
    },
  }
}

/** It looks for the letters of every language that it was installed with, and turns pages that lie on their side. */
async function optionsOf(tesseract: string): Promise<string[]> {
  const { stdout } = await promisify(execFile)(tesseract, ['--list-langs'], { timeout: usual_longest_ms })
  const installed = stdout.split('\n').filter(name => /^[a-z][\w/]*$/i.test(name))
  const languages = installed.filter(name => name !== 'osd' && name !== 'equ').slice(0, most_languages)
  if (languages.length === 0) throw new Error('Tesseract is installed without a language')
  return ['-l', languages.join('+'), '--psm', installed.includes('osd') ? '1' : '3']
}

/** What it writes; undefined where it fails, or takes too long or too much. It ends by itself soon after the service did. */
async function run(script: string, parameters: string[], longest_ms: number, signal?: AbortSignal) {
  const limited = `ulimit -v ${most_memory_kb}; ulimit -t ${Math.ceil(longest_ms / 1000)}; ulimit -c 0; ${script}`
  const child = spawn('/bin/sh', ['-c', limited, 'sh', ...parameters], {
    cwd: '/',
    detached: true, // a process group of its own, which is ended as a whole
    env: { PATH: '/usr/bin:/bin', OMP_THREAD_LIMIT: '1', LC_ALL: 'C.UTF-8' },
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const endAll = () => {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // nobody of it is left
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
      if (size > most_output_bytes) return undefined
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
