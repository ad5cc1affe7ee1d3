/** Shorter texts are of any language: names and numbers. */
const least_characters = 200
/** What comes after it is of the same language. */
const most_characters = 20_000

/**
 * Told apart are these alone: some hundred letters of one language are often like another that few people write documents in. Those
 * that PostgreSQL has stems for, and large ones beside.
 */
const told = [
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

/** ISO 639-3; null where it cannot be told. */
export async function languageOf(text: string): Promise<string | null> {
  if (text.length < least_characters) return null
  const { franc } = await import('franc')
  const language = franc(text.slice(0, most_characters), { only: told })
  return language === 'und' ? null : language
}
