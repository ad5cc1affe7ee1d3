import { create } from 'content-disposition'

const max_bytes = 255
/** Longer than any accepted ending. A longer text after a dot is a part of the name. */
const endingMaxBytes = 16

/** Names of devices on Windows, with any ending. */
const device = /^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?=\.|$)/i

/**
 * A readable name that is safe for file systems and terminals: without folders, control characters, and characters that reverse the
 * direction of writing (`gpj.exe` for `exe.jpg`); not a device of Windows; at most 255 bytes, of which the ending is kept.
 */
export function cleanFileName(name: string): string {
  const last = name.toWellFormed().split(/[/\\]/).at(-1) ?? ''
  const clean = last
    .normalize('NFC')
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF]/gu, '')
    .trim()
    .replace(device, '_$1')
  if (/^\.*$/.test(clean)) return 'file'
  const dot = clean.lastIndexOf('.')
  const ending = dot > 0 && Buffer.byteLength(clean.slice(dot)) <= endingMaxBytes ? clean.slice(dot) : ''
  return cut(clean.slice(0, clean.length - ending.length), max_bytes - Buffer.byteLength(ending)) + ending
}

/** The beginning of a text in at most this many bytes of UTF-8, without half a character at its end. */
function cut(text: string, bytes: number): string {
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(bytes))
  return text.slice(0, read)
}

/** The Content-Disposition header (RFC 6266): a browser saves the file, or shows it where it is `inline`. */
export const dispositionOf = (name: string, type: 'attachment' | 'inline' = 'attachment'): string =>
  create(cleanFileName(name), { type })
