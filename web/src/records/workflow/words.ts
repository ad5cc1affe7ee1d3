import { wordsIn } from '../../words/index.ts'
import { de } from './words.de.ts'
import { en } from './words.en.ts'

/** Workflows in words: for whoever changes them, and for whoever approves the change. */
export const useWorkflowSentences = wordsIn({ en, de })
