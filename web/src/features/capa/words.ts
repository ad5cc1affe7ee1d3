import { wordsIn } from '../../words/index.ts'
import { de } from './words.de.ts'
import { en } from './words.en.ts'

/** What the pages of CAPAs say. */
export const useCapaWords = wordsIn({ en, de })
