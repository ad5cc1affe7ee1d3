import { day, decision } from '#kernel/german.ts'
import { labelOf } from '#kernel/labels.de.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

const nouns: Readonly<Record<string, string>> = {
  document: 'einem Dokument',
  deviation: 'einer Abweichung',
  capa: 'einer CAPA',
}
const nounFor = (kind: string) => nouns[kind] ?? kind

defineGerman<typeof messages & typeof printed>({
  record_not_own_report: ({ number, permission }) =>
    `${number} ist keine offene Meldung von Ihnen, deshalb brauchen Sie die Berechtigung ${permission}.`,
  record_transition_permission_required: ({ number, from, to, permission }) =>
    `Sie brauchen die Berechtigung ${permission}, um ${number} von „${labelOf(from)}“ zu „${labelOf(to)}“ zu bringen.`,
  record_final: ({ number, status }) => `${number} ist ${labelOf(status)} und kann nicht mehr geändert werden.`,
  deviation_closed: ({ number }) => `${number} ist abgeschlossen. Öffnen Sie die Abweichung wieder, um sie zu ändern.`,
  record_reason_required: 'Geben Sie einen Grund der Änderung ein.',
  record_changed_while_signing: ({ number }) =>
    `${number} wurde geändert, während Sie unterschrieben. Laden Sie neu, und unterschreiben Sie dann noch einmal.`,
  record_assignee_inactive: ({ username }) => `${username} ist nicht aktiv. Wählen Sie eine andere Person.`,
  record_assignee_lacks_permission: ({ username, permission }) =>
    `${username} hat die Berechtigung ${permission} nicht. Wählen Sie eine andere Person.`,
  record_not_assigned_to_person: ({ number, person }) =>
    `Nichts in ${number} ist ${person} zugewiesen. Lassen Sie on_behalf_of weg, um für sich selbst zu handeln.`,
  record_decided_for_oneself: ({ number }) =>
    `Über ${number} entscheidet jeder mit der Berechtigung für sich selbst. Lassen Sie on_behalf_of weg.`,
  record_reminder_not_due: 'Es ist keine Erinnerung fällig.',

  record_due_date_past: 'Wählen Sie einen Tag ab heute.',
  record_due_date_not_later: ({ due_date }) => `Wählen Sie einen Tag nach der jetzigen Frist, dem ${day(due_date)}.`,
  record_due_date_needs_extension: ({ path }) =>
    `Beantragen Sie eine Verlängerung, um die Frist zu ändern (POST ${path}).`,
  extension_not_yours: ({ number, permission }) =>
    `${number} ist weder von Ihnen gemeldet noch Ihnen zugewiesen, deshalb brauchen Sie die Berechtigung ${permission}, um die Frist zu verlängern.`,
  extension_already_requested: ({ username, to_date }) =>
    `${username} hat schon eine Verlängerung bis ${day(to_date)} beantragt. Über diesen Antrag muss zuerst entschieden werden.`,
  extension_already_decided: ({ status, username }) => `${username} hat diesen Antrag schon ${decision(status)}.`,
  extension_own_request: 'Sie können nicht über Ihren eigenen Antrag entscheiden.',
  extension_own_work: ({ number, permission }) =>
    `${number} ist Ihnen zugewiesen, deshalb muss eine andere Person mit der Berechtigung ${permission} eine spätere Frist genehmigen.`,
  extension_comment_required: 'Geben Sie an, warum Sie den Antrag ablehnen.',
  extension_day_not_later: ({ to_date, today, due_date }) =>
    `Der beantragte Tag ${day(to_date)} ist vorbei oder nicht nach der jetzigen Frist (heute ist der ${day(today)}, fällig am ${day(due_date)}). Lehnen Sie den Antrag ab.`,

  link_to_itself: 'Ein Datensatz kann nicht mit sich selbst verknüpft werden. Wählen Sie einen anderen.',
  link_exists: ({ number, other_number }) => `${number} und ${other_number} sind schon verknüpft.`,
  link_relation_not_allowed: ({ from, to, relations }) =>
    `Wählen Sie eine von ${relations.join(', ')} für eine Verknüpfung von ${nounFor(from)} zu ${nounFor(to)}.`,
  link_recurrence_of_newer: ({ newer_number, older_number }) =>
    `${newer_number} ist die neuere Abweichung. Verknüpfen Sie sie von dort, als Wiederholung von ${older_number}.`,

  record_involvement: ({ number, part, until }) => {
    if (part === 'author') return `Sie haben ${number} angelegt`
    if (part === 'investigator') return `Sie haben ${number} untersucht`
    if (part === 'action_assignee') return `Eine Maßnahme von ${number} war Ihnen zugewiesen`
    if (part === 'action_doer') return `Sie haben eine Maßnahme von ${number} erledigt`
    if (part === 'reassigner') return `Sie haben ${number} jemand anderem zugewiesen`
    return until === null ? `${number} ist Ihnen zugewiesen` : `${number} war Ihnen bis ${day(until)} zugewiesen`
  },
})
