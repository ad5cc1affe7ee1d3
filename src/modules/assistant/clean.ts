// The answer of a model is untrusted. It is shown as Markdown, so everything is removed that could load or open something or that a
// reader would not see.

/** Control characters, invisible characters and those that change the direction of writing: text can hide in them. */
const unseen =
  /(?![\t\n\r])\p{Cc}|[\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}]/gu

const address =
  /(?:[a-z][a-z0-9+.-]{1,30}:\/\/|(?<![\w:/])\/\/(?=[\w-]+\.)|\bwww\.|(?:mailto|data|javascript|vbscript|xmpp|blob|file|tel):(?=\S))[^\s<>"'`)\]}]*/gi
const behind = /[.,;:!?*_~]+$/

export const addressesOf = (text: string): string[] => (text.match(address) ?? []).map(each => each.replace(behind, ''))

/**
 * Breaks links, pictures and HTML, and removes addresses that no source contains: an invented address could carry off content. No rule
 * spans whitespace, so that `cleaner` can work on pieces.
 */
export function clean(text: string, known: ReadonlySet<string>): string {
  return (
    text
      .toWellFormed()
      .replace(/\r\n?/g, '\n')
      .replace(unseen, '')
      // A backslash would hide an address until the Markdown is shown.
      .replace(/\\(?=[:/.@])/g, '')
      .replace(/&(?=#?\w+;)/g, '& ')
      .replace(address, found => {
        const bare = found.replace(behind, '')
        return known.has(bare) ? found : `(link removed)${found.slice(bare.length)}`
      })
      .replace(/\](?=[(:])/g, '] ')
      .replace(/<(?=[\p{L}/!?])/gu, '< ')
  )
}

/** Some scripts have no blanks, so a longer run is passed on without one. */
const maxWordLength = 400

/**
 * Cleans a text that arrives in pieces. Each part that is passed on ends with a blank, so that no rule misses a match that two pieces
 * share. `hidden` is a word that people must not see.
 */
export function cleaner(known: ReadonlySet<string>, hidden: string, emit: (text: string) => void) {
  let held = ''
  const pass = (text: string) => {
    const shown = clean(text.replaceAll(hidden, ''), known)
    if (shown !== '') emit(shown)
  }
  return {
    add(piece: string) {
      // Invisible characters can count as blanks; the text on both sides joins once they are gone.
      held = (held + piece).replace(unseen, '')
      const blank = /\s\S*$/.exec(held)
      const end = blank ? blank.index + 1 : held.length > maxWordLength ? held.length - 2 : 0
      if (end === 0) return
      pass(held.slice(0, end))
      held = held.slice(end)
    },
    end() {
      pass(held)
      held = ''
    },
  }
}
