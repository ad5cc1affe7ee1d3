import { useLanguage } from '../../words/index.ts'
import { de } from './words.de.ts'
import { en } from './words.en.ts'

const catalogues = { en, de }

/** What the pages of deviations say. */
export const useDeviationWords = () => catalogues[useLanguage()]
