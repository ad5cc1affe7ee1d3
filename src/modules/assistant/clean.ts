// What a model writes is data. It is shown as Markdown, in which nothing is left that loads or opens anything, and nothing that a reader
// does not see.

/** Control characters; letters that turn the direction or are not shown, and those in which text can be hidden. */
const unseen =
  /(?![\t\n\r])\p{Cc}|[\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\ufe00-\ufe0f]|[\u{e0000}-\u{e0fff}\u{f0000}-\u{10ffff}]/gu

const address =
  /(?:[a-z][a-z0-9+.-]{1,30}:\/\/|(?<![\w:/])\/\/(?=[\w-]+\.)|\bwww\.|(?:mailto|data|javascript|vbscript|xmpp|blob|file|tel):(?=\S))[^\s<>"'`)\]}]*/gi
const behind = /[.,;:!?*_~]+$/

/** The addresses of a text, as they stand in it. */
export const addressesOf = (text: string): string[] => (text.match(address) ?? []).map(each => each.replace(behind, ''))

/**
 * Breaks whatever would become a link, a picture or HTML, and takes out addresses that are in none of the sources: with one that is made
 * up, what was read could be carried off. Each rule looks at letters that stand together without a blank between them.
 */
export function clean(text: string, known: ReadonlySet<string>): string {
  return (
    text
      .toWellFormed()
      .replace(/\r\n?/g, '\n')
      .replace(unseen, '')
      // Written so, an address would only be one once it is shown.
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

/** So much without a blank is no word: there are scripts without blanks. */
const longest_word = 400

/**
 * The same for a text that comes in pieces: what is passed on ends with a blank, so that no rule misses what two pieces have between
 * them. `hidden` is a word that is for the program alone.
 */
export function cleaner(known: ReadonlySet<string>, hidden: string, emit: (text: string) => void) {
  let held = ''
  const pass = (text: string) => {
    const shown = clean(text.replaceAll(hidden, ''), known)
    if (shown !== '') emit(shown)
  }
  return {
    add(piece: string) {
      // Some of what is not shown counts as a blank: two signs beside it would meet once it is gone.
      held = (held + piece).replace(unseen, '')
      const blank = /\s\S*$/.exec(held)
      const end = blank ? blank.index + 1 : held.length > longest_word ? held.length - 2 : 0
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
