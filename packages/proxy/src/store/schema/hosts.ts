/** Hosts that joined with an agent: what makes each one itself. */
export interface HostsTable {
  /** A uuid, chosen by the host. */
  id: string
  /** Line of its public key. */
  public_key: string
  hostname: string
  /** Labels of the token it joined with, as JSON text. */
  labels: string
  /** Roles of that token, as JSON text. */
  roles: string
  /** Of the databases that it may be the way to, as JSON text: values by label. */
  matchers: string
  /** Epoch milliseconds at which its newest certificate ends. */
  expires: number
}
