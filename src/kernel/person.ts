/** `Ada Lovelace (ada)`, as printed documents show a person. */
export const personInWords = ({ username, full_name }: { username: string; full_name: string | null }) =>
  full_name ? `${full_name} (${username})` : username
