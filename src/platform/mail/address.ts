/** One address, without characters that a server could take for a second one or for another command. */
export const isAddress = (text: string) => /^[^\s\p{Cc}@,;:"()<>[\]\\]+@[^\s\p{Cc}@,;:"()<>[\]\\]+$/u.test(text)
