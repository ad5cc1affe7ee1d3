import { day } from '#kernel/german.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages, reasons } from './messages.ts'

const statuses: Record<string, string> = {
  approved: 'genehmigt',
  completed: 'ausgeführt',
  rejected: 'abgelehnt',
  withdrawn: 'zurückgezogen',
}

defineGerman<typeof messages>({
  disposal_on_hold: ({ title, number }) =>
    `${title} unterliegt einer Löschsperre (${number}) und kann nicht vernichtet werden. Lassen Sie den Datensatz weg, oder lassen Sie die Sperre aufheben.`,
  disposal_of_version_in_use: ({ title }) =>
    `${title} ist in Arbeit, freigegeben oder gültig und kann nicht vernichtet werden. Lassen Sie die Version weg.`,
  disposal_of_referenced: ({ title }) =>
    `Eine offene Abweichung, CAPA oder Schulung nennt ${title}, deshalb kann die Version nicht vernichtet werden. Schließen Sie sie zuerst ab, oder lassen Sie diese Version weg.`,
  disposal_with_copies_out: ({ title }) =>
    `Gelenkte Kopien von ${title} sind nicht zurück, deshalb kann die Version nicht vernichtet werden. Gleichen Sie sie zuerst ab, oder lassen Sie die Version weg.`,
  disposal_of_open_record: ({ title }) =>
    `${title} ist offen, deshalb können die Dateien nicht vernichtet werden. Lassen Sie den Datensatz weg.`,
  disposal_with_open_link: ({ title }) =>
    `Mit ${title} ist eine offene Abweichung oder CAPA verknüpft, deshalb können die Dateien nicht vernichtet werden. Schließen Sie sie zuerst ab, oder lassen Sie diesen Datensatz weg.`,
  disposal_with_removal_requested: ({ title }) =>
    `Die Entfernung einer Datei von ${title} ist beantragt. Entscheiden Sie zuerst darüber, oder lassen Sie diesen Datensatz weg.`,
  disposal_without_files: ({ title }) =>
    `${title} hat keine angehängten Dateien, es gibt also nichts zu vernichten. Text, Unterschriften und Audit-Trail werden aufbewahrt. Lassen Sie den Datensatz weg.`,
  disposal_without_period: ({ title }) =>
    `${title} wird auf Dauer aufbewahrt, weil die Einstellungen keine Aufbewahrungsfrist für solche Datensätze haben. Lassen Sie den Datensatz weg.`,
  disposal_without_retention: ({ title }) =>
    `${title} wird auf Dauer aufbewahrt, weil die Dokumentenart keine Aufbewahrungsfrist hat. Lassen Sie die Version weg.`,
  disposal_before_retention_day: ({ title, retention_until }) =>
    `${title} muss bis ${day(retention_until)} aufbewahrt werden. Lassen Sie die Version weg.`,
  disposal_proposed_already: ({ title, number }) =>
    `${number} enthält ${title} schon. Entscheiden Sie über diese Vernichtung, oder lassen Sie den Datensatz weg.`,
  disposal_done_already: ({ title, number }) => `${number} hat ${title} schon vernichtet.`,
  disposal_names_record_twice: 'Dieser Datensatz ist zweimal genannt. Nennen Sie ihn einmal.',
  disposal_names_nothing: 'Nennen Sie die Versionen, Abweichungen oder CAPAs, die vernichtet werden sollen.',
  disposal_names_too_many: ({ most }) =>
    `Eine Vernichtung hat höchstens ${most} Datensätze. Schlagen Sie die übrigen in einer weiteren vor.`,
  disposal_without_decider:
    'Niemand sonst kann über diese Vernichtung entscheiden: Es braucht eine andere aktive Person mit den Berechtigungen retention.approve_disposal und retention.read. Geben Sie sie jemandem, und versuchen Sie es dann noch einmal.',
  disposal_own:
    'Sie haben diese Vernichtung vorgeschlagen, deshalb muss eine andere Person darüber entscheiden. Sie können den Vorschlag zurückziehen.',
  disposal_not_own:
    'Nur wer diese Vernichtung vorgeschlagen hat, kann sie zurückziehen. Lehnen Sie sie stattdessen ab.',
  disposal_decided: ({ number, status }) =>
    `${number} ist ${statuses[status] ?? status}, es ist also nichts zu entscheiden.`,
  legal_hold_one_scope:
    'Nennen Sie eines, das gesperrt wird: einen Datensatz, eine Dokumentenart, eine Art von Datensätzen, einen betroffenen Gegenstand oder eine Abteilung.',
  legal_hold_own: 'Sie haben diese Löschsperre gesetzt, deshalb muss eine andere Person sie aufheben.',
  legal_hold_lifted_already: ({ number }) => `${number} ist schon aufgehoben.`,
})

defineGerman<typeof reasons>({
  reason_disposal_not_approved: ({ number }) => `${number} wurde nicht genehmigt`,
})
