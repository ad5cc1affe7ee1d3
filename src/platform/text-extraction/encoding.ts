/** A share of odd characters that a text in the right encoding hardly has. */
const enough = 0.05

const marks: [RegExp, string][] = [
  [/^\xef\xbb\xbf/, 'utf-8'],
  [/^\xff\xfe/, 'utf-16le'],
  [/^\xfe\xff/, 'utf-16be'],
]

/** Decodes a text of unknown encoding: by its byte order mark, else as UTF-8, else by the encoding with the fewest odd words. */
export function decode(bytes: Uint8Array, named?: string): string {
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, 4_096))
  const marked = marks.find(([mark]) => mark.test(head.toString('latin1', 0, 3)))?.[1] ?? wideOf(head)
  if (marked) return new TextDecoder(marked).decode(bytes)
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return new TextDecoder(known(named) ?? narrowOf(bytes)).decode(bytes)
  }
}

/** Every second byte of most texts in UTF-16 is NUL. */
function wideOf(head: Buffer): string | undefined {
  if (head.length < 4) return undefined
  const nulls = [0, 0]
  for (const [at, byte] of head.entries()) if (byte === 0) nulls[at % 2]! += 1
  const half = head.length / 2
  if (nulls[1]! > half * 0.4 && nulls[0]! < half * enough) return 'utf-16le'
  if (nulls[0]! > half * 0.4 && nulls[1]! < half * enough) return 'utf-16be'
  return undefined
}

function known(label: string | undefined): string | undefined {
  try {
    return label && new TextDecoder(label).encoding
  } catch {
    return undefined
  }
}

const lookedAtBytes = 256 * 1024

function narrowOf(bytes: Uint8Array): string {
  const head = bytes.subarray(0, lookedAtBytes)
  if (isShiftJis(head)) return 'shift_jis'
  // Western Europe's comes first, because it is the likelier one of two equal candidates.
  const candidates = ['windows-1252', 'windows-1250', 'iso-8859-2'].map(label => ({
    label,
    odd: oddnessOf(head, label),
  }))
  return candidates.toSorted((a, b) => a.odd - b.odd)[0]!.label
}

/** The share of signs and controls within words, such as `b³¹d` for `błąd`. */
const oddnessOf = (head: Uint8Array, label: string) =>
  [...new TextDecoder(label).decode(head).matchAll(/\p{L}[^\p{L}\p{M}\p{N}\s\x21-\x7e‘’–—·]|[\x80-\x9f]/gu)].length

/** Hardly any other text is valid Shift JIS with Japanese syllables throughout. */
function isShiftJis(head: Uint8Array): boolean {
  try {
    const text = new TextDecoder('shift_jis', { fatal: true }).decode(head, { stream: true })
    const syllables = text.match(/[\u3041-\u3096\u30a1-\u30fc]/g)?.length ?? 0
    return syllables > text.length * enough
  } catch {
    return false
  }
}
