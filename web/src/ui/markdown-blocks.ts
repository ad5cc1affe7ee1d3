// What the service's templates are written in, for pages to show. Only what has a meaning there: HTML and pictures stay the text they are.

export type Inline =
  | { kind: 'text'; text: string }
  | { kind: 'break' }
  | { kind: 'strong' | 'emphasis' | 'code'; children: Inline[] }

export type Block =
  | { kind: 'heading'; level: number; children: Inline[] }
  | { kind: 'paragraph'; children: Inline[] }
  | { kind: 'list'; isOrdered: boolean; start: number; items: Inline[][] }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'quote'; children: Block[] }
  | { kind: 'rule' }

const item = /^\s*(?:[-*+]|(\d{1,9})[.)])\s+(.*)$/
const rule = /^\s{0,3}(?:(?:-\s*){3,}|(?:\*\s*){3,}|(?:_\s*){3,})$/
const heading = /^(#{1,6})\s+(.*?)\s*#*$/
const delimiter = /^\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$/

export function blocksOf(markdown: string): Block[] {
  const lines = markdown.split(/\r?\n/)
  const blocks: Block[] = []
  let at = 0
  const takeWhile = (fits: (line: string) => boolean) => {
    const from = at
    while (at < lines.length && fits(lines[at]!)) at++
    return lines.slice(from, at)
  }
  while (at < lines.length) {
    const line = lines[at]!
    const titled = heading.exec(line)
    const listed = item.exec(line)
    if (line.trim() === '') at++
    else if (titled) {
      blocks.push({ kind: 'heading', level: titled[1]!.length, children: inlinesOf(titled[2]!) })
      at++
    } else if (rule.test(line)) {
      blocks.push({ kind: 'rule' })
      at++
    } else if (line.startsWith('>')) {
      const quoted = takeWhile(each => each.startsWith('>')).map(each => each.replace(/^>\s?/, ''))
      blocks.push({ kind: 'quote', children: blocksOf(quoted.join('\n')) })
    } else if (line.includes('|') && delimiter.test(lines[at + 1] ?? '') && lines[at + 1]!.includes('-')) {
      const [head, , ...rows] = takeWhile(each => each.trim() !== '' && each.includes('|')).map(cellsOf)
      blocks.push({ kind: 'table', head: head!, rows: rows.map(row => head!.map((_, index) => row[index] ?? [])) })
    } else if (listed) {
      const items: string[] = []
      for (const each of takeWhile(one => one.trim() !== '' && !heading.test(one))) {
        const begun = item.exec(each)
        if (begun) items.push(begun[2]!)
        else items[items.length - 1] += `\n${each.trim()}`
      }
      const isOrdered = listed[1] !== undefined
      blocks.push({ kind: 'list', isOrdered, start: Number(listed[1] ?? 1), items: items.map(inlinesOf) })
    } else {
      const text = takeWhile(each => each.trim() !== '' && !heading.test(each) && !each.startsWith('>'))
      blocks.push({ kind: 'paragraph', children: inlinesOf(text.join('\n')) })
    }
  }
  return blocks
}

/** The cells of a line of a table; `\|` is no border. */
function cellsOf(line: string): Inline[][] {
  const within = line
    .trim()
    .replace(/^\|/, '')
    .replace(/(?<!\\)\|$/, '')
  return within.split(/(?<!\\)\|/).map(cell => inlinesOf(cell.trim()))
}

const token =
  /\\\n|\\([!-/:-@[-`{-~])| {2,}\n|&#(\d{1,7});|`([^`]+)`|\*\*(?=\S)([\s\S]+?)(?<=[^\s\\])\*\*|\*(?=[^\s*])([\s\S]+?)(?<=[^\s\\])\*|\[([^\]]+)\]\([^)\s]*\)/g

export function inlinesOf(text: string): Inline[] {
  const inlines: Inline[] = []
  const addText = (added: string) => {
    if (added === '') return
    const last = inlines.at(-1)
    if (last?.kind === 'text') last.text += added
    else inlines.push({ kind: 'text', text: added })
  }
  const add = (each: Inline) => {
    if (each.kind === 'text') addText(each.text)
    else inlines.push(each)
  }
  let end = 0
  for (const found of text.matchAll(token)) {
    addText(text.slice(end, found.index))
    end = found.index + found[0].length
    const [whole, escaped, entity, code, strong, emphasis, link] = found
    if (escaped !== undefined) addText(escaped)
    else if (entity !== undefined) addText(characterOf(Number(entity)))
    else if (code !== undefined) inlines.push({ kind: 'code', children: [{ kind: 'text', text: code }] })
    else if (strong !== undefined) inlines.push({ kind: 'strong', children: inlinesOf(strong) })
    else if (emphasis !== undefined) inlines.push({ kind: 'emphasis', children: inlinesOf(emphasis) })
    else if (link !== undefined) for (const each of inlinesOf(link)) add(each)
    else if (whole.endsWith('\n')) inlines.push({ kind: 'break' })
  }
  addText(text.slice(end))
  return inlines
}

const characterOf = (code: number) => (code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : '\uFFFD')
