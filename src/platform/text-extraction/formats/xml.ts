import { SaxesParser } from 'saxes'

/**
 * Names have no prefixes, because the writing program chooses them. Of two attributes with one name the prefixed one counts: `r:id` of a
 * slide, and not its `id`.
 */
export interface XmlHandler {
  open?(tag: string, attributes: Record<string, string>): void
  text?(text: string): void
  close?(tag: string): void
}

/** Streams the elements, so that a large part is never in memory as a whole. Entities of a document type are an error. */
export async function readXml(content: AsyncIterable<Buffer>, handler: XmlHandler): Promise<void> {
  const parser = new SaxesParser({ position: false })
  parser.on('opentag', ({ name, attributes }) => {
    const local: Record<string, string> = {}
    const isPrefixed = (key: string) => Number(key.includes(':'))
    for (const [key, value] of Object.entries(attributes).toSorted(([a], [b]) => isPrefixed(a) - isPrefixed(b)))
      local[withoutPrefix(key)] = value
    handler.open?.(withoutPrefix(name), local)
  })
  parser.on('closetag', ({ name }) => handler.close?.(withoutPrefix(name)))
  parser.on('text', text => handler.text?.(text))
  parser.on('cdata', text => handler.text?.(text))
  let decoder: InstanceType<typeof TextDecoder> | undefined
  for await (const piece of content) {
    decoder ??= new TextDecoder(piece[0] === 0xff && piece[1] === 0xfe ? 'utf-16le' : 'utf-8')
    parser.write(decoder.decode(piece, { stream: true }))
  }
  parser.close()
}

const withoutPrefix = (name: string) => name.slice(name.indexOf(':') + 1)
