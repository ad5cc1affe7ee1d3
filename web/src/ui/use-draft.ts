import { useState } from 'react'
import { dropAllFiles } from './draft-files.ts'

const prefix = 'draft '

/**
 * What somebody is typing, kept through a reload and the end of a session: in this tab alone, by user, and gone when they log out. A shared
 * terminal on the shop floor must not show the next person what the last one thought.
 */
export function useDraft(key: string) {
  const [text, setText] = useState(() => sessionStorage.getItem(prefix + key) ?? '')
  const set = (next: string) => {
    setText(next)
    keepDraft(key, next)
  }
  return [text, set] as const
}

/** For a form that is opened next: it begins with this. */
export function keepDraft(key: string, text: string) {
  if (text) sessionStorage.setItem(prefix + key, text)
  else sessionStorage.removeItem(prefix + key)
}

export async function dropDrafts() {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(prefix)) sessionStorage.removeItem(name)
  await dropAllFiles()
}
