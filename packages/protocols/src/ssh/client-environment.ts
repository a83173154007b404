const allowedVariable = /^(LANG|LC_[A-Z_]{1,32}|COLORTERM)$/u
const allowedValue = /^[\w.@:+-]{0,64}$/u

/** True for the variables a client may set: language and colours, as OpenSSH's default has it. Never what steers a loader or a shell. */
export function mayClientSet(name: string, value: string): boolean {
  return allowedVariable.test(name) && allowedValue.test(value)
}
