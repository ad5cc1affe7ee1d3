import { useEffect, useRef } from 'react'

/** The form to which it is given: whoever works by keys is led to the first field that keeps it from being sent. */
export function useFocusOnWrong(tries: boolean | number, error: Error | null) {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (tries || error) form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [tries, error])
  return form
}
