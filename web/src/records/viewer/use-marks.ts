import { type RefObject, useEffect } from 'react'
import { spansOf } from './marks.ts'

const name = 'wanted'

/** The text of a page as one, and which part of it each text node is. A new line begins with a space. */
function readPage(page: Element) {
  const nodes: { node: Text; start: number }[] = []
  let text = ''
  const walker = document.createTreeWalker(page, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT)
  while (walker.nextNode()) {
    const { currentNode } = walker
    if (currentNode instanceof Text) {
      nodes.push({ node: currentNode, start: text.length })
      text += currentNode.data
    } else if (currentNode instanceof HTMLBRElement) text += ' '
  }
  return { nodes, text }
}

function rangesOn(page: Element, wanted: string): Range[] {
  const { nodes, text } = readPage(page)
  const placeOf = (at: number) => {
    const { node, start } = nodes.findLast(each => each.start <= at)!
    return [node, Math.min(at - start, node.length)] as const
  }
  return spansOf(text, wanted).map(([start, end]) => {
    const range = new Range()
    range.setStart(...placeOf(start))
    // The last character, and not the first of what follows.
    const [node, offset] = placeOf(end - 1)
    range.setEnd(node, offset + 1)
    return range
  })
}

/** Marks words on the pages as they are drawn. The pages stay as they are: the browser colours what is named. */
export function useMarks(frame: RefObject<HTMLElement | null>, wanted: string | undefined) {
  useEffect(() => {
    const { current } = frame
    if (!wanted || !current || !('highlights' in CSS)) return
    const mark = () => {
      const pages = [...current.querySelectorAll('[data-page]')]
      CSS.highlights.set(name, new Highlight(...pages.flatMap(page => rangesOn(page, wanted))))
    }
    // Each page comes when it is near.
    const drawn = new MutationObserver(mark)
    drawn.observe(current, { childList: true, subtree: true })
    mark()
    return () => {
      drawn.disconnect()
      CSS.highlights.delete(name)
    }
  }, [frame, wanted])
}
