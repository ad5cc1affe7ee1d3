import { useState } from 'react'

const prefix = 'draft '

/**
 * What somebody is typing, kept through a reload and the end of a session: in this tab alone, by user, and gone when they log out. A shared
 * terminal on the shop floor must not show the next person what the last one thought.
 */
export function useDraft(key: string) {
  const name = prefix + key
  const [text, setText] = useState(() => sessionStorage.getItem(name) ?? '')
  const set = (next: string) => {
    setText(next)
    if (next) sessionStorage.setItem(name, next)
    else sessionStorage.removeItem(name)
  }
  return [text, set] as const
}

export function dropDrafts() {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(prefix)) sessionStorage.removeItem(name)
}
