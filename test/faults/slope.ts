/** How much the line through these rises from the first to the last. */
export function slopeOf(values: number[]) {
  const mean = (values.length - 1) / 2
  const average = values.reduce((sum, value) => sum + value, 0) / values.length
  const [over, under] = values.reduce(
    ([over, under], value, x) => [over + (x - mean) * (value - average), under + (x - mean) ** 2] as [number, number],
    [0, 0] as [number, number],
  )
  return under === 0 ? 0 : (over / under) * (values.length - 1)
}
