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

export const bytesOfFont = (name: FontName) => readFileSync(files[name])
export const fontFiles = Object.entries(files)

const known = new Map<FontName, { hasGlyphForCodePoint(point: number): boolean }>()

function covers(name: FontName, point: number) {
  const font = known.get(name) ?? (create(bytesOfFont(name)) as Font)
  known.set(name, font)
  return font.hasGlyphForCodePoint(point)
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
    shown += covers(font, point) ? character : `<U+${point.toString(16).toUpperCase().padStart(4, '0')}>`
  }
  return shown
}

/** On one line, with single blanks. */
export const printable = (text: string, font: FontName) => withGlyphs(text.replace(/\s+/gu, ' ').trim(), font)

/** True if the texts have such numbers, which must be explained to the reader. */
export const hasNumbers = (texts: string) => withGlyphs(texts, 'regular').includes('<U+')
