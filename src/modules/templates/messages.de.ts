import { defineGerman } from '#kernel/message.ts'
import type { messages, printed } from './messages.ts'

const records: Readonly<Record<string, string>> = {
  user: 'eines Benutzers',
  document: 'eines Dokuments',
  capa: 'einer CAPA',
  deviation: 'einer Abweichung',
}

defineGerman<typeof messages & typeof printed>({
  template_name_taken: ({ name }) =>
    `Eine Inhaltsvorlage namens ${name} gibt es schon. Wählen Sie einen anderen Namen.`,
  template_deleted: ({ name }) =>
    `Die Inhaltsvorlage ${name} wurde gelöscht und kann nur gelesen werden. Legen Sie stattdessen eine neue an.`,
  template_changed_meanwhile: ({ name }) =>
    `Die Inhaltsvorlage ${name} wurde inzwischen geändert. Laden Sie neu, und versuchen Sie es noch einmal.`,

  template_variable_repeated: ({ name }) =>
    `Es gibt zwei Variablen namens ${name}. Benennen Sie eine davon um, oder entfernen Sie sie.`,
  template_variable_built_in: ({ name }) => `Jede Vorlage hat {{${name}}}. Wählen Sie einen anderen Namen.`,
  template_variable_unused: ({ name }) =>
    `Der Text enthält {{${name}}} nicht. Fügen Sie es ein, oder entfernen Sie die Variable.`,
  template_options_required: 'Geben Sie die Möglichkeiten der Auswahl ein.',
  template_options_not_allowed: ({ type }) => `Nur select hat Möglichkeiten. Entfernen Sie sie von ${type}.`,
  template_option_malformed: 'Jede Möglichkeit muss eine Zeile sein, ohne Leerzeichen davor und dahinter.',
  template_default_not_allowed: ({ type }) => `${type} hat keine Vorgabe. Entfernen Sie sie.`,
  template_default_has_blanks: 'Entfernen Sie die Leerzeichen vor und hinter der Vorgabe.',

  template_variable_undeclared: ({ name, line }) =>
    `Zeile ${line}: {{${name}}} ist nicht angemeldet. Fügen Sie es den Variablen hinzu.`,
  template_variable_misplaced: ({ name, line }) =>
    `Zeile ${line}: {{${name}}} kann nicht in Code, HTML oder einem Link stehen. Setzen Sie es in den Text.`,
  template_long_text_not_alone: ({ name, line }) =>
    `Zeile ${line}: {{${name}}} ist ein langer Text. Setzen Sie ihn in einen eigenen Absatz.`,
  template_variable_misnamed: ({ placeholder, line }) =>
    `Zeile ${line}: ${placeholder} nennt keine Variable. Verwenden Sie Kleinbuchstaben, Ziffern und _, und beginnen Sie mit einem Buchstaben.`,
  template_braces_not_opened: ({ line }) => `Zeile ${line}: Vor diesem }} steht kein {{.`,
  template_braces_not_closed: ({ line }) => `Zeile ${line}: Schließen Sie {{ mit }} in derselben Zeile.`,
  template_character_reserved: ({ line }) =>
    `Zeile ${line}: Hier steht ein Zeichen, das Unicode in Texten nicht erlaubt. Entfernen Sie es.`,
  template_body_unreadable:
    'Der Text lässt sich nicht als Markdown lesen: Es dauert zu lange, oder seine Teile sind mehr als 12 Ebenen tief verschachtelt. Vereinfachen Sie ihn.',
  template_emphasis_within_word:
    'Eine Hervorhebung beginnt oder endet an einer Variablen mitten im Wort. Setzen Sie ein Leerzeichen zwischen Wort und Variable.',

  template_value_not_one_line: 'Geben Sie eine einzelne Zeile ein.',
  template_value_has_control_characters: 'Der Text enthält Steuerzeichen. Entfernen Sie sie.',
  template_value_not_number: 'Geben Sie eine Zahl ein, wie 12 oder 0.5.',
  template_value_not_id: ({ type }) => `Geben Sie die ID ${records[type] ?? `(${type})`} ein.`,
  template_value_not_found: ({ type }) =>
    `Die ID ${records[type] ?? `(${type})`} gibt es nicht. Wählen Sie eine andere.`,

  template_document_permission_required:
    'Sie brauchen die Berechtigung documents.create, um aus einer Vorlage ein Dokument anzulegen.',
  template_document_has_no_format: 'Lassen Sie das Format weg. Die Datei eines Dokuments ist immer ein PDF.',
  template_document_title_required: 'Geben Sie einen Titel für das Dokument ein.',
  template_document_type_required: 'Wählen Sie eine Art, weil die Vorlage keine nennt.',
  template_pdf_not_accepted:
    'Ihre Firma nimmt keine .pdf-Dateien an. Bitten Sie einen Admin, sie in den Einstellungen zu erlauben.',
  template_text_unreadable:
    'Der Text ließ sich nicht als Markdown lesen. Versuchen Sie es in einer Minute noch einmal.',
  template_and_version: ({ template, version }) => `${template}, Version ${version}`,
})
