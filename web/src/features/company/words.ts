import { wordsIn } from '../../words/index.ts'
import { de } from './words.de.ts'
import { en } from './words.en.ts'

/** What the pages of the company say. They come with these pages. */
export const useCompanyWords = wordsIn({ en, de })
