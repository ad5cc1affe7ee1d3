import { day } from '#kernel/german.ts'
import { labelOf } from '#kernel/labels.de.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

defineGerman<typeof messages & typeof printed>({
  controlled_copy_no_effective_version: ({ number }) =>
    `Keine Version von ${number} ist gültig, deshalb kann keine Kopie ausgegeben werden.`,
  controlled_copy_other_version_effective: ({ number, version, effective }) =>
    `Version ${version} von ${number} ist nicht gültig, und Kopien werden nur von gültigen Versionen ausgegeben. Geben Sie eine Kopie der Version ${effective} aus.`,
  controlled_copy_too_many: ({ number, maximum }) =>
    `${number} hat ${maximum} gelenkte Kopien in Gebrauch, und das ist das Höchste. Gleichen Sie zuerst Kopien ab, die nicht mehr gebraucht werden.`,
  controlled_copy_holder_not_trained: ({ number, username }) =>
    `Nur Personen mit Schulung zu ${number} dürfen die Datei haben, und ${username} hat keine. Wählen Sie eine andere Person, oder lassen Sie ${username} zuerst schulen.`,
  controlled_copy_version_over: ({ number, version }) =>
    `Version ${version} ist nicht mehr gültig, deshalb wird ${number} nicht mehr gedruckt. Geben Sie eine Kopie der gültigen Version aus.`,
  controlled_copy_not_in_use: ({ number, status }) =>
    `${number} ist ${labelOf(status)} und wird deshalb nicht mehr gedruckt. Geben Sie eine andere Kopie aus.`,
  controlled_copy_reprint_reason_required: ({ number }) =>
    `${number} wurde schon gedruckt. Geben Sie an, warum noch einmal gedruckt wird.`,
  controlled_copy_printed_meanwhile: ({ number }) =>
    `Jemand hat ${number} zur selben Zeit gedruckt. Laden Sie neu, und drucken Sie nur noch einmal, wenn Sie einen weiteren Ausdruck brauchen.`,
  controlled_copy_not_pages: ({ number, version, reason }) =>
    `Version ${version} von ${number} lässt sich nicht mit einer Kopienummer auf jeder Seite drucken (${reason}). Laden Sie eine Version als PDF hoch.`,
  controlled_copy_over: ({ number, status }) => `${number} ist ${labelOf(status)} und kann nicht mehr geändert werden.`,
  controlled_copy_already_recalled: ({ number }) => `${number} wurde schon zurückgerufen.`,
  controlled_copy_already_lost: ({ number }) =>
    `${number} ist schon verloren. Abgleichen lässt sie sich nur als zurückgegeben oder vernichtet, sobald sie gefunden ist.`,
  controlled_copy_due_date_past: 'Wählen Sie heute oder einen späteren Tag.',
  controlled_copy_same_holder: ({ number }) => `Diese Person hat ${number} schon. Wählen Sie eine andere Person.`,
  controlled_copy_never_printed: ({ number }) =>
    `${number} wurde nie gedruckt, deshalb kann nichts zurückgegeben werden. Rufen Sie sie zurück, dann wird sie verworfen.`,
  controlled_copy_already_confirmed: ({ number }) =>
    `Der Verbleib von ${number} ist schon gemeldet. Jemand mit der Berechtigung documents.print_controlled muss sie abgleichen.`,
  controlled_copy_comment_required: ({ outcome }) =>
    `Geben Sie in einem Kommentar an, wie die Kopie ${labelOf(outcome)} wurde.`,
  controlled_copy_not_holder: ({ number }) => `Sie haben ${number} nicht. Nur wer sie hat, kann ihren Verbleib melden.`,
  controlled_copy_own_reconciliation: ({ number }) =>
    `Sie haben ${number}, oder haben die Rückgabe gemeldet. Eine andere Person mit der Berechtigung documents.print_controlled muss sie abgleichen.`,
  controlled_copy_reminder_not_due: ({ number }) => `Für ${number} ist keine Erinnerung fällig.`,

  controlled_copy_mark: ({ copy }) => `GELENKTE KOPIE ${copy}`,
  controlled_copy_footer: ({ copy, holder, location, print, person, moment }) =>
    `Gelenkte Kopie ${copy}${print === 1 ? '' : `, Ausdruck ${print}`}. Ausgegeben an ${holder}, ${location}. Gedruckt von ${person}, ${day(moment)}`,
  controlled_copy_print: ({ print, reason }) => (reason === null ? String(print) : `${print}: ${reason}`),
})
