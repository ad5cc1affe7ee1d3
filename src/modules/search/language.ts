/** A shorter text consists of names and numbers, which tell no language. */
const minCharacters = 200
/** The beginning of a text is enough to tell its language. */
const maxCharacters = 20_000

/**
 * Only these are distinguished, because a short text often resembles a language that few people write documents in: the languages that
 * PostgreSQL can stem, and other large ones.
 */
const languages = [
  ...[
    'eng',
    'deu',
    'fra',
    'spa',
    'ita',
    'por',
    'nld',
    'dan',
    'swe',
    'nob',
    'nno',
    'fin',
    'hun',
    'ron',
    'rus',
    'tur',
    'ell',
  ],
  ...['cat', 'eus', 'lit', 'gle', 'srp', 'hye', 'ind', 'arb', 'hin', 'nep', 'tam', 'ydd'],
  ...['bul', 'ces', 'est', 'heb', 'hrv', 'jpn', 'kor', 'lav', 'cmn', 'pol', 'slk', 'slv', 'ukr', 'vie', 'tha'],
]

/** ISO 639-3; null if the language is not clear. */
export async function languageOf(text: string): Promise<string | null> {
  if (text.length < minCharacters) return null
  const { franc } = await import('franc')
  const language = franc(text.slice(0, maxCharacters), { only: languages })
  return language === 'und' ? null : language
}
