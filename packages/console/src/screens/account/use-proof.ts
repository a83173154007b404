import { useState } from 'react'
import { isProofGone } from './device-calls.ts'

export interface Proof {
  /** Undefined until the viewer has proved who they are. */
  token: string | undefined
  /** Why the proof is asked for once more. */
  notice: string | undefined
  give: (token: string) => void
  /** Runs a change with the token. False, and back to the proof, when the token is no longer taken. */
  spend: (change: (token: string) => Promise<void>) => Promise<boolean>
}

/** The fresh proof that a dialog asks for before its change. */
export function useProof(): Proof {
  const [token, setToken] = useState<string>()
  const [notice, setNotice] = useState<string>()
  return {
    token,
    notice,
    give: setToken,
    async spend(change) {
      try {
        await change(token ?? '')
        return true
      } catch (error) {
        if (!isProofGone(error)) throw error
        setToken(undefined)
        setNotice('Your proof has expired. Verify again to go on.')
        return false
      }
    },
  }
}
