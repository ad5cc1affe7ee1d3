import { useEffect, useRef } from 'react'

let awaited: number | undefined

/** The form that somebody wrote in is closed or emptied: what they work with next is this comment, once it is shown. */
export const focusComment = (id: number) => {
  awaited = id
}

/** For the head of a comment. `isShown`: it is not being changed. */
export function useCommentFocus(id: number, isShown: boolean) {
  const head = useRef<HTMLElement>(null)
  useEffect(() => {
    if (!isShown || awaited !== id) return
    awaited = undefined
    head.current?.focus()
  }, [id, isShown])
  return head
}
