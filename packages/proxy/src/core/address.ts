/** An IPv4 address that a socket of both families shows as IPv6. */
export const plainAddress = (ip: string): string => ip.replace(/^::ffff:(?=\d+\.)/, '')
