// Two long texts take longer than a page may stand still: they are compared beside it.
import { compare, type Passage } from './compare.ts'

addEventListener('message', ({ data: [before, after] }: MessageEvent<[Passage[], Passage[]]>) => {
  postMessage(compare(before, after))
})
