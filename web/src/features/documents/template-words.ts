import { wordsIn } from '../../words/index.ts'

const en = {
  title: 'Begin from a template',
  ways: 'Where the document comes from',
  fromFile: 'Upload a file',
  fromTemplate: 'Begin from a template',
  template: 'Template',
  choose: 'Choose a template',
  chooseOption: 'Choose one',
  none: 'Your company has no templates.',
  findDocument: 'Number or title',
  noDocument: 'No document found',
  missing: 'Fill in this field.',
  preview: 'Preview',
  unresolved: (n: number) =>
    n === 1
      ? 'One field is still to be filled in: its label stands in its place.'
      : `${n} fields are still to be filled in: their labels stand in their places.`,
  goOn: 'Go on writing',
  submit: 'Create the draft',
  done: (number: string) => `${number} is created`,
}

const de: typeof en = {
  title: 'Mit einer Vorlage beginnen',
  ways: 'Woher das Dokument kommt',
  fromFile: 'Datei hochladen',
  fromTemplate: 'Mit einer Vorlage beginnen',
  template: 'Vorlage',
  choose: 'Vorlage wählen',
  chooseOption: 'Eines wählen',
  none: 'Ihre Firma hat keine Vorlagen.',
  findDocument: 'Nummer oder Titel',
  noDocument: 'Kein Dokument gefunden',
  missing: 'Füllen Sie dieses Feld aus.',
  preview: 'Vorschau',
  unresolved: n =>
    n === 1
      ? 'Ein Feld ist noch auszufüllen: An seiner Stelle steht seine Bezeichnung.'
      : `${n} Felder sind noch auszufüllen: An ihrer Stelle stehen ihre Bezeichnungen.`,
  goOn: 'Weiter schreiben',
  submit: 'Entwurf anlegen',
  done: number => `${number} ist angelegt`,
}

/** What a document that is begun from a template says. */
export const useTemplateWords = wordsIn({ en, de })
