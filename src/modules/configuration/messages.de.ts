import { decision } from '#kernel/german.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  configuration_change_without_approver: ({ permission }) =>
    `Niemand sonst kann diese Änderung freigeben: Es braucht eine andere aktive Person mit den Berechtigungen ${permission} und configuration_changes.decide. Geben Sie sie jemandem, und versuchen Sie es dann noch einmal.`,
  configuration_change_without_effect: 'Es würde sich nichts ändern. Ändern Sie mindestens ein Feld.',
  configuration_change_own:
    'Sie haben diese Änderung vorgeschlagen, deshalb muss eine andere Person darüber entscheiden. Sie können sie zurückziehen.',
  configuration_change_not_own:
    'Nur wer diese Änderung vorgeschlagen hat, kann sie zurückziehen. Lehnen Sie sie stattdessen ab.',
  configuration_change_decided: ({ number, status }) =>
    `${number} ist ${decision(status)}, es gibt nichts zu entscheiden. Schlagen Sie die Änderung noch einmal vor, wenn sie noch nötig ist.`,
  configuration_change_outdated: ({ title }) =>
    `${title} wurde nach diesem Vorschlag geändert, deshalb kann er nicht mehr freigegeben werden. Schlagen Sie die Änderung noch einmal vor.`,
  configuration_change_altered: ({ number }) =>
    `${number} ist nicht so gespeichert, wie es vorgeschlagen wurde, und kann deshalb nicht freigegeben werden. Lehnen Sie es ab, und sagen Sie es einem Admin.`,
})
