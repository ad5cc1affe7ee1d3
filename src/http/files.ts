import { Readable } from 'node:stream'
import type { MultipartFile } from '@fastify/multipart'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { TSchema } from 'typebox'
import type { Upload } from '#action'
import type { FileAnswer, MadeFile } from '#action/file.ts'
import { AppError, badRequest, invalidField, tooLarge } from '#kernel/errors.ts'
import type { Antivirus } from '#platform/antivirus/antivirus.ts'
import { cleanFileName, dispositionOf } from '#platform/files/file-name.ts'
import { inspect } from '#platform/files/inspection/index.ts'
import { type Ending, type MediaType, requireHead, typeOf } from '#platform/files/media-type.ts'
import { messages as fileMessages } from '#platform/files/messages.ts'
import { asDiskFailure } from '#platform/storage/failure.ts'
import type { FileStorage, Received } from '#platform/storage/storage.ts'
import { openIntact, requireIntact } from '#platform/storage/verified.ts'
import { partAsked, tagOf } from './conditions.ts'
import { messages, reasons } from './messages.ts'
import { validate } from './validation.ts'

const formOverheadBytes = 256 * 1024
const maxFieldBytes = 64 * 1024
const maxFields = 20

export interface ReceivedForm {
  form: Record<string, unknown>
  file: Upload
  /** Removes the bytes unless they were kept. */
  discard(): Promise<void>
}

interface Reception {
  storage: FileStorage
  max_bytes: number
  max_pdf_pages: number
  /** The endings of files that are taken. */
  accepted: readonly Ending[]
  /** The action inspects what is in the file. */
  isInspectedLater: boolean
  antivirus: Antivirus | undefined
}

/** DOC-07: reads a form with fields and exactly one file, called `file`. A form that is refused leaves nothing behind. */
export async function receiveForm(
  request: FastifyRequest,
  schema: TSchema,
  { storage, max_bytes, max_pdf_pages, accepted, isInspectedLater, antivirus }: Reception,
): Promise<ReceivedForm> {
  const tooLong = () => fileTooLarge(max_bytes)
  // A client that announces its size is spared sending the file.
  if (Number(request.headers['content-length'] ?? 0) > max_bytes + formOverheadBytes) throw tooLong()
  if (!request.isMultipart()) throw invalidField('file', messages.form_required())
  const fields: Record<string, unknown> = {}
  let received: { name: string; type: MediaType; bytes: Received } | undefined
  const discard = async () => {
    if (received) await storage.discard(received.bytes)
  }
  try {
    for await (const part of request.parts({
      limits: { files: 1, fields: maxFields, parts: maxFields + 1, fieldSize: maxFieldBytes, fileSize: max_bytes + 1 },
    })) {
      if (part.type === 'file') {
        if (part.fieldname !== 'file') throw invalidField(part.fieldname, messages.extra_forbidden())
        const name = cleanFileName(part.filename)
        const type = typeOf(name, accepted) // before its bytes, so that a client is spared sending a file of another type
        received = { name, type, bytes: await receiveFile(part, storage, max_bytes) }
      } else {
        if (Object.hasOwn(fields, part.fieldname)) throw invalidField(part.fieldname, messages.form_field_duplicate())
        if (part.valueTruncated || part.fieldnameTruncated)
          throw invalidField(part.fieldname, messages.too_long({ maximum: maxFieldBytes }))
        fields[part.fieldname] = part.value
      }
    }
    if (!received) throw invalidField('file', messages.file_missing())
    const { name, type, bytes } = received
    if (bytes.size_bytes === 0) throw invalidField('file', fileMessages.file_empty())
    const form = validate(schema, 'body', fields, { fromText: true }) as Record<string, unknown>
    if (!isInspectedLater) {
      await requireHead(bytes.head, type.extension)
      await inspect(bytes, type.extension, { accepted, max_bytes, max_pdf_pages }).catch(asDiskFailure)
    }
    const virus = await antivirus?.scan(bytes.path)
    if (virus !== undefined) throw infected(virus, name, bytes)
    const file: Upload = {
      name,
      content_type: type.content_type,
      size_bytes: bytes.size_bytes,
      sha256: bytes.sha256,
      path: bytes.path,
      keep: key => storage.keep(bytes, key),
    }
    return { form, file, discard }
  } catch (error) {
    await discard()
    throw asFormError(error as Error & { code?: string }, tooLong)
  }
}

const fileTooLarge = (maximum_bytes: number) => tooLarge(fileMessages.file_too_large({ maximum_bytes }))

const infected = (virus: string, file_name: string, { size_bytes, sha256 }: Received) =>
  invalidField('file', messages.virus_found({ virus })).withAuditEntry({
    event: 'upload.refused',
    outcome: 'denied',
    reason: reasons.reason_virus_found({ virus }).text,
    after: { file_name, file_size: size_bytes, sha256, virus },
  })

async function receiveFile(part: MultipartFile, storage: FileStorage, max_bytes: number) {
  const received = await storage.receive(part.file, { max_bytes, isToKeep: true })
  if (!part.file.truncated) return received
  await storage.discard(received)
  throw fileTooLarge(max_bytes)
}

/** A broken form is the caller's mistake, whatever its parser calls it. */
function asFormError(error: Error & { code?: string }, tooLong: () => AppError): Error {
  if (error instanceof AppError) return error
  if (error.code === 'FST_REQ_FILE_TOO_LARGE') return tooLong()
  if (/^FST_(FILES|PARTS|FIELDS)_LIMIT$/.test(error.code ?? ''))
    return invalidField('file', messages.form_too_large({ maximum_fields: maxFields }))
  if (error.code === 'FST_INVALID_MULTIPART_CONTENT_TYPE') return invalidField('file', messages.form_required())
  if (error.code === 'FST_PROTO_VIOLATION') return invalidField('file', messages.extra_forbidden())
  const broken = [
    'Part terminated early',
    'Boundary not found',
    'Unexpected end',
    'Malformed',
    'aborted',
    'Premature close',
  ]
  if (broken.some(each => error.message.includes(each))) return badRequest(messages.form_incomplete())
  return error
}

/** A browser shows these without running anything. */
const shownTypes: readonly string[] = ['application/pdf', 'image/png', 'image/jpeg', 'text/plain']

/** DOC-03: a file is a download unless it is opened to be read, and none runs in a browser. */
const asDownload = ({ name, content_type, is_inline }: Pick<FileAnswer, 'name' | 'content_type' | 'is_inline'>) => ({
  'content-type': content_type.startsWith('text/') ? `${content_type}; charset=utf-8` : content_type,
  'content-disposition': dispositionOf(name, is_inline && shownTypes.includes(content_type) ? 'inline' : 'attachment'),
  'x-content-type-options': 'nosniff',
  'content-security-policy': "sandbox; default-src 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'private, no-store',
})

/** In place of the content: without any stream, Fastify would say that the length is 0. */
function headOf(unread?: Readable): Readable {
  unread?.destroy()
  return Readable.from([])
}

/** Sends a file or a range of it, once the whole file has been verified. `found` was verified a moment ago. */
export async function sendFile(
  reply: FastifyReply,
  storage: FileStorage,
  file: FileAnswer | MadeFile,
  found: FileAnswer | undefined,
) {
  const isHead = reply.request.method === 'HEAD'
  if ('open' in file) {
    const { size_bytes, headers } = file
    reply.headers({
      ...headers,
      ...asDownload(file),
      ...(size_bytes !== undefined && { 'content-length': size_bytes }),
    })
    return reply.send(isHead ? headOf(await file.open()) : await file.open())
  }
  const { size_bytes, sha256 } = file
  const part = partAsked(reply.request.headers, file)
  if (found?.key !== file.key || found.sha256 !== sha256) await requireIntact(storage, file)
  reply.headers({
    ...asDownload(file),
    'content-length': part ? part.end - part.start + 1 : size_bytes,
    'accept-ranges': 'bytes',
    etag: tagOf(sha256),
    'repr-digest': `sha-256=:${Buffer.from(sha256, 'hex').toString('base64')}:`,
  })
  if (part) reply.code(206).header('content-range', `bytes ${part.start}-${part.end}/${size_bytes}`)
  return reply.send(isHead ? headOf() : await openIntact(storage, file, part))
}
