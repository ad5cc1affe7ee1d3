/** Of a text that says nothing, all places are zero. */
export function unit(vector: Float32Array): Float32Array {
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum)
  return length > 0 ? vector.map(value => value / length) : vector
}
