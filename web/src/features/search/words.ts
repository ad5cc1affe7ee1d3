import { wordsIn } from '../../words/index.ts'

const en = {
  title: 'Search',
  field: 'Words, number or title',
  begin: 'Where does it say that?',
  beginHint:
    'Enter words from the text of a document, or the number or title of any record. You see the passage that answers, and its page.',
  none: 'Nothing was found',
  noneHint: 'Use fewer or other words, or fewer filters.',
  noText: 'This file has no text to show, or you have to complete its training first.',
  status: 'Status',
  type: 'Document type',
  clear: 'Clear filters',
  kind: 'Kind',
  records: 'Records',
  texts: 'In the text of documents',
  more: 'More documents have these words than are shown here. Add a word or a filter to find fewer.',
}

const de: typeof en = {
  title: 'Suche',
  field: 'Wörter, Nummer oder Titel',
  begin: 'Wo steht das?',
  beginHint:
    'Geben Sie Wörter aus dem Text eines Dokuments ein, oder die Nummer oder den Titel eines Datensatzes. Sie sehen die Stelle, an der es steht, mit ihrer Seite.',
  none: 'Nichts gefunden',
  noneHint: 'Nehmen Sie weniger oder andere Wörter, oder weniger Filter.',
  noText: 'Diese Datei hat keinen Text zum Zeigen, oder Sie müssen zuerst ihre Schulung abschließen.',
  status: 'Status',
  type: 'Dokumentart',
  clear: 'Filter löschen',
  kind: 'Art',
  records: 'Datensätze',
  texts: 'Im Text der Dokumente',
  more: 'Mehr Dokumente haben diese Wörter, als hier gezeigt werden. Ein weiteres Wort oder ein Filter grenzt sie ein.',
}

/** What the search in texts says. */
export const useSearchWords = wordsIn({ en, de })
