import { useSyncExternalStore } from 'react'

const narrow = matchMedia('(max-width: 64rem)')

const listen = (tell: () => void) => {
  narrow.addEventListener('change', tell)
  return () => narrow.removeEventListener('change', tell)
}

/** Whether there is no room for two columns. */
export const useNarrow = () => useSyncExternalStore(listen, () => narrow.matches)
