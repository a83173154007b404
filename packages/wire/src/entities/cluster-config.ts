/** Ours: a document of cluster settings, with where each value comes from. */
import * as z from 'zod/mini'

export const settingSources = ['default', 'dynamic', 'file'] as const
export type SettingSource = (typeof settingSources)[number]
export const settingValueWire = z.union([z.string(), z.boolean()])
export type SettingValue = z.output<typeof settingValueWire>

export const clusterConfigWire = z.object({
  kind: z.string(),
  version: z.string(),
  metadata: z.object({ name: z.string(), revision: z.string() }),
  /** Every field with its value in force; times as text. */
  spec: z.record(z.string(), settingValueWire),
  /** What each field would be if nothing were stored. */
  defaults: z._default(z.record(z.string(), settingValueWire), {}),
  /** `file` is what flag, environment or configuration file set: it can only be changed there. */
  sources: z.record(z.string(), z.enum(settingSources)),
  /** Field → flag, variable or file; for whoever may change the document. */
  origins: z._default(z.record(z.string(), z.string()), {}),
  canEdit: z._default(z.boolean(), false),
})
export type ClusterConfigWire = z.output<typeof clusterConfigWire>

/** Member of a refusal's `fields`: what the change would do, in sentences. The same call with `force` makes it nevertheless. */
export const warningsField = 'warnings'
export const warningsWire = z.array(z.string())
