import { type Language, speak, useLanguage } from '../words/index.ts'
import { type Theme, useTheme, wear } from './theme.ts'

export interface Preferences {
  theme: Theme
  language: Language
}

/** How somebody wants the pages to look and to speak, kept by their browser. */
export const usePreferences = (): Preferences => ({ theme: useTheme(), language: useLanguage() })

export function prefer({ theme, language }: Partial<Preferences>) {
  if (theme !== undefined) wear(theme)
  if (language !== undefined) speak(language)
}
