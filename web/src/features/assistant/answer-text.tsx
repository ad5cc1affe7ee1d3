import { Button } from 'react-aria-components'
import { Markdown } from '../../ui/markdown.tsx'
import { useWords } from '../../words/index.ts'
import styles from './assistant.module.css'
import type { Citation } from './use-answer.ts'
import { useAssistantWords } from './words.ts'

export const nameOfSource = ({ number, title, version, page }: Citation, w: ReturnType<typeof useWords>['document']) =>
  [number, title, `· ${w.versionOf(version)}`, page !== null && `· ${w.onPage(page)}`].filter(Boolean).join(' ')

interface Props {
  children: string
  /** Those that are checked; none while the answer is being written. */
  citations?: Citation[]
  onSource?: (citation: Citation) => void
}

/** Markdown of a machine: nothing in it is HTML, leads anywhere or loads anything. The numbers in brackets open their sources. */
export function AnswerText({ children, citations = [], onSource }: Props) {
  const w = useAssistantWords()
  const { document } = useWords()
  const withSources = (text: string) =>
    text.split(/\[(\d+)\]/).map((part, index) => {
      const citation = index % 2 === 1 ? citations.find(({ mark }) => mark === Number(part)) : undefined
      if (!citation) return index % 2 === 1 ? `[${part}]` : part
      return (
        <Button
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one text never move
          key={index}
          className={styles.mark!}
          aria-label={w.source(citation.mark, nameOfSource(citation, document))}
          onPress={() => onSource?.(citation)}
        >
          {citation.mark}
        </Button>
      )
    })
  return <Markdown text={children} showText={withSources} />
}
