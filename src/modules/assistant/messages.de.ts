import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

defineGerman<typeof messages & typeof printed>({
  assistant_unreachable: 'Der Assistent ist gerade nicht erreichbar. Versuchen Sie es später noch einmal.',
  assistant_too_slow: 'Der Assistent hat nicht rechtzeitig geantwortet. Versuchen Sie es später noch einmal.',
  assistant_request_rejected:
    'Das Sprachmodell hat die Anfrage abgelehnt. Sagen Sie es dem Betreiber dieser Installation.',
  assistant_answer_unusable:
    'Der Assistent hat eine Antwort gegeben, die sich nicht verwenden lässt. Versuchen Sie es noch einmal.',
  assistant_busy: 'Der Assistent ist beschäftigt. Versuchen Sie es gleich noch einmal.',
  assistant_paused: 'Der Assistent pausiert nach einem Fehler. Versuchen Sie es gleich noch einmal.',
  assistant_documents_permission_missing:
    'Sie brauchen die Berechtigung documents.read, um den Assistenten nach Dokumenten zu fragen.',
  assistant_document_not_trained: ({ numbers }) =>
    `Nur Personen mit Schulung zu ${numbers.join(', ')} dürfen den Inhalt kennen. Schließen Sie zuerst die Schulung ab.`,
  assistant_draft_permission_missing:
    'Sie brauchen die Berechtigung documents.create, um aus dem Text ein Dokument anzulegen.',
  assistant_title_required: 'Geben Sie einen Titel für das Dokument ein.',
  assistant_document_type_unknown: 'Wählen Sie eine aktive Art von Dokumenten.',
  assistant_text_cut:
    'Der Text ist länger, als eine Antwort sein kann, deshalb wurde kein Dokument angelegt. Fragen Sie nach einem Teil davon.',
  assistant_text_not_ready: ({ number }) =>
    `Der Text von ${number} wird noch gelesen. Versuchen Sie es in einer Minute noch einmal.`,
  assistant_text_missing: ({ number, reason }) =>
    `Der Assistent kann keinen Text von ${number} lesen${reason === null ? '.' : ` (${String(reason).replace(/\.$/, '')}).`}`,

  assistant_pieces_left_out: ({ left, all, reason }) =>
    `${left} der ${all} Abschnitte seines Textes fehlen, weil das Dokument zu lang ist, um auf einmal gelesen zu werden. Sie haben am wenigsten mit dem Auftrag zu tun.${reason === null ? '' : ` ${reason}`}`,
  assistant_text_incomplete: ({ reason }) => `Nicht der ganze Text war lesbar. ${reason}`,
})
