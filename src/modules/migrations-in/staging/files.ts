// Takes the files of an import: each is inspected and scanned as an upload is. Types that uploads refuse are kept as they are.
import { rm } from 'node:fs/promises'
import type { Services } from '#action'
import { AppError, type AuditedRefusal, invalidField, messageOf } from '#kernel/errors.ts'
import type { Message } from '#kernel/message.ts'
import { newBudget, readArchive } from '#platform/files/inspection/archive.ts'
import { inspect } from '#platform/files/inspection/index.ts'
import { knownEndings, requireHead, typeOf } from '#platform/files/media-type.ts'
import { asDiskFailure } from '#platform/storage/failure.ts'
import { newKey, type Received } from '#platform/storage/storage.ts'
import { messages, reasons } from '../messages.ts'
import { cleanPath } from './values.ts'

/** A file that is in the store and has no row yet. */
export interface ReceivedFile {
  path: string
  file_key: string
  sha256: string
  file_size: number
  content_type: string
  is_legacy: boolean
}

export interface RefusedFile {
  path: string
  message: Message
  auditEntry?: AuditedRefusal
}

/** By their endings: how each begins, and what it is sent as. A browser shows none of them. */
const legacyTypes: Record<string, { content_type: string; begins: readonly (string | RegExp)[] }> = {
  doc: { content_type: 'application/msword', begins: ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'] },
  xls: {
    content_type: 'application/vnd.ms-excel',
    begins: ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1', '\t\x08', '\t\x04', '\t\x02', '\t\0'],
  },
  ppt: { content_type: 'application/vnd.ms-powerpoint', begins: ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'] },
  msg: { content_type: 'application/vnd.ms-outlook', begins: ['\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'] },
  dwg: { content_type: 'image/vnd.dwg', begins: [/^AC10\d\d/] },
}

const endingOf = (path: string) => /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''

/** What lies in every archive that a Mac or Windows makes, and is no file of anybody. */
const isClutter = (path: string) =>
  /(^|\/)(__MACOSX\/|\.DS_Store$|Thumbs\.db$|desktop\.ini$)/i.test(path) || /(^|\/)\._[^/]*$/.test(path)

type Means = Pick<Services, 'storage' | 'antivirus' | 'config'>

/** Inspects a spooled file by the ending of its path; a refusal says what is wrong. */
async function inspectFile(
  { antivirus, config }: Means,
  path: string,
  { path: spooled, head, size_bytes, sha256 }: Received,
): Promise<{ content_type: string; is_legacy: boolean }> {
  const ending = endingOf(path)
  const legacy = legacyTypes[ending]
  const begins = head.toString('latin1', 0, 16)
  if (legacy) {
    const isIts = legacy.begins.some(each => (typeof each === 'string' ? begins.startsWith(each) : each.test(begins)))
    if (!isIts) throw invalidField('file', messages.batch_file_not_legacy({ ending }))
  }
  const accepted = knownEndings
  const type = legacy ? undefined : typeOfPath(path)
  if (type) {
    const { max_upload_bytes: max_bytes, max_pdf_pages } = config
    await requireHead(head, type.extension)
    await inspect({ path: spooled }, type.extension, { accepted, max_bytes, max_pdf_pages }).catch(asDiskFailure)
  }
  const virus = await antivirus?.scan(spooled)
  if (virus !== undefined)
    throw invalidField('file', messages.batch_file_infected({ virus })).withAuditEntry({
      event: 'upload.refused',
      outcome: 'denied',
      reason: reasons.reason_migration_virus({ path, virus }).text,
      after: { file_name: path, file_size: size_bytes, sha256, virus },
    })
  return { content_type: (legacy ?? type!).content_type, is_legacy: legacy !== undefined }
}

function typeOfPath(path: string) {
  try {
    return typeOf(path, knownEndings)
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    throw invalidField('file', messages.batch_file_type_unknown({ ending: endingOf(path) }))
  }
}

/**
 * Receives one file into the store, or says why it is refused. The file is in the store before it has a row: a crash in between leaves a file
 * that the sweep removes.
 */
export async function receiveOne(
  means: Means,
  tenantId: number,
  { path, content }: { path: string; content: AsyncIterable<Uint8Array> },
): Promise<ReceivedFile | RefusedFile> {
  const { storage, config } = means
  const received = await storage.receive(content, { max_bytes: config.max_upload_bytes })
  try {
    const found = await inspectFile(means, path, received)
    const file_key = newKey(tenantId)
    await storage.keep(received, file_key)
    return { path, file_key, sha256: received.sha256, file_size: received.size_bytes, ...found }
  } catch (error) {
    await storage.discard(received).catch(() => rm(received.path, { force: true }))
    // A disk that is full, or a scanner that does not answer, is no fault of the file.
    if (!(error instanceof AppError) || error.status === 503) throw error
    return { path, message: messageOf(error), ...(error.auditEntry && { auditEntry: error.auditEntry }) }
  }
}

export const isRefused = (file: ReceivedFile | RefusedFile): file is RefusedFile => 'message' in file

/**
 * The name of an entry. Some programs write UTF-8 without saying so; bytes that are valid UTF-8 with letters outside of ASCII are hardly ever
 * a name in the old code page 437, which the reader takes otherwise.
 */
function nameOf(name: string, bytes: Buffer): string {
  if (bytes.every(byte => byte < 0x80)) return name
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return name
  }
}

const inspectionMs = 20 * 60_000
/** An archive of texts may inflate to this. */
const inflatedBytes = 2 * 1024 * 1024 * 1024

/** Takes each file of an archive. One that is refused does not hold back the others; an archive that is no honest one is refused as a whole. */
export async function receiveArchive(
  means: Means,
  tenantId: number,
  archive: { path: string; size_bytes: number },
  taken: (file: ReceivedFile) => void,
): Promise<{ files: ReceivedFile[]; refused: RefusedFile[] }> {
  const budget = newBudget(archive.size_bytes, inflatedBytes, AbortSignal.timeout(inspectionMs))
  const files: ReceivedFile[] = []
  const refused: RefusedFile[] = []
  await readArchive(archive.path, budget, async parts => {
    for (const part of parts) {
      const name = nameOf(part.name, part.name_bytes)
      if (name.endsWith('/') || isClutter(name)) continue
      const path = cleanPath(name)
      if (path === undefined) {
        refused.push({
          path: name.slice(0, 200),
          message: messages.batch_file_path_invalid({ path: name.slice(0, 200) }),
        })
        continue
      }
      const file = await receiveOne(means, tenantId, { path, content: part.content() })
      if (isRefused(file)) refused.push(file)
      else {
        files.push(file)
        taken(file)
      }
    }
  }).catch(asDiskFailure)
  if (files.length === 0 && refused.length === 0) throw invalidField('file', messages.batch_without_files())
  return { files, refused }
}
