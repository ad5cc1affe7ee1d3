import { wordsIn } from '../../words/index.ts'

const en = {
  title: 'Compare versions',
  from: 'From',
  to: 'to',
  choose: { from: 'Older version', to: 'Newer version' },
  one: 'There is only one version: nothing to compare with',
  changedFacts: 'Details that changed',
  sameFacts: 'The details are the same.',
  facts: { title: 'Title' },
  text: 'Text',
  cannot: 'The text of both versions is needed to compare them',
  textIs: {
    waiting: (version: string) => `The text of ${version} is still being read. Try again in a moment.`,
    no_text: (version: string) => `${version} holds no text.`,
    failed: (version: string) => `The text of ${version} could not be read.`,
    extracted: (version: string) => `The text of ${version} is there.`,
  },
  byOcr: (version: string) =>
    `The text of ${version} was read off pictures. Letters may be wrong: compare the pages themselves before you decide.`,
  same: 'No word differs',
  changes: (n: number) => (n === 1 ? 'One passage differs.' : `${n} passages differ.`),
  unfold: (n: number) => (n === 1 ? 'Show one passage that is the same' : `Show ${n} passages that are the same`),
  onPage: (n: number) => `p. ${n}`,
}

const de: typeof en = {
  title: 'Versionen vergleichen',
  from: 'Von',
  to: 'zu',
  choose: { from: 'Ältere Version', to: 'Neuere Version' },
  one: 'Es gibt nur eine Version: nichts zu vergleichen',
  changedFacts: 'Geänderte Angaben',
  sameFacts: 'Die Angaben sind gleich.',
  facts: { title: 'Titel' },
  text: 'Text',
  cannot: 'Zum Vergleichen braucht es den Text beider Versionen',
  textIs: {
    waiting: version => `Der Text von ${version} wird noch gelesen. Versuchen Sie es gleich noch einmal.`,
    no_text: version => `${version} enthält keinen Text.`,
    failed: version => `Der Text von ${version} konnte nicht gelesen werden.`,
    extracted: version => `Der Text von ${version} ist da.`,
  },
  byOcr: version =>
    `Der Text von ${version} wurde von Bildern gelesen. Buchstaben können falsch sein: Vergleichen Sie die Seiten selbst, bevor Sie entscheiden.`,
  same: 'Kein Wort ist anders',
  changes: n => (n === 1 ? 'Eine Stelle ist anders.' : `${n} Stellen sind anders.`),
  unfold: n => (n === 1 ? 'Eine gleiche Stelle zeigen' : `${n} gleiche Stellen zeigen`),
  onPage: n => `S. ${n}`,
}

/** What the comparison of two versions says. It comes with its page. */
export const useCompareWords = wordsIn({ en, de })
