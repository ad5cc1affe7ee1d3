import { wordsIn } from '../../words/index.ts'
import { de } from './words.de.ts'
import { en } from './words.en.ts'

/** What deviations and CAPAs say alike. */
export const useCaseWords = wordsIn({ en, de })
