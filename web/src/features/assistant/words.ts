import { useLanguage } from '../../words/index.ts'

const en = {
  title: 'Assistant',
  about: 'Answers from the documents that you may read. Made by a machine: check it against its sources.',
  tabs: { ask: 'Ask', examine: 'Examine a document', write: 'Write a text' },
  off: 'The assistant is off',
  offHint:
    'There is no language model, or your company has switched it off. An Admin can change that in the settings of the assistant.',
  question: 'Your question',
  ask: 'Ask',
  begin: 'What do our documents say about …?',
  beginHint:
    'Each statement has a number that opens its source. Questions and answers are stored nowhere: they are here until you leave this page.',
  writing: 'The answer is being written. Its sources are checked at the end.',
  stop: 'Stop',
  stopped: 'You stopped this answer.',
  notFound: 'Your documents do not say this',
  cut: 'The answer was longer than it may be, and is cut.',
  sources: 'Sources',
  source: (mark: number, name: string) => `Source ${mark}: ${name}`,
  open: 'Open the document',
  close: 'Close the source',
  machine: 'Made by a machine. Check it against its sources.',
  document: 'Document',
  documentHint: 'By its number or a part of its title.',
  documentMissing: 'Choose a document.',
  instructions: 'What shall be examined?',
  examine: 'Examine',
  prompt: 'What shall be written?',
  kind: 'Kind of text',
  kindHint: 'For example SOP, report or summary.',
  write: 'Write',
  asDraft: 'Make a draft of it',
  asDraftHint: 'A draft is reviewed and approved like every other.',
  documentType: 'Document type',
  draftTitle: 'Title',
  made: (number: string) => `${number} is a draft now`,
  openDraft: (number: string) => `Open ${number}`,
}

const de: typeof en = {
  title: 'Assistent',
  about:
    'Antwortet aus den Dokumenten, die Sie lesen dürfen. Von einer Maschine gemacht: Prüfen Sie es an den Quellen.',
  tabs: { ask: 'Fragen', examine: 'Ein Dokument prüfen', write: 'Einen Text schreiben' },
  off: 'Der Assistent ist aus',
  offHint:
    'Es gibt kein Sprachmodell, oder Ihre Firma hat es ausgeschaltet. Ein Admin kann das in den Einstellungen des Assistenten ändern.',
  question: 'Ihre Frage',
  ask: 'Fragen',
  begin: 'Was sagen unsere Dokumente über …?',
  beginHint:
    'Jede Aussage hat eine Nummer, die ihre Quelle öffnet. Fragen und Antworten werden nirgends gespeichert: Sie stehen hier, bis Sie die Seite verlassen.',
  writing: 'Die Antwort wird geschrieben. Ihre Quellen werden am Ende geprüft.',
  stop: 'Abbrechen',
  stopped: 'Sie haben diese Antwort abgebrochen.',
  notFound: 'Ihre Dokumente sagen das nicht',
  cut: 'Die Antwort war länger als erlaubt und ist gekürzt.',
  sources: 'Quellen',
  source: (mark, name) => `Quelle ${mark}: ${name}`,
  open: 'Dokument öffnen',
  close: 'Quelle schließen',
  machine: 'Von einer Maschine gemacht. Prüfen Sie es an den Quellen.',
  document: 'Dokument',
  documentHint: 'Mit seiner Nummer oder einem Teil des Titels.',
  documentMissing: 'Wählen Sie ein Dokument.',
  instructions: 'Was soll geprüft werden?',
  examine: 'Prüfen',
  prompt: 'Was soll geschrieben werden?',
  kind: 'Art des Textes',
  kindHint: 'Zum Beispiel SOP, Bericht oder Zusammenfassung.',
  write: 'Schreiben',
  asDraft: 'Einen Entwurf daraus machen',
  asDraftHint: 'Ein Entwurf wird geprüft und freigegeben wie jeder andere.',
  documentType: 'Dokumentart',
  draftTitle: 'Titel',
  made: number => `${number} ist jetzt ein Entwurf`,
  openDraft: number => `${number} öffnen`,
}

const catalogues = { en, de }

/** What the pages of the assistant say. */
export const useAssistantWords = () => catalogues[useLanguage()]
