/** Words of a page of a file. */
export interface Quote {
  page: number
  text: string
}
