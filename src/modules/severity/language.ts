import type { Word } from './words.ts'

const set = (words: string) => new Set(words.trim().split(/\s+/))

/** Frequent English words that are none in the other languages below. */
const english = set(`
the of and to for with by from this that these those has have had been be are were is it its they their there which who when where while
but because although during after before until than into without not at on as only also same again still already did does do no all any
each both some more most less than then out over under above below between through against about found made used put left taken one two
three four five six
`)

/**
 * Frequent words of other languages that are none in English, without accents: German, Dutch, French, Spanish, Portuguese, Italian, Danish,
 * Norwegian, Swedish, Finnish, Polish, Czech, Hungarian, Romanian and Turkish.
 */
const foreign = set(`
der das dem des und oder ein eine einer eines einem einen ist sind wurde wurden wird werden nicht nach vom zum zur mit von bei auf aus
durch wegen sowie bis sich auch noch bereits keine kein hat haben uber fur als wahrend nur statt im beim gestorben verstorben geloscht gefalscht
het een zijn werd werden niet met voor naar heeft hebben bij ook nog geen deze dit wordt overleden
le la les du une est sont ete pas avec pour dans sur apres avant lors qui que ont au aux ce cette etait aucun deces jusqu
el los las del una fue fueron con por para despues antes hasta se su sus sin como pero paciente pacientes lote lotes
os um uma foi foram nao com depois ate sem pelo pela dos das
il lo gli della delle dello degli dei di da che nel nella sono stato stata stati senza per ha gia dopo prima fino
og af til blev er ikke efter det et har ved som indtil och att som inte med av fran till efter blev tills om forsvann den
ja ei oli ovat kunnes jonka kuin myos on sen etta
nie jest sie na do przez po oraz zostal zostala byl byla az
byl byla bylo bylo se neni pri po dokud nebo
es az egy nem volt hogy
si nu cu din pentru este fost dupa
ve bir icin ile oldu sonra degil bu da
`)
// Words that English has too, such as "no", "on" or "do", say nothing against it.
for (const word of english) foreign.delete(word)
for (const word of set(
  'den der die a an in so am was will war per la le no se me son par or as at do over under er os es si il on da bu ha lo',
))
  foreign.delete(word)

/** "5 µm" and "β-lactam" are English. */
const maxForeignLetters = 0.2
const isForeignScript = (words: readonly Word[]) => {
  const text = words.map(({ form }) => form).join('')
  const letters = text.match(/\p{L}/gu)?.length ?? 0
  const latin = text.match(/\p{Script=Latin}/gu)?.length ?? 0
  return letters - latin > letters * maxForeignLetters
}
const hasLetters = (form: string) => /\p{L}{2}/u.test(form)

/** A sentence of fewer words tells no language. */
const minWords = 3
/** The share of words that an English text has of frequent or known words, by the descriptions of `bench/severity-descriptions.txt`. */
const minKnownShare = 0.2

/**
 * True if the rules can read the text, which is English then. A sentence in another language among English ones counts as well, because the
 * rules would pass over it. `isKnown` tells the words of the rules.
 */
export function isEnglish(words: readonly Word[], isKnown: (form: string) => boolean): boolean {
  const withLetters = words.filter(({ form }) => hasLetters(form))
  if (isForeignScript(words)) return false
  const count = (some: readonly Word[], is: (form: string) => boolean) =>
    some.reduce((sum, { form }) => sum + Number(is(form)), 0)
  const isFrequent = (form: string) => english.has(form)
  const isForeign = (form: string) => foreign.has(form)
  for (const sentence of Map.groupBy(withLetters, ({ sentence }) => sentence).values()) {
    const others = count(sentence, isForeign)
    if (sentence.length >= minWords && others > 0 && others >= count(sentence, isFrequent)) return false
  }
  if (count(withLetters, isForeign) > count(withLetters, isFrequent)) return false
  const known = count(withLetters, form => isFrequent(form) || isKnown(form))
  return known > 0 && known >= withLetters.length * minKnownShare
}
