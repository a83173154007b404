/** The whole number above zero that a text of the address names; undefined for anything else. */
export function positiveInteger(text: string | undefined): number | undefined {
  if (text === undefined || !/^\d{1,15}$/.test(text)) return undefined
  return Number(text) > 0 ? Number(text) : undefined
}

/** A moment of the address: seconds, perhaps with a fraction; 0 for anything else. */
export const secondsOf = (text: string | undefined): number => (text !== undefined && /^\d{1,9}(\.\d{1,3})?$/.test(text) ? Number(text) : 0)
