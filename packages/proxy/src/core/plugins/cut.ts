/** What people write is told up to here: services take messages of a few thousand characters, and the link leads to the rest. */
const longest = 500

export const cut = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, '')}…`
