import { day, number } from '#kernel/german.ts'
import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

defineGerman<typeof messages & typeof printed>({
  audit_as_of_permission_required: ({ permission }) =>
    `Sie brauchen die Berechtigung ${permission}, um einen Datensatz zu sehen, wie er zu einer anderen Zeit war.`,
  audit_as_of_day_not_over: ({ today }) => `Wählen Sie einen Tag vor heute, dem ${day(today)}.`,
  audit_as_of_in_future: 'Wählen Sie einen Zeitpunkt in der Vergangenheit.',
  audit_beginning_redacted:
    'Der Anfang dieses Datensatzes wurde im Audit Trail geschwärzt, deshalb lässt sich sein Stand zu dieser Zeit nicht wiederherstellen.',

  audit_pdf_too_many_rows: ({ maximum }) =>
    `Ein PDF fasst höchstens ${maximum} geänderte Felder oder Einträge. Engen Sie den Filter ein, oder wählen Sie CSV oder bundle.`,
  audit_pdf_too_long:
    'Die Einträge haben zu viel Text für ein PDF. Engen Sie den Filter ein, oder wählen Sie CSV oder bundle.',

  audit_checkpoint_not_older: ({ size, old }) =>
    `Dieser Checkpoint hat ${size} Einträge und setzt deshalb keinen mit ${old} fort. Nennen Sie die Größe eines älteren Checkpoints.`,
  audit_checkpoint_before_entry: ({ size, entry_number }) =>
    `Der Checkpoint mit ${size} Einträgen ist älter als dieser Eintrag, der in seiner Epoche die Nummer ${entry_number} hat. Wählen Sie einen späteren Checkpoint.`,
  audit_checkpoint_not_signed:
    'Das hat der Dienst nicht als Checkpoint dieses Logs unterschrieben. Fügen Sie die ganze Notiz ein.',
  audit_verification_running: 'Dieser Audit Trail wird schon geprüft. Warten Sie, bis das beendet ist.',

  audit_sealing_stopped: ({ reason }) =>
    `Der Audit Trail kann nicht mehr versiegelt werden (${reason}). Ein Betreiber muss nachsehen.`,
  audit_behind_anchor: ({ reason, tenant }) =>
    `Der Audit Trail kann nicht mehr versiegelt werden (${reason}). Ein Betreiber muss herausfinden, was mit der Datenbank geschah, und dann „qms audit new-epoch --tenant ${tenant} --reason TEXT“ ausführen.`,
  audit_anchors_unreadable: ({ failures }) =>
    `Der Audit Trail kann nicht versiegelt werden, solange seine Anker nicht gelesen werden können (${failures}).`,

  audit_pdf_entries: ({ count, from, to }) => `${number(count)} der Folge ${from} bis ${to}`,
  audit_pdf_chosen: ({ name, values }) => `${name} = ${values.join(' oder ')}`,
  audit_pdf_filter: ({ chosen }) => chosen.join('; '),
  audit_pdf_no_filter: 'keiner: alle Einträge dieses Bereichs',
  audit_pdf_head: ({ entries, filter }) => `Audit Trail: ${entries}; Filter: ${filter}`,
  audit_pdf_no_entry: 'Einen solchen Eintrag gibt es nicht.',
  audit_pdf_compare:
    'Vergleichen Sie dieses PDF mit einem Bundle desselben Bereichs, das sich ohne den Dienst prüfen lässt.',
})
