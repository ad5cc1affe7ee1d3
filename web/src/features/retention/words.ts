import { wordsIn } from '../../words/index.ts'
import { de } from './words.de.ts'
import { en } from './words.en.ts'

export const useRetentionWords = wordsIn({ en, de })
