import { useEffect } from 'react'

/** What the tab of the browser says. */
export function useTitle(title: string | undefined) {
  useEffect(() => {
    if (title !== undefined) document.title = `${title} · Attest`
  }, [title])
}
