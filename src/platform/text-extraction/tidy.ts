/** Characters that are invisible or cannot be stored: controls, direction marks, zero-width characters, halves of characters. */
const invisible =
  /(?![\t-\r\u0085])\p{Cc}|[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Noncharacter_Code_Point}/gu

const ligatures: Record<string, string> = { ﬀ: 'ff', ﬁ: 'fi', ﬂ: 'fl', ﬃ: 'ffi', ﬄ: 'ffl', ﬅ: 'st', ﬆ: 'st' }

/** The form for storage and search: composed characters without invisible ones, and `\n` as line end. */
export const clean = (text: string): string =>
  text
    .toWellFormed()
    .replace(invisible, '')
    .replace(/[ﬀ-ﬆ]/g, letters => ligatures[letters]!)
    // Symbol fonts have their bullets at private code points.
    .replace(/[\ue000-\uf8ff]/g, '•')
    .replace(/\r\n?|[\x85\u2028\v\f]/g, '\n')
    .replace(/\u2029/g, '\n\n')
    .normalize('NFC')
    // The micro sign and the Greek letter look alike.
    .replace(/(?<!\p{Script=Greek})μ(?!\p{Script=Greek})/gu, 'µ')

/** Joins runs of blanks, and keeps lines and one empty line between paragraphs. */
export const tidy = (text: string): string =>
  clean(text)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()

/** On one line, for a heading or a cell of a table. */
export const oneLine = (text: string): string => clean(text).replace(/\s+/g, ' ').trim()
