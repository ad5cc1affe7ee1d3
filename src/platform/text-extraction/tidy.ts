/** What no reader sees, or no database stores: controls, marks of direction, characters without width, halves of characters. */
const invisible =
  /(?![\t-\r\u0085])\p{Cc}|[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|\p{Noncharacter_Code_Point}/gu

const ligatures: Record<string, string> = { ﬀ: 'ff', ﬁ: 'fi', ﬂ: 'fl', ﬃ: 'ffi', ﬄ: 'ffl', ﬅ: 'st', ﬆ: 'st' }

/** As it is stored and searched: whole characters, composed, and none of those that cannot be seen. Line ends are `\n`. */
export const clean = (text: string): string =>
  text
    .toWellFormed()
    .replace(invisible, '')
    .replace(/[ﬀ-ﬆ]/g, letters => ligatures[letters]!)
    // Private characters are what symbol fonts keep their bullets in.
    .replace(/[\ue000-\uf8ff]/g, '•')
    .replace(/\r\n?|[\x85\u2028\v\f]/g, '\n')
    .replace(/\u2029/g, '\n\n')
    .normalize('NFC')
    // The sign of a millionth is another one than the letter, and looks alike.
    .replace(/(?<!\p{Script=Greek})μ(?!\p{Script=Greek})/gu, 'µ')

/** Runs of blanks are one; lines stay, and empty ones between two paragraphs. */
export const tidy = (text: string): string =>
  clean(text)
    .replace(/[^\S\n]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()

/** On one line, as a heading or a cell of a table is. */
export const oneLine = (text: string): string => clean(text).replace(/\s+/g, ' ').trim()
