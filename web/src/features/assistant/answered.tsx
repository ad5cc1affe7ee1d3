import { FileSearch, Square } from 'lucide-react'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Refused } from '../../ui/notes.tsx'
import { useWords } from '../../words/index.ts'
import { AnswerText, nameOfSource } from './answer-text.tsx'
import styles from './assistant.module.css'
import type { Answered, Citation, useAnswer } from './use-answer.ts'
import { useAssistantWords } from './words.ts'

interface Props {
  of: Answered
  onSource: (citation: Citation) => void
  children?: ReactNode
}

/** An answer whose sources are checked, or that there is none. */
export function AnswerOf({ of: { answer, citations, grounded, is_cut }, onSource, children }: Props) {
  const w = useAssistantWords()
  const { document } = useWords()
  return (
    <div className={styles.answer}>
      {grounded || citations.length > 0 ? (
        <AnswerText citations={citations} onSource={onSource}>
          {answer}
        </AnswerText>
      ) : (
        <>
          <p className={styles.none}>
            <FileSearch size={15} aria-hidden="true" /> {w.notFound}
          </p>
          <AnswerText>{answer}</AnswerText>
        </>
      )}
      {is_cut && <p className="soft">{w.cut}</p>}
      {citations.length > 0 && (
        <section aria-label={w.sources}>
          <ol className={styles.sources}>
            {citations.map(citation => (
              <li key={`${citation.mark} ${citation.quote}`} value={citation.mark}>
                <Button look="quiet" onPress={() => onSource(citation)}>
                  {nameOfSource(citation, document)}
                </Button>
                <blockquote>{citation.quote}</blockquote>
              </li>
            ))}
          </ol>
        </section>
      )}
      {children}
      <p className="soft">{w.machine}</p>
    </div>
  )
}

type Being = Pick<ReturnType<typeof useAnswer>, 'written' | 'isPending' | 'isStopped' | 'error' | 'stop'>

/** What has come until now, how to end it, and what kept it from coming. */
export function Writing({ of: { written, isPending, isStopped, error, stop } }: { of: Being }) {
  const w = useAssistantWords()
  if (isPending)
    return (
      <div className={styles.answer} aria-busy="true">
        {written !== '' && <AnswerText>{written}</AnswerText>}
        <p className={styles.writing} role="status">
          {w.writing}
          <Button icon={Square} onPress={stop}>
            {w.stop}
          </Button>
        </p>
      </div>
    )
  if (isStopped) return <p className="soft">{w.stopped}</p>
  return error ? <Refused error={error} /> : null
}
