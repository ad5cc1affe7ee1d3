// Two long texts take longer than a page may stand still: they are compared beside it.
import { compare } from './compare.ts'
import type { Passage } from './passages.ts'

addEventListener('message', ({ data: [before, after] }: MessageEvent<[Passage[], Passage[]]>) => {
  postMessage(compare(before, after))
})
