/** Search strings of the console: plain text fields, a repeated name is a list. Never JSON: people read and write them. */
export type SearchFields = Record<string, string | string[] | undefined>

export function parseSearch(text: string): Record<string, string | string[]> {
  const fields: Record<string, string | string[]> = {}
  const given = new URLSearchParams(text)
  for (const name of new Set(given.keys())) {
    const values = given.getAll(name)
    fields[name] = values.length > 1 ? values : (values[0] ?? '')
  }
  return fields
}

/** With its `?`; empty when nothing is left. Fields that are undefined or empty text are left out. */
export function formatSearch(fields: Readonly<Record<string, unknown>>): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(fields))
    for (const item of Array.isArray(value) ? value : [value])
      if (item !== undefined && item !== null && item !== '') search.append(name, String(item))
  const text = search.toString()
  return text === '' ? '' : `?${text}`
}
