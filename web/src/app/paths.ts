/** The addresses of the pages. test/pages.test.ts holds the links of messages against them. */
export const paths = {
  signIn: '/sign-in',
  work: '/',
  documents: '/documents',
  document: '/documents/$id',
  search: '/search',
} as const
