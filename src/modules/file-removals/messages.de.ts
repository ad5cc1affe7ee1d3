import { decision } from '#kernel/german.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  file_removal_one_file:
    'Nennen Sie eine Datei: `document_id` mit `version` für die Datei einer Version, oder `attachment_id` für eine angehängte Datei.',
  file_removal_version_required: 'Nennen Sie die Version des Dokuments, deren Datei entfernt werden soll.',
  file_removal_of_effective: ({ title }) =>
    `${title} ist gültig, also wird nach der Datei gearbeitet. Machen Sie das Dokument ungültig oder geben Sie eine neuere Version frei, und beantragen Sie dann die Entfernung.`,
  file_removal_in_review: ({ title }) =>
    `${title} ist in Prüfung oder wartet darauf, gültig zu werden, deshalb kann die Datei nicht entfernt werden. Ziehen Sie die Version zurück oder lehnen Sie sie ab, und beantragen Sie dann die Entfernung.`,
  file_removal_requested_already: ({ title, number }) =>
    `${number} beantragt die Entfernung der Datei von ${title} schon. Entscheiden Sie über diesen Antrag.`,
  file_removal_done_already: ({ title, number }) => `${number} hat die Datei von ${title} schon entfernt.`,
  file_removal_without_decider:
    'Niemand sonst kann über diesen Antrag entscheiden: Es braucht eine andere aktive Person mit den Berechtigungen files.decide_removal und files.read_removals. Geben Sie sie jemandem, und versuchen Sie es dann noch einmal.',
  file_removal_own:
    'Sie haben diese Entfernung beantragt, deshalb muss eine andere Person darüber entscheiden. Sie können den Antrag zurückziehen.',
  file_removal_not_own:
    'Nur wer diese Entfernung beantragt hat, kann den Antrag zurückziehen. Lehnen Sie ihn stattdessen ab.',
  file_removal_decided: ({ number, status }) =>
    `${number} ist ${status === 'removed' ? 'ausgeführt' : decision(status)}, es gibt nichts zu entscheiden.`,
})
