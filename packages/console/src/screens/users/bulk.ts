/** Work on many users at once, one after the other: each succeeds or fails by itself. */
import { username } from '../../parts/validators/people.ts'

/** The names of a pasted text, one a line or with commas or semicolons between them; each once. */
export function parseNames(text: string, taken: ReadonlySet<string>): { good: string[]; bad: { name: string; problem: string }[] } {
  const names = [
    ...new Set(
      text
        .split(/[\n,;]+/)
        .map((name) => name.trim())
        .filter(Boolean),
    ),
  ]
  const bad = names.flatMap((name) => {
    const problem = username(name, taken)
    return problem === undefined ? [] : [{ name, problem }]
  })
  return { good: names.filter((name) => !bad.some((one) => one.name === name)), bad }
}

export interface Outcome<T> {
  name: string
  value?: T
  error?: string
}

/** Does `work` for each name and tells how far it is; a failure does not keep the others back. */
export async function eachOf<T>(
  names: readonly string[],
  work: (name: string) => Promise<T>,
  onProgress: (done: number) => void,
): Promise<Outcome<T>[]> {
  const outcomes: Outcome<T>[] = []
  for (const name of names) {
    try {
      outcomes.push({ name, value: await work(name) })
    } catch (error) {
      outcomes.push({ name, error: error instanceof Error ? error.message : String(error) })
    }
    onProgress(outcomes.length)
  }
  return outcomes
}
