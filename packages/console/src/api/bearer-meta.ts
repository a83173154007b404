import { sessionWire } from '@sallyport/wire/entities/session.ts'
import type { SessionWire } from '@sallyport/wire/entities/session.ts'

/** The session answer inside the page's bearer meta (base64 of JSON); undefined when it cannot be read. */
export function decodeBearer(content: string): SessionWire | undefined {
  try {
    const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0))
    const parsed = sessionWire.safeParse(JSON.parse(new TextDecoder().decode(bytes)))
    return parsed.success ? parsed.data : undefined
  } catch {
    return undefined // neither base64 nor JSON
  }
}
