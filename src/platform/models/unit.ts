/** Scales a vector to unit length. That of an empty text stays zero. */
export function unit(vector: Float32Array): Float32Array {
  let sum = 0
  for (const value of vector) sum += value * value
  const length = Math.sqrt(sum)
  return length > 0 ? vector.map(value => value / length) : vector
}
