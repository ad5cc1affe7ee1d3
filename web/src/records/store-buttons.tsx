import { Save } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import styles from './store-buttons.module.css'

interface Props {
  /** That the draft is kept; missing while nothing is typed. */
  kept?: string | false
  leave: string
  onLeave: () => void
  store: string
  isPending: boolean
}

/** The end of a page that is a form: give up the draft, or store it. */
export const StoreButtons = ({ kept, leave, onLeave, store, isPending }: Props) => (
  <footer className={styles.buttons}>
    {kept && <p className="soft">{kept}</p>}
    <Button onPress={onLeave}>{leave}</Button>
    <Button type="submit" look="main" isPending={isPending} icon={Save}>
      {store}
    </Button>
  </footer>
)
