import { messages } from '../messages.ts'
import { type Bytes, piecesOf, refusal } from './bytes.ts'

/** Elements that run code, embed another page, send data, or are parsed differently from the rest of a page. */
const refused = new Set(
  'script noscript iframe frame frameset noframes noembed object embed applet base form portal template svg math xmp plaintext link'.split(
    ' ',
  ),
)
const addresses = new Set(['href', 'src', 'action', 'formaction', 'data', 'poster', 'background', 'cite', 'ping'])
const harmless = /^(https?:|mailto:|tel:|#|data:image\/(png|jpeg|gif|webp);)/i
const withScheme = /^[a-z][a-z\d+.-]*:/i
/** Browsers ignore these characters in an address. */
const unread = /[\s\p{Cc}]+/gu

/**
 * Accepts a page that runs nothing, also when it is opened from a disk later. A comment may not hold elements, because programs differ
 * about where a comment ends.
 */
export async function inspectHtml(bytes: Bytes) {
  const { Parser } = await import('htmlparser2')
  const parser = new Parser({
    onopentag(tag, attributes) {
      if (refused.has(tag)) throw refusal(messages.page_has_element({ element: tag }))
      for (const [name, value] of Object.entries(attributes)) requireHarmless(tag, name, value)
    },
    oncomment: requireNoElement,
    onprocessinginstruction: (_name, text) => requireNoElement(text),
  })
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
  for await (const piece of piecesOf(bytes)) parser.write(decoder.decode(piece, { stream: true }))
  parser.end()
}

function requireHarmless(tag: string, name: string, value: string) {
  const address = value.replace(unread, '')
  const isHarmless =
    !/^on/i.test(name) &&
    !/^(srcdoc|srcset|xmlns:.*|.*:href)$/i.test(name) &&
    !(tag === 'meta' && name === 'http-equiv' && /refresh/i.test(value)) &&
    (!addresses.has(name) || !withScheme.test(address) || harmless.test(address))
  if (!isHarmless) throw refusal(messages.page_has_attribute({ attribute: name, element: tag }))
}

function requireNoElement(text: string) {
  if (/<[a-z/!]/i.test(text)) throw refusal(messages.page_comment_has_element())
}
