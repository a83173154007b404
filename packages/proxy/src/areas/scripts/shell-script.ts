/** Shell scripts that are run as root by whoever fetches them: values stand in assignments at the top, each quoted, and nowhere else. */

/** One word for a shell, whatever is in it. Throws for what no shell can hold. */
export function quoteShell(value: string): string {
  if (value.includes('\0')) throw new Error('a shell cannot hold a zero byte')
  return `'${value.replaceAll("'", String.raw`'\''`)}'`
}

/** The script with its values: `name='value'`, one for each, before the body. */
export function shellScript(values: Readonly<Record<string, string>>, body: string): string {
  const assignments = Object.entries(values).map(([name, value]) => `${name}=${quoteShell(value)}\n`)
  return `#!/usr/bin/env bash\n${assignments.join('')}${body}`
}

/** A script that says why and fails. */
export const failingScript = (why: string): string => `#!/usr/bin/env bash\nprintf '%s\\n' ${quoteShell(why)} >&2\nexit 1\n`
