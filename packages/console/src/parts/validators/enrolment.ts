/** What is enrolled: as the proxy and its install scripts take it. */
import type { Problem } from './problem.ts'

const fits = (pattern: RegExp, value: string, problem: string): Problem => (pattern.test(value) ? undefined : problem)

/** A part of the host name that people open. */
export const appName = (value: string): Problem =>
  fits(/^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/, value, 'Start with a lowercase letter; lowercase letters, digits, dashes')

export const webAddress = (value: string): Problem =>
  fits(/^https?:\/\/[-\w.[\]]+(:\d{1,5})?(\/[-\w/.]*)?$/, value, 'Enter a full address such as http://localhost:3000')

export const tcpAddress = (value: string): Problem =>
  fits(/^tcp:\/\/[-\w.[\]]+:\d{1,5}$/, value, 'Enter it with its port, such as tcp://localhost:6379')

/** A database; its name is part of names at cloud accounts too. */
export const databaseName = (value: string): Problem =>
  fits(/^[a-zA-Z]([a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?$/, value, 'Start with a letter; letters, digits, dashes')

/** A desktop or a Kubernetes cluster. */
export const resourceName = (value: string): Problem =>
  fits(/^[a-zA-Z0-9]([a-zA-Z0-9._-]{0,253}[a-zA-Z0-9])?$/, value, 'Use letters, digits, dots and dashes')

/** A name or an address without scheme. */
export const host = (value: string): Problem => fits(/^[-\w.]+$|^\[[0-9a-fA-F:.]+\]$/, value, 'Enter a host')

export const hostAndPort = (value: string): Problem =>
  fits(/^[-\w.]+(:\d{1,5})?$|^\[[0-9a-fA-F:.]+\](:\d{1,5})?$/, value, 'Enter a host, or host:port')

export const port = (value: string): Problem =>
  /^\d{1,5}$/.test(value) && Number(value) >= 1 && Number(value) <= 65_535 ? undefined : 'Enter a port from 1 to 65535'

export const pem = (value: string): Problem =>
  fits(/^-----BEGIN CERTIFICATE-----[\s\S]+-----END CERTIFICATE-----$/, value.trim(), 'Paste a PEM certificate')
