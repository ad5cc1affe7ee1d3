/** `Ada Lovelace (ada)`: how a person stands on paper. */
export const personInWords = ({ username, full_name }: { username: string; full_name: string | null }) =>
  full_name ? `${full_name} (${username})` : username
