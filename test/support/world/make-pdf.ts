import type { Font, GlyphRun } from 'fontkit'
import { printed } from '#platform/messages.ts'
import { fontOf } from '#platform/pdf/fonts.ts'
import type { MakePdf } from '#platform/pdf/rendition.ts'
import { NotPages } from '#platform/pdf/thread.ts'

/**
 * Makes the same PDFs in this process: a thread of its own for each loads the libraries anew, which takes longer than most PDFs.
 * pdf.test.ts proves with threads that a malicious file fails alone.
 */
export const makePdfHere: MakePdf = async job => {
  const { makePdf } = await import('#platform/pdf/make.ts')
  layOutOnce()
  try {
    return await makePdf(structuredClone(job))
  } catch (error) {
    throw new NotPages(printed.pages_unreadable(), { cause: error })
  }
}

const most_words = 20_000
let isLaidOutOnce = false

/**
 * In the service each document has a thread of its own. Here they are in one process, where the words of one document stand in the next:
 * how the letters of a word are placed is kept, which takes half of the time that a PDF takes.
 */
function layOutOnce() {
  if (isLaidOutOnce) return
  isLaidOutOnce = true
  const prototype: Pick<Font, 'layout' | 'postscriptName'> = Object.getPrototypeOf(fontOf('regular'))
  const { layout } = prototype
  const known = new Map<string, GlyphRun>()
  prototype.layout = function (this: Font, text, ...how) {
    const key = JSON.stringify([this.postscriptName, text, ...how])
    const run = known.get(key) ?? layout.call(this, text, ...how)
    if (known.size >= most_words) known.clear()
    known.set(key, run)
    // Whoever asks scales the places of the letters for its own size.
    const positions = run.positions.map(each => ({ ...each }))
    return Object.assign(Object.create(Object.getPrototypeOf(run)), run, { positions })
  }
}
