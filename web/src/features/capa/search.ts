export const capasSearch = (_given: Record<string, unknown>) => ({})
export const newCapaSearch = (_given: Record<string, unknown>): { deviation?: number } => ({})
