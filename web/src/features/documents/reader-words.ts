import { wordsIn } from '../../words/index.ts'

const en = {
  tab: 'Training',
  none: 'No training on this document',
  noneHint: 'Once a training program covers it, you see here who has read it.',
  nobody: 'Nobody is assigned to it.',
  read: (done: number, of: number) => `${done} of ${of} ${of === 1 ? 'person has' : 'people have'} completed it`,
  first: (shown: number, total: number) => `The first ${shown} of ${total} are shown.`,
  types: {
    read_and_understand: 'Read and understand',
    quiz: 'Quiz',
    on_the_job: 'On the job',
    classroom: 'Classroom',
  },
  states: {
    assigned: 'Assigned',
    in_progress: 'In progress',
    completed: 'Completed',
    failed: 'Failed',
    waived: 'Waived',
    cancelled: 'Cancelled',
  },
  overdue: 'Overdue',
  due: (day: string) => `Due ${day}`,
}

const de: typeof en = {
  tab: 'Schulung',
  none: 'Keine Schulung zu diesem Dokument',
  noneHint: 'Sobald ein Schulungsprogramm dazu besteht, sehen Sie hier, wer es gelesen hat.',
  nobody: 'Niemand ist zugewiesen.',
  read: (done, of) => `${done} von ${of} ${of === 1 ? 'Person hat' : 'Personen haben'} sie abgeschlossen`,
  first: (shown, total) => `Die ersten ${shown} von ${total} werden gezeigt.`,
  types: {
    read_and_understand: 'Lesen und verstehen',
    quiz: 'Fragen',
    on_the_job: 'Am Arbeitsplatz',
    classroom: 'Unterricht',
  },
  states: {
    assigned: 'Zugewiesen',
    in_progress: 'Begonnen',
    completed: 'Abgeschlossen',
    failed: 'Nicht bestanden',
    waived: 'Erlassen',
    cancelled: 'Abgebrochen',
  },
  overdue: 'Überfällig',
  due: day => `Fällig ${day}`,
}

/** What the readers of a document are told and asked. */
export const useReaderWords = wordsIn({ en, de })
