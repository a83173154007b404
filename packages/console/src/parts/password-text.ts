/** Base64 of the UTF-8 bytes: how the password fields of `users/password` travel. */
export const encodePassword = (password: string): string =>
  btoa(Array.from(new TextEncoder().encode(password), (byte) => String.fromCharCode(byte)).join(''))
