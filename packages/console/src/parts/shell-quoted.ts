/** As a shell takes it. */
export const shellQuoted = (text: string): string => (/^[\w.@-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`)
