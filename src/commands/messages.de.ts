import { defineGerman } from '#kernel/message.ts'
import { failureWordsInGerman } from '#platform/failure-words.de.ts'
import type { lines } from './messages.ts'

/** What the operators' page says of a failure that a check met; the command line is English. */
defineGerman<Pick<typeof lines, 'failure_reported' | 'failure_without_reason' | 'projections_differ'>>({
  failure_reported: ({ reason }) => failureWordsInGerman(`${reason}`) ?? `${reason}`,
  failure_without_reason: 'fehlgeschlagen',
  projections_differ: ({ found }) =>
    `Diese weichen von den Datensätzen ab, die jemand von Hand oder ein Fehler des Programms geändert hat (qms projections rebuild erzeugt sie neu): ${found.join('; ')}`,
})
