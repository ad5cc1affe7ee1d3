import { wordsIn } from '../../words/index.ts'
import { de } from './words.de.ts'
import { en } from './words.en.ts'

/** What the pages of training say. They come with these pages: before the first page, nobody needs them. */
export const useTrainingWords = wordsIn({ en, de })
