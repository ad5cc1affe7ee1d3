/** The next round number: an axis that ends at it has one line for it. */
export function roundUp(most: number): number {
  if (most <= 4) return 4
  const power = 10 ** Math.floor(Math.log10(most))
  return [1, 2, 3, 4, 5, 6, 8, 10].map(each => each * power).find(each => each >= most)!
}
