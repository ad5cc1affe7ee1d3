import { useEffect } from 'react'
import { wordsIn } from '../../words/index.ts'
import { de } from './words.de.ts'
import { en } from './words.en.ts'

/** What the operators' page says. */
export const usePanelWords = wordsIn({ en, de })

/** Names the tab by what is open in it. */
export function usePanelTitle(page: string) {
  const { title } = usePanelWords()
  useEffect(() => {
    document.title = title(page)
  }, [title, page])
}
