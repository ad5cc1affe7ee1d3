import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { create, type Font } from 'fontkit'

const fileOf = createRequire(import.meta.url).resolve

const files = {
  regular: fileOf('dejavu-fonts-ttf/ttf/DejaVuSans.ttf'),
  bold: fileOf('dejavu-fonts-ttf/ttf/DejaVuSans-Bold.ttf'),
  italic: fileOf('dejavu-fonts-ttf/ttf/DejaVuSans-Oblique.ttf'),
  bold_italic: fileOf('dejavu-fonts-ttf/ttf/DejaVuSans-BoldOblique.ttf'),
  mono: fileOf('dejavu-fonts-ttf/ttf/DejaVuSansMono.ttf'),
}
export type FontName = keyof typeof files

export const fontNames = Object.keys(files) as FontName[]

const opened = new Map<FontName, { bytes: Buffer; font: Font }>()

/** A font is read once: its tables take longer to read than most pages take to write. */
function open(name: FontName) {
  const before = opened.get(name)
  if (before) return before
  const bytes = readFileSync(files[name])
  const made = { bytes, font: create(bytes) as Font }
  opened.set(name, made)
  return made
}

export const fontOf = (name: FontName) => open(name).font
export const bytesOfFont = (name: FontName) => open(name).bytes

/** In place of fontkit, for a library that takes a font as bytes: those of `bytesOfFont` have been opened already. */
export const openedFonts = {
  create(bytes: Uint8Array): Font {
    for (const each of opened.values()) if (each.bytes === bytes) return each.font
    throw new Error('a font that is none of fonts.ts')
  },
}

/**
 * The printable form of a text. The fonts have Latin, Greek, Cyrillic and more, but no Chinese, Japanese or Korean. A missing character
 * becomes its number, <U+738B>, because that can be looked up and an empty box cannot.
 */
export function withGlyphs(text: string, font: FontName): string {
  let shown = ''
  for (const character of text.normalize('NFC')) {
    const point = character.codePointAt(0)!
    if (/\p{Cc}|\p{Cf}/u.test(character)) continue
    shown += fontOf(font).hasGlyphForCodePoint(point)
      ? character
      : `<U+${point.toString(16).toUpperCase().padStart(4, '0')}>`
  }
  return shown
}

/** On one line, with single blanks. */
export const printable = (text: string, font: FontName) => withGlyphs(text.replace(/\s+/gu, ' ').trim(), font)

/** True if the texts have such numbers, which must be explained to the reader. */
export const hasNumbers = (texts: string) => withGlyphs(texts, 'regular').includes('<U+')
