/** Characters of a statement, or of a value, that the audit log keeps. */
const longest = 16 * 1024

export const auditedText = (text: string): string =>
  text.length <= longest ? text : `${text.slice(0, longest)}… (${text.length} characters)`
