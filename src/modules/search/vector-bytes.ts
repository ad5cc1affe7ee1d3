const most = 127

/** One byte for each dimension, scaled so that the largest is 127. Only the direction of a vector is compared, and that stays. */
export function bytesOf(vector: Float32Array): Buffer {
  const bytes = Buffer.alloc(vector.length)
  let largest = 0
  for (const value of vector) largest = Math.max(largest, Math.abs(value))
  if (largest > 0)
    for (const [place, value] of vector.entries()) bytes.writeInt8(Math.round((value / largest) * most), place)
  return bytes
}

/** One bit for each dimension, as text for PostgreSQL. */
export function signsOf(vector: Float32Array): string {
  let signs = ''
  for (const value of vector) signs += value > 0 ? '1' : '0'
  return signs
}

/** The cosine of a vector of unit length and one of bytes. */
export function cosine(unit: Float32Array, bytes: Buffer): number {
  if (bytes.length !== unit.length) return 0
  const values = new Int8Array(bytes.buffer, bytes.byteOffset, bytes.length)
  let product = 0
  let square = 0
  for (let place = 0; place < values.length; place++) {
    const value = values[place]!
    product += unit[place]! * value
    square += value * value
  }
  return square > 0 ? product / Math.sqrt(square) : 0
}

export const isZero = (vector: Float32Array) => vector.every(value => value === 0)
