import { wordsIn } from '../../words/index.ts'
import { de } from './words.de.ts'
import { en } from './words.en.ts'

/** What the pages of deviations say. */
export const useDeviationWords = wordsIn({ en, de })
