import { de } from './acts.de.ts'
import { en } from './acts.en.ts'
import { wordsIn } from './index.ts'

/** What the dialogs of acts on records say. Apart from the other words, because the first page has none of these dialogs. */
export const useActWords = wordsIn({ en, de })
