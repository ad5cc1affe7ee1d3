import { useSyncExternalStore } from 'react'

export const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const key = 'attest.theme'
const system = matchMedia('(prefers-color-scheme: dark)')
const listeners = new Set<() => void>()
const chosenTheme = (): Theme => themes.find(each => each === localStorage.getItem(key)) ?? 'system'

/** public/theme.js does the same before the first paint. */
export function wear(theme: Theme) {
  localStorage.setItem(key, theme)
  const isDark = theme === 'dark' || (theme === 'system' && system.matches)
  document.documentElement.dataset.theme = isDark ? 'dark' : 'light'
  for (const each of listeners) each()
}

export const useTheme = () =>
  useSyncExternalStore(listener => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  }, chosenTheme)

system.addEventListener('change', () => chosenTheme() === 'system' && wear('system'))
