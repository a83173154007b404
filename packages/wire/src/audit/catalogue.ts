/** The catalogue of audit codes: the one list, and the display form of an event. */
import { accessRequestAudit } from './access-requests.ts'
import { administrationAudit } from './administration.ts'
import { applicationAudit } from './applications.ts'
import { databaseAudit } from './databases.ts'
import { desktopAudit } from './desktops.ts'
import { deviceAudit } from './devices.ts'
import { rawReader } from './event.ts'
import type { AuditDefinition, AuditEventWire, AuditGroup } from './event.ts'
import { fileAudit } from './files.ts'
import { kubernetesAudit } from './kubernetes.ts'
import { laterAudit } from './later.ts'
import { machineAudit } from './machines.ts'
import { sessionAudit } from './sessions.ts'
import { signInAudit } from './sign-in.ts'
import { sshAudit } from './ssh.ts'

/** Codes that this proxy does not write are there for the console, which other proxies send them to. */
export const auditCatalogue = {
  ...signInAudit,
  ...sessionAudit,
  ...sshAudit,
  ...fileAudit,
  ...accessRequestAudit,
  ...applicationAudit,
  ...kubernetesAudit,
  ...databaseAudit,
  ...desktopAudit,
  ...administrationAudit,
  ...deviceAudit,
  ...machineAudit,
  ...laterAudit,
}
export type AuditCode = keyof typeof auditCatalogue

const byCode: ReadonlyMap<string, AuditDefinition> = new Map(Object.entries(auditCatalogue))
export const auditDefinition = (code: string | undefined): AuditDefinition | undefined =>
  code === undefined ? undefined : byCode.get(code)

/** What a table row and the inspector show. The severity follows from `code` (see severityOf). */
export interface AuditDisplay {
  codeDesc: string
  message: string
  /** The uid, or `{event}:{time}` for events that have none. */
  id: string
  code: string
  user: string
  time: Date
  raw: AuditEventWire
}

function words(event: AuditEventWire): { codeDesc: string; message: string } {
  const definition = auditDefinition(event.code)
  if (!definition) return { codeDesc: 'Unknown', message: 'Unknown' }
  return { codeDesc: definition.title, message: definition.message(rawReader(event), event) }
}

export const toAuditDisplay = (event: AuditEventWire): AuditDisplay => ({
  ...words(event),
  id: event.uid || `${event.event}:${event.time}`,
  code: event.code ?? '',
  user: event.user ?? '',
  time: new Date(event.time),
  raw: event,
})

export interface AuditTypeChoice {
  type: string
  titles: string[]
  group: AuditGroup
}

/** The distinct event types for the type filter; codes that share a type are one choice. */
export function auditTypeChoices(): AuditTypeChoice[] {
  const choices = new Map<string, AuditTypeChoice>()
  for (const { type, title, group } of Object.values<AuditDefinition>(auditCatalogue)) {
    const choice = choices.get(type)
    if (choice) choice.titles.push(title)
    else choices.set(type, { type, titles: [title], group })
  }
  return [...choices.values()]
}
