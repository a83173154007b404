/** What byte-source-child.ts sends for an `f`. In a file of its own: the other one is a program. */
export const floodBytes = 512 * 1024 * 1024
