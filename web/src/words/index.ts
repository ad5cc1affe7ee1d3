import { useSyncExternalStore } from 'react'
import { en, type Words } from './en.ts'

export const languages = ['en', 'de'] as const
export type Language = (typeof languages)[number]

/** English is always there; another language is loaded by whoever reads it. */
const loaders = { en: async () => en, de: async () => (await import('./de.ts')).de } satisfies Record<
  Language,
  () => Promise<Words>
>
const catalogues: Partial<Record<Language, Words>> = { en }

const listeners = new Set<() => void>()
const chosen = localStorage.getItem('attest.language') ?? navigator.language.slice(0, 2)
let spoken: Language = 'en'
document.documentElement.lang = spoken

let wanted: Language = spoken

/** Shows a language once its words are there; without them, the pages stay as they are. */
async function show(next: Language) {
  wanted = next
  const words = catalogues[next] ?? (await loaders[next]().catch(() => undefined))
  if (!words || wanted !== next) return
  catalogues[next] = words
  spoken = next
  document.documentElement.lang = next
  for (const each of listeners) each()
}

/** Before the first page is drawn: nobody sees it in one language and then in another. */
export const firstWords = show(chosen === 'de' ? 'de' : 'en')

export function speak(next: Language) {
  localStorage.setItem('attest.language', next)
  void show(next)
}

/** Calls the listener after each change of the language, until the answer is called. */
export function onLanguage(listener: () => void) {
  listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

export const language = () => spoken

export const useLanguage = () => useSyncExternalStore(onLanguage, language)

export const useWords = (): Words => catalogues[useLanguage()] ?? en

/** The hook that gives the words of some pages in the language that is spoken. */
export const wordsIn =
  <W>(catalogues: Record<Language, W>) =>
  () =>
    catalogues[useLanguage()]

/** A workflow of the tenant's own may have states that the pages have no word for. */
export function useStateName() {
  const { states } = useWords()
  return (state: string) => (states as Record<string, string>)[state] ?? state.replaceAll('_', ' ')
}

/** Dates and times as the language writes them; a day is a day, whatever the time zone. */
export function useFormat() {
  const locale = useLanguage() === 'de' ? 'de-DE' : 'en-GB'
  const day = (iso: string) =>
    new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' }).format(
      new Date(`${iso.slice(0, 10)}T00:00:00Z`),
    )
  const moment = (iso: string) =>
    new Intl.DateTimeFormat(locale, {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      timeZoneName: 'short',
    }).format(new Date(iso))
  /** The time of a day that is named beside it. */
  const clock = (iso: string, timeZone = 'UTC') =>
    new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit', timeZone }).format(new Date(iso))
  /** "in 3 days", "yesterday": how far a day is from today. */
  const away = (iso: string, today: string) =>
    new Intl.RelativeTimeFormat(locale, { numeric: 'auto' }).format(
      Math.round((Date.parse(iso) - Date.parse(today)) / 86_400_000),
      'day',
    )
  const ago = (iso: string) => {
    const minutes = Math.round((Date.parse(iso) - Date.now()) / 60_000)
    const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' })
    if (minutes > -60) return relative.format(minutes, 'minute')
    if (minutes > -1440) return relative.format(Math.round(minutes / 60), 'hour')
    return minutes > -14 * 1440 ? relative.format(Math.round(minutes / 1440), 'day') : day(iso)
  }
  /** The day that it is now at a place, as the API writes it. */
  const today = (timeZone = 'UTC') => new Intl.DateTimeFormat('en-CA', { timeZone }).format(new Date())
  const list = (items: string[], type: 'conjunction' | 'disjunction' = 'disjunction') =>
    new Intl.ListFormat(locale, { type }).format(items)
  return { locale, day, moment, clock, away, ago, today, list }
}
