/** Settings of plugins: as the wire carries them, and as their documents hold them. */
import { maskedSecret } from '@sallyport/wire/entities/connector.ts'
import type { PluginSettings } from '@sallyport/wire/entities/plugin.ts'
import { badParameter } from '../../core/errors.ts'
import type { PluginSpec, PluginSpecInput } from '../../core/plugins/plugin.ts'

/** Throws bad parameter where a role stands twice. */
export function toSpec({ kind, recipients, roleRecipients, ...own }: PluginSettings): PluginSpecInput {
  const byRole = new Map<string, string[]>()
  for (const { role, recipients: list } of roleRecipients) {
    if (byRole.has(role)) throw badParameter(`roleRecipients: role "${role}" stands twice; write its recipients into one row`)
    byRole.set(role, list)
  }
  const told = { recipients, role_recipients: Object.fromEntries(byRole) }
  if (!('host' in own)) return { type: kind, ...own, ...told } as PluginSpecInput
  const { caCert, ...mail } = own
  return { type: 'email', ...mail, ca_cert: caCert, ...told }
}

export function toSettings({ type, recipients, role_recipients, ...own }: PluginSpec): PluginSettings {
  const roleRecipients = Object.entries(role_recipients).map(([role, list]) => ({ role, recipients: list }))
  const told = { recipients, roleRecipients }
  if (!('host' in own)) return { kind: type, ...own, ...told } as PluginSettings
  const { ca_cert: caCert, ...mail } = own
  return { kind: 'email', ...mail, caCert, ...told }
}

/** Throws bad parameter: what is not stored yet has no secret that a mask could stand for. */
export function requireOwnSecret(settings: PluginSettings): void {
  const secret = settings.kind === 'email' ? settings.password : settings.token
  if (secret === maskedSecret) throw badParameter(`give the secret itself; ${maskedSecret} stands for one that is stored`)
}
