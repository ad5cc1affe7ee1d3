/** The share of characters that a text of another encoding would hardly have by chance. */
const enough = 0.05

const marks: [RegExp, string][] = [
  [/^\xef\xbb\xbf/, 'utf-8'],
  [/^\xff\xfe/, 'utf-16le'],
  [/^\xfe\xff/, 'utf-16be'],
]

/** A text of whatever encoding, as far as that can be told: its mark, then UTF-8, then what makes the most sensible words. */
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

const looked_at_bytes = 256 * 1024

function narrowOf(bytes: Uint8Array): string {
  const head = bytes.subarray(0, looked_at_bytes)
  if (isShiftJis(head)) return 'shift_jis'
  // Western Europe's first: of two that make the same sense it is the likelier one.
  const candidates = ['windows-1252', 'windows-1250', 'iso-8859-2'].map(label => ({
    label,
    odd: oddnessOf(head, label),
  }))
  return candidates.toSorted((a, b) => a.odd - b.odd)[0]!.label
}

/** Signs and controls within words, as `b³¹d` where `błąd` is meant. */
const oddnessOf = (head: Uint8Array, label: string) =>
  [...new TextDecoder(label).decode(head).matchAll(/\p{L}[^\p{L}\p{M}\p{N}\s\x21-\x7e‘’–—·]|[\x80-\x9f]/gu)].length

/** Hardly any other text is valid as Shift JIS and has Japanese syllables throughout. */
function isShiftJis(head: Uint8Array): boolean {
  try {
    const text = new TextDecoder('shift_jis', { fatal: true }).decode(head, { stream: true })
    const syllables = text.match(/[\u3041-\u3096\u30a1-\u30fc]/g)?.length ?? 0
    return syllables > text.length * enough
  } catch {
    return false
  }
}
