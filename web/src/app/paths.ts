/** The addresses of the pages. test/pages.test.ts holds the links of messages against them. */
export const paths = {
  signIn: '/sign-in',
  welcome: '/welcome',
  forgotPassword: '/forgot-password',
  resetPassword: '/reset-password',
  work: '/',
  documents: '/documents',
  newDocument: '/documents/new',
  document: '/documents/$id',
  notifications: '/notifications',
  account: '/account',
  signing: '/signing',
  newVersion: '/documents/$id/new-version',
  search: '/search',
  series: '/approvals',
  documentCompare: '/documents/$id/compare',
} as const
