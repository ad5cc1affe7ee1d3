import { defineGerman } from '#kernel/message.ts'
import type { messages } from './messages.ts'

defineGerman<typeof messages>({
  form_template_name_taken: ({ name }) =>
    `Eine Formularvorlage namens ${name} gibt es schon. Wählen Sie einen anderen Namen.`,
  form_template_inactive: ({ name }) => `Die Formularvorlage ${name} ist nicht aktiv. Wählen Sie eine andere.`,

  form_too_many_fields: ({ maximum, count }) =>
    `Eine Formularvorlage hat höchstens ${maximum} Felder, und diese hat ${count}. Entfernen Sie einige.`,
  form_section_key_repeated: ({ key }) =>
    `Es gibt zwei Abschnitte mit dem Schlüssel ${key}. Wählen Sie einen anderen Schlüssel.`,
  form_field_key_repeated: ({ key }) =>
    `Es gibt zwei Felder mit dem Schlüssel ${key}. Wählen Sie einen anderen Schlüssel.`,
  form_field_key_reserved: ({ key }) => `Ein Feld kann den Schlüssel ${key} nicht haben. Wählen Sie einen anderen.`,
  form_options_required: 'Geben Sie die Möglichkeiten der Auswahl ein.',
  form_options_not_allowed: ({ type }) => `Nur select hat Möglichkeiten. Entfernen Sie sie von ${type}.`,
  form_option_repeated: ({ value }) =>
    `Es gibt zwei Möglichkeiten mit dem Wert ${value}. Wählen Sie einen anderen Wert.`,
  form_length_not_allowed: ({ limit, type }) => `Nur text und textarea haben ${limit}. Entfernen Sie es von ${type}.`,
  form_max_too_large: ({ type, maximum }) =>
    `${type} hat höchstens ${maximum} Zeichen. Geben Sie eine kleinere Zahl ein.`,
  form_max_too_small: 'In dieses Feld ließe sich nichts schreiben. Geben Sie mindestens 1 ein.',
  form_min_above_max: ({ min, max }) =>
    `Die kleinste Länge ${min} ist mehr als die größte ${max}. Geben Sie eine kleinere Zahl ein.`,
  form_condition_field_unknown: ({ field }) =>
    `Ein früheres Feld ${field} gibt es nicht. Wählen Sie eine frühere Auswahl (select).`,
  form_condition_field_later: ({ field }) =>
    `Dieses Feld hängt von ${field} ab, das erst danach kommt. Verschieben Sie es hinter ${field}, oder wählen Sie eine frühere Auswahl (select).`,
  form_condition_field_not_select: ({ field, type }) =>
    `Ein Feld hängt von einer Auswahl (select) ab, und ${field} ist ${type}. Wählen Sie eine Auswahl.`,
  form_condition_option_unknown: ({ field, value }) =>
    `${field} hat keine Möglichkeit mit dem Wert ${value}. Wählen Sie eine, die es hat.`,
  form_conditions_too_deep: ({ maximum }) =>
    `Ein Feld hängt in einer Kette von höchstens ${maximum} anderen ab. Lassen Sie es von einem früheren abhängen.`,

  form_id_required: 'Geben Sie die ID eines Datensatzes oder eines Anhangs ein.',
  form_document_not_found: 'Ein Dokument, das Sie lesen dürfen, ist das nicht. Wählen Sie ein anderes.',
  form_capa_not_found: 'Eine CAPA, die Sie lesen dürfen, ist das nicht. Wählen Sie eine andere.',
  form_attachment_required:
    'Hängen Sie die Datei zuerst an diesen Datensatz an. Geben Sie dann hier die ID des Anhangs ein.',
  form_attachment_not_found: 'Dieser Datensatz hat keinen solchen Anhang. Hängen Sie zuerst die Datei an.',
  form_attachment_not_image: ({ content_type }) =>
    `Dieser Anhang ist kein Bild, sondern ${content_type}. Wählen Sie ein Bild.`,
})
