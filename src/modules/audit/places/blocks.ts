/** The number of places in a block; the same as in the migration. */
export const placesPerBlock = 2048

/** The block of the entry with this sequence number. */
export const blockOf = (seq: number) => Math.floor((seq - 1) / placesPerBlock)
