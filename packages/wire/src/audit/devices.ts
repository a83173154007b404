/** Trusted devices, and the cluster as an identity provider of others. */
import { auditSentence, defineAudit } from './event.ts'
import type { AuditDefinition, AuditEventWire } from './event.ts'

const group = 'Admin changes'

/** Newer servers say `success`, older ones `status.success`. What does not say is no failure. */
function hasFailed({ success, status }: AuditEventWire): boolean {
  const inner = typeof status === 'object' && status !== null && 'success' in status ? status.success : undefined
  return (success ?? inner) === false
}

const device = (type: string, title: string, done: string, failed: string): AuditDefinition => ({
  type,
  title,
  group,
  fields: ['device', 'success'],
  message: (raw, event) => `${raw('user')} ${hasFailed(event) ? failed : done}`,
})

export const deviceAudit = defineAudit({
  TV001I: device('device.create', 'Device registered', 'registered a device', 'failed to register a device'),
  TV002I: device('device.delete', 'Device removed', 'removed a device', 'failed to remove a device'),
  TV003I: device('device.token.create', 'Device token made', 'made a device enroll token', 'failed to make a device enroll token'),
  TV004I: device('device.token.spent', 'Device token used', 'used a device enroll token', 'failed to use a device enroll token'),
  TV005I: device('device.enroll', 'Device enrolled', 'enrolled a device', 'failed to enroll a device'),
  TV006I: device('device.authenticate', 'Device proved', 'proved a trusted device', 'failed to prove a trusted device'),
  TV007I: device('device.update', 'Device changed', 'changed a device', 'failed to change a device'),
  TV008I: device('device.webtoken.create', 'Device web token made', 'made a device web token', 'failed to make a device web token'),
  TV009I: device('device.authenticate.confirm', 'Device confirmed', 'confirmed a trusted device', 'failed to confirm a trusted device'),
  TSI000I: {
    type: 'saml.idp.auth',
    title: 'Sign-in to a service provider',
    group,
    fields: ['success', 'service_provider_entity_id', 'service_provider_shortcut'],
    message: (raw, event) =>
      `${raw('user')} ${hasFailed(event) ? 'failed to sign in' : 'signed in'} to ${raw('service_provider_entity_id') || raw('service_provider_shortcut')}`,
  },
  TSI001I: auditSentence(
    group,
    'saml.idp.service.provider.create',
    'Service provider added',
    '{updated_by} added service provider {name} ({service_provider_entity_id})',
  ),
  TSI001W: auditSentence(
    group,
    'saml.idp.service.provider.create',
    'Service provider not added',
    '{updated_by} could not add service provider {name} ({service_provider_entity_id})',
  ),
  TSI002I: auditSentence(
    group,
    'saml.idp.service.provider.update',
    'Service provider changed',
    '{updated_by} changed service provider {name} ({service_provider_entity_id})',
  ),
  TSI002W: auditSentence(
    group,
    'saml.idp.service.provider.update',
    'Service provider not changed',
    '{updated_by} could not change service provider {name} ({service_provider_entity_id})',
  ),
  TSI003I: auditSentence(
    group,
    'saml.idp.service.provider.delete',
    'Service provider removed',
    '{updated_by} removed service provider {name} ({service_provider_entity_id})',
  ),
  TSI003W: auditSentence(
    group,
    'saml.idp.service.provider.delete',
    'Service provider not removed',
    '{updated_by} could not remove service provider {name} ({service_provider_entity_id})',
  ),
  TSI004I: auditSentence(
    group,
    'saml.idp.service.provider.delete_all',
    'All service providers removed',
    '{updated_by} removed all service providers',
  ),
  TSI004W: auditSentence(
    group,
    'saml.idp.service.provider.delete_all',
    'Service providers not removed',
    '{updated_by} could not remove all service providers',
  ),
})
