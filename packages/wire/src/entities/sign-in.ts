/** Ours: a sign-in on the web with everything that was renewed from it, as its owner and administrators see it. */
import * as z from 'zod/mini'

export const signInWire = z.object({
  /** Names the sign-in; it opens nothing. */
  id: z.string(),
  /** Address and browser that signed in. */
  address: z.string(),
  userAgent: z.string(),
  /** ISO times. */
  created: z.string(),
  renewed: z.string(),
  expires: z.string(),
  /** Whether the call that lists it comes from it. */
  current: z.boolean(),
})
export type SignInWire = z.output<typeof signInWire>

export interface SignIn {
  id: string
  address: string
  userAgent: string
  created: Date
  renewed: Date
  expires: Date
  current: boolean
}

export const toSignIn = (wire: SignInWire): SignIn => ({
  ...wire,
  created: new Date(wire.created),
  renewed: new Date(wire.renewed),
  expires: new Date(wire.expires),
})
