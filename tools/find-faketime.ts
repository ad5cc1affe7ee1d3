import { globSync } from 'node:fs'

/** The library that is preloaded into a process to give it another time, for programs of several threads. */
export const findFaketime = () => globSync('/usr/lib/*/faketime/libfaketimeMT.so.1')[0]
