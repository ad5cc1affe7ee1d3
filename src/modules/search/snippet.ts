import { hidden, marks } from './found-queries.ts'

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** The HTML of a headline: the text of the document is escaped, and only the marks become elements. */
export const htmlOf = (headline: string): string =>
  headline
    .replace(/[\ue000-\ue006]/g, each => hidden.shown[hidden.kept.indexOf(each)]!)
    .replace(/\s+/g, ' ')
    .trim()
    .replace(/[&<>"']/g, each => entities[each]!)
    .replaceAll(marks.start, '<mark>')
    .replaceAll(marks.stop, '</mark>')
