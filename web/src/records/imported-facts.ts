import { useMe } from '../features/session/session.ts'
import { useLanguage } from '../words/index.ts'
import type { Fact } from './fact-list.tsx'

const catalogues = {
  en: {
    legacyNumber: 'Old number',
    imported: 'Imported from',
    from: (source: string, batch: string) => `${source}, by ${batch}`,
    completed: (when: string, person: string | null) =>
      person ? `done ${when} by ${person}, before the import` : `done ${when}, before the import`,
    verified: (when: string, person: string) => `verified ${when} by ${person}, before the import`,
  },
  de: {
    legacyNumber: 'Alte Nummer',
    imported: 'Übernommen aus',
    from: (source: string, batch: string) => `${source}, mit ${batch}`,
    completed: (when: string, person: string | null) =>
      person ? `erledigt ${when} von ${person}, vor der Übernahme` : `erledigt ${when}, vor der Übernahme`,
    verified: (when: string, person: string) => `verifiziert ${when} von ${person}, vor der Übernahme`,
  },
}

export const useImportWords = () => catalogues[useLanguage()]

/** The day of a moment in the time zone of the company: a source has days alone, and no hours. */
export function useDayOfCompany() {
  const { tenant } = useMe()
  const of = new Intl.DateTimeFormat('en-CA', { timeZone: tenant?.time_zone ?? 'UTC' })
  return (moment: string) => of.format(new Date(moment))
}

interface Imported {
  legacy_number: string | null
  imported: { batch: string; source: string } | null
}

/** Where the record came from; of one that no migration imported, nothing is shown. */
export function useImportedFacts({ legacy_number, imported }: Imported): Fact[] {
  const w = useImportWords()
  return [
    [w.legacyNumber, legacy_number],
    [w.imported, imported && w.from(imported.source, imported.batch)],
  ]
}
