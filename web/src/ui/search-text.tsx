import { Search } from 'lucide-react'
import { useEffect, useState } from 'react'
import { Input, SearchField } from 'react-aria-components'
import styles from './search-text.module.css'
import { useLater } from './use-later.ts'

interface Props {
  label: string
  text: string
  onChange: (text: string | undefined) => void
  autoFocus?: boolean
}

/** What is typed goes to the address once it stands still; another address, as after "Back", shows here. */
export function SearchText({ label, text, onChange, autoFocus = false }: Props) {
  const [typed, setTyped] = useState(text)
  const [shown, setShown] = useState(text)
  if (shown !== text) {
    setShown(text)
    setTyped(text)
  }
  const later = useLater(typed, 250)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typing narrows the list, not a new address or a new function
  useEffect(() => {
    if (later === typed && later !== text) onChange(later || undefined)
  }, [later])
  return (
    <SearchField aria-label={label} className={styles.search!} value={typed} onChange={setTyped} autoFocus={autoFocus}>
      <Search size={15} aria-hidden="true" />
      <Input placeholder={label} />
    </SearchField>
  )
}
