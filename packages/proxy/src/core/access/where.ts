/** The condition of a rule: `contains(session.participants, user.metadata.name) && !equals(a, b)`. */
export type Subject = Readonly<Record<string, unknown>>

type Operand = { kind: 'text'; value: string } | { kind: 'path'; path: readonly string[] }
type Condition =
  | { kind: 'and' | 'or'; left: Condition; right: Condition }
  | { kind: 'not'; of: Condition }
  | { kind: 'call'; name: FunctionName; operands: readonly Operand[] }

const list = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : typeof value === 'string' ? [value] : []
const single = (value: unknown): string | undefined => list(value)[0]

/** Operand count and meaning of each function. */
const functions = {
  equals: { operands: 2, test: (a: unknown, b: unknown) => single(a) !== undefined && list(a).join('\0') === list(b).join('\0') },
  contains: { operands: 2, test: (a: unknown, b: unknown) => list(b).some((item) => list(a).includes(item)) },
  all_equal: { operands: 2, test: (a: unknown, b: unknown) => list(a).length > 0 && list(a).every((item) => item === single(b)) },
  all_end_with: {
    operands: 2,
    test: (a: unknown, b: unknown) => list(a).length > 0 && list(a).every((item) => item.endsWith(single(b) ?? '\0')),
  },
  is_subset: { operands: 2, test: (a: unknown, b: unknown) => list(a).every((item) => list(b).includes(item)) },
} as const
type FunctionName = keyof typeof functions
const isFunction = (name: string): name is FunctionName => Object.hasOwn(functions, name)

const roots = ['user', 'resource', 'session', 'ssh_session', 'session_tracker', 'host_cert', 'impersonate_role', 'impersonate_user']

class ConditionError extends Error {
  override readonly name = 'ConditionError'
}

const token = /\s*(&&|\|\||[!(),[\]]|"(?:[^"\\]|\\.)*"|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)/gy
const maxDepth = 50

function parse(source: string): Condition {
  const found = [...source.matchAll(token)]
  const read = found.reduce((length, [part]) => length + part.length, 0)
  if (source.slice(read).trim() !== '') throw new ConditionError(`unexpected text at "${source.slice(read, read + 20)}"`)
  const tokens = found.map(([, part]) => part ?? '')
  let at = 0
  const peek = (): string => tokens[at] ?? ''
  const expect = (part: string): void => {
    if (tokens[at++] !== part) throw new ConditionError(`"${part}" is missing`)
  }
  const chain = (kind: 'or' | 'and', sign: string, next: (depth: number) => Condition, depth: number): Condition => {
    let left = next(depth)
    while (peek() === sign) {
      at += 1
      left = { kind, left, right: next(depth) }
    }
    return left
  }
  const or = (depth: number): Condition => chain('or', '||', and, depth)
  const and = (depth: number): Condition => chain('and', '&&', unary, depth)
  const unary = (depth: number): Condition => {
    if (depth > maxDepth) throw new ConditionError('it is nested too deeply')
    if (peek() === '!') {
      at += 1
      return { kind: 'not', of: unary(depth + 1) }
    }
    if (peek() === '(') {
      at += 1
      const inner = or(depth + 1)
      expect(')')
      return inner
    }
    return callTo()
  }
  const callTo = (): Condition => {
    const name = tokens[at++] ?? ''
    if (!isFunction(name)) throw new ConditionError(`function ${name || '""'} is not defined`)
    const operands: Operand[] = []
    expect('(')
    while (peek() !== ')') {
      if (operands.length > 0) expect(',')
      operands.push(operand())
    }
    expect(')')
    if (operands.length !== functions[name].operands) throw new ConditionError(`${name} takes ${functions[name].operands} values`)
    return { kind: 'call', name, operands }
  }
  const operand = (): Operand => {
    const part = tokens[at++] ?? ''
    if (part.startsWith('"')) return { kind: 'text', value: textOf(part) }
    const path = part.split('.')
    if (!roots.includes(path[0] ?? '')) throw new ConditionError(`identifier ${part || '""'} is not defined`)
    if (peek() === '[') {
      at += 1
      path.push(textOf(tokens[at++] ?? ''))
      expect(']')
    }
    return { kind: 'path', path }
  }
  const condition = or(0)
  if (at < tokens.length) throw new ConditionError(`unexpected "${peek()}"`)
  return condition
}

function textOf(part: string): string {
  if (!part.startsWith('"')) throw new ConditionError('text in double quotes is missing')
  try {
    return String(JSON.parse(part))
  } catch (cause) {
    throw new ConditionError(`${part} is no valid text`, { cause })
  }
}

function valueAt(path: readonly string[], subject: Subject): unknown {
  let value: unknown = subject
  for (const part of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, part)) return undefined
    value = (value as Record<string, unknown>)[part]
  }
  return value
}

function holds(condition: Condition, subject: Subject): boolean {
  switch (condition.kind) {
    case 'not':
      return !holds(condition.of, subject)
    case 'and':
      return holds(condition.left, subject) && holds(condition.right, subject)
    case 'or':
      return holds(condition.left, subject) || holds(condition.right, subject)
    case 'call': {
      const [a, b] = condition.operands.map((operand) => (operand.kind === 'text' ? operand.value : valueAt(operand.path, subject)))
      return functions[condition.name].test(a, b)
    }
  }
}

/** Why text is no condition; undefined when it is one. */
export function whyNotCondition(source: string): string | undefined {
  try {
    parse(source)
    return undefined
  } catch (error) {
    if (error instanceof ConditionError) return `could not parse the where clause: ${error.message}`
    throw error
  }
}

/** A condition as a test. Text that is no condition gives undefined. */
export function compileCondition(source: string): ((subject: Subject) => boolean) | undefined {
  if (whyNotCondition(source) !== undefined) return undefined
  const condition = parse(source)
  return (subject) => holds(condition, subject)
}
