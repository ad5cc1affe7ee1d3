import { useLanguage } from '../../words/index.ts'
import { de } from './words.de.ts'
import { en } from './words.en.ts'

const catalogues = { en, de }

/** What the pages of training say. They come with these pages: before the first page, nobody needs them. */
export const useTrainingWords = () => catalogues[useLanguage()]
