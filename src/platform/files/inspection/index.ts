import { stat } from 'node:fs/promises'
import { AppError, messageOf, unavailable } from '#kernel/errors.ts'
import { cleanFileName } from '../file-name.ts'
import { contentTypeOf, type Ending, requireHead, typeOf } from '../media-type.ts'
import { messages } from '../messages.ts'
import { type Budget, newBudget, type Part, readArchive, shown } from './archive.ts'
import { type Bytes, bytesOf, refusal, withBytes } from './bytes.ts'
import { inspectHtml } from './html.ts'
import { inspectGif, inspectPng, inspectTiff, inspectWebp } from './images.ts'
import { inspectJpeg } from './jpeg.ts'
import { inspectMp4 } from './mp4.ts'
import { inspectOffice, unpacked } from './office.ts'
import { inspectOpenDocument } from './open-document.ts'
import { inspectPdf } from './pdf.ts'
import { inspectText } from './text.ts'
import { refuseHiddenArchive } from './zip-tail.ts'

const head_bytes = 4_100
/** Far more than the check takes: it ends a check on a disk that hangs. */
const minTimeMs = 60_000
const bytesPerMs = 10 * 1024
/** An archive may inflate to this, or to the size of the largest upload if that is more. */
const inflated_bytes = 200 * 1024 * 1024

interface Inspection {
  accepted: readonly Ending[]
  max_pdf_pages: number
  budget: Budget
}
/** `whole`: all of its bytes, where they are in memory. */
interface Inspected {
  path: string
  whole?: Buffer | undefined
}
type Check = (file: Inspected, inspection: Inspection) => Promise<void>

/** A file that is not an archive must not hide one. */
const plain =
  (check: (bytes: Bytes) => Promise<void>): Check =>
  async ({ path, whole }, { budget }) => {
    const work = async (bytes: Bytes) => {
      await check(bytes)
      await refuseHiddenArchive(bytes)
    }
    await (whole ? work(bytesOf(whole)) : withBytes(path, budget.signal, work))
  }
const office =
  (kind: Ending): Check =>
  ({ path }, { budget }) =>
    inspectOffice(path, kind, budget)
const openDocument =
  (kind: Ending): Check =>
  ({ path }, { budget }) =>
    inspectOpenDocument(path, contentTypeOf(kind), budget)

const checks: Record<Ending, Check> = {
  pdf: (file, inspection) => plain(bytes => inspectPdf(bytes, inspection.max_pdf_pages))(file, inspection),
  docx: office('docx'),
  xlsx: office('xlsx'),
  pptx: office('pptx'),
  odt: openDocument('odt'),
  ods: openDocument('ods'),
  odp: openDocument('odp'),
  txt: plain(inspectText),
  csv: plain(inspectText),
  md: plain(inspectText),
  html: plain(async bytes => {
    await inspectText(bytes)
    await inspectHtml(bytes)
  }),
  png: plain(inspectPng),
  jpg: plain(inspectJpeg),
  gif: plain(inspectGif),
  webp: plain(inspectWebp),
  tif: plain(inspectTiff),
  mp4: plain(inspectMp4),
  zip: inspectZip,
}

/**
 * DOC-07: checks the whole of a file whose beginning matches its name. A 422 gives the fault.
 *
 * It reads in pieces, unless the file is in memory, and inflates in Node's own threads, so that other requests go on. The file lies in the
 * spool, and unpacked parts lie beside it for as long as they are checked.
 */
export async function inspect(
  file: Inspected,
  ending: Ending,
  { accepted, max_bytes, max_pdf_pages }: { accepted: readonly Ending[]; max_bytes: number; max_pdf_pages: number },
): Promise<void> {
  const size = file.whole ? file.whole.length : (await stat(file.path)).size
  const signal = AbortSignal.timeout(minTimeMs + Math.ceil(size / bytesPerMs))
  const budget = newBudget(size, Math.max(inflated_bytes, max_bytes), signal)
  try {
    await checks[ending](file, { accepted, max_pdf_pages, budget })
  } catch (error) {
    if (signal.aborted) throw unavailable(messages.file_check_timeout())
    throw error
  }
}

/** Each file of the archive must be acceptable by itself, and not be an archive. */
async function inspectZip({ path }: Inspected, { accepted, ...rest }: Inspection) {
  const { budget } = rest
  const inside: Inspection = { accepted: accepted.filter(each => each !== 'zip'), ...rest }
  await readArchive(path, budget, async parts => {
    for (const part of parts) if (!isFolder(part)) await inspectFileOf(path, part, inside)
  })
}

const isFolder = ({ name }: Part) => name.endsWith('/')

async function inspectFileOf(path: string, part: Part, inside: Inspection) {
  try {
    const { extension } = typeOf(cleanFileName(part.name), inside.accepted)
    await unpacked(path, part, inside.budget, async inner => {
      await withBytes(inner, inside.budget.signal, async bytes =>
        requireHead((await bytes.at(0, head_bytes)).subarray(0, head_bytes), extension),
      )
      await checks[extension]({ path: inner }, inside)
    })
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    const reason = messageOf(error)
    throw refusal(messages.file_in_archive_refused({ name: shown(part.name), reason, reason_code: reason.code }))
  }
}
