import { useLanguage } from '../../words/index.ts'
import { de } from './words.de.ts'
import { en } from './words.en.ts'

const catalogues = { en, de }

/** What deviations and CAPAs say alike. */
export const useCaseWords = () => catalogues[useLanguage()]
