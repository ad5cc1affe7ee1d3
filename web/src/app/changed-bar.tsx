import { RefreshCw } from 'lucide-react'
import { Button } from '../ui/button.tsx'
import { useWords } from '../words/index.ts'
import styles from './changed-bar.module.css'
import { useChangedRecord } from './news.ts'

/** Says that the record in sight is another one by now. Nothing changes under the eyes of somebody who is about to sign. */
export function ChangedBar() {
  const { shell: w, problems } = useWords()
  const { isChanged, show } = useChangedRecord()
  return (
    <div role="status" data-print="none">
      {isChanged && (
        <p className={styles.bar}>
          {w.changed}
          <Button icon={RefreshCw} onPress={() => void show()}>
            {problems.lookAgain}
          </Button>
        </p>
      )}
    </div>
  )
}
