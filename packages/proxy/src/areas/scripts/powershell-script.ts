/** PowerShell that administrators of a domain run: values stand in assignments at the top, each quoted, and nowhere else. */

/** One word for PowerShell, whatever is in it: it takes typographic quotes for quotes as well. Throws for what it cannot hold. */
export function quotePowerShell(value: string): string {
  if (value.includes('\0')) throw new Error('PowerShell cannot hold a zero byte')
  return `'${value.replaceAll(/['\u2018-\u201B]/g, (quote) => quote + quote)}'`
}

/** The script with its values: `$Name = 'value'`, one for each, before the body. */
export function powerShellScript(values: Readonly<Record<string, string>>, body: string): string {
  return Object.entries(values)
    .map(([name, value]) => `$${name} = ${quotePowerShell(value)}\n`)
    .join('')
    .concat(body)
}
