/** Join tokens: making, listing, changing and removing them. */
import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import * as calls from '@sallyport/wire/calls/tokens.ts'
import { ok, zeroTime } from '@sallyport/wire/call.ts'
import type { BodyOf } from '@sallyport/wire/call.ts'
import { tokenNameHeader } from '@sallyport/wire/entities/join-token.ts'
import type { JoinTokenItem, JoinTokenWire } from '@sallyport/wire/entities/join-token.ts'
import { resourceIdLabel } from '@sallyport/wire/limits.ts'
import { parseDuration } from '../../core/access/duration.ts'
import type { Clock } from '../../core/clock.ts'
import { badParameter } from '../../core/errors.ts'
import { randomHex } from '../../core/identity/secrets.ts'
import { joinTokenKind, safeNameOf } from '../../core/join/join-token.ts'
import type { JoinToken, JoinTokenSpec, JoinTokenSpecInput } from '../../core/join/join-token.ts'
import type { JoinTokens } from '../../core/join/join-tokens.ts'
import { isRuleMethod, nameOfRules } from '../../core/join/rule-token-name.ts'
import { readResource, writeResource } from '../../core/resources/documents.ts'
import { parseResource } from '../../core/resources/resources.ts'
import { on } from '../../core/route.ts'
import type { Route } from '../../core/route.ts'

const tokenBytes = 16
const tokenTtl = 4 * 3_600_000
const maxTokenTtl = 24 * 3_600_000
const years = 365 * 24 * 3_600_000

type Fields = Omit<BodyOf<typeof calls.create>, 'join_method'> & { join_method: string }

export interface TokensAreaDeps {
  joinTokens: JoinTokens
  clock: Clock
}

export function tokensRoutes({ joinTokens, clock }: TokensAreaDeps): Route[] {
  const after = (ms: number): string => new Date(clock.now() + ms).toISOString()
  /** A token that is no secret does not wear out. */
  const expiryOf = (method: string): string => after(method === 'token' ? tokenTtl : 1000 * years)

  async function create(fields: Fields, labels: Record<string, string[]>, by: string): Promise<JoinTokenWire> {
    const spec = parseSpec(fields)
    const suggested_labels = { ...labels, [resourceIdLabel]: [randomUUID()] }
    const method = spec.join_method
    const name = isRuleMethod(method) ? nameOfRules(method, spec) : randomHex(tokenBytes)
    const existing = isRuleMethod(method) ? await joinTokens.get(name) : undefined
    if (existing) return toWire(requireSameRules(existing, spec))
    return toWire(await joinTokens.create({ metadata: { name, expires: expiryOf(method) }, spec: { ...spec, suggested_labels } }, by))
  }
  const save = async ({ name, ttl, ...fields }: BodyOf<typeof calls.save>, by: string): Promise<JoinTokenItem> => {
    const spec = parseSpec(fields)
    const expires = ttl === '' ? expiryOf(spec.join_method) : after(lifetimeOf(ttl, spec.join_method))
    return toItem(await joinTokens.put({ metadata: { name: name || randomHex(tokenBytes), expires }, spec }, by))
  }
  return [
    on(calls.create, ({ body, caller }) => create(body, {}, caller.username)),
    on(calls.createWithLabels, ({ body: { suggestedLabels, ...fields }, caller }) => {
      const labels = { ...parseSpec(fields).suggested_labels }
      for (const { name, value } of suggestedLabels ?? []) labels[name] = [...(labels[name] ?? []), value]
      return create(fields, labels, caller.username)
    }),
    on(calls.list, async () => ({ items: (await joinTokens.list()).map(toItem) })),
    on(calls.save, ({ body, caller }) => save(body, caller.username)),
    on(calls.replace, ({ body, caller }) => save(body, caller.username)),
    on(calls.saveYaml, async ({ body, caller }) =>
      toItem(await joinTokens.put(readResource(joinTokenKind, body.content), caller.username)),
    ),
    on(calls.remove, async ({ reply, caller }) => {
      const name = reply.request.headers[tokenNameHeader.toLowerCase()]
      if (typeof name !== 'string' || name === '') throw badParameter(`name the token in the header ${tokenNameHeader}`)
      await joinTokens.remove(name, caller.username)
      return ok
    }),
  ]
}

/** Only the kind can say what these fields mean. Throws bad parameter. */
const parseSpec = (fields: Fields): JoinTokenSpec =>
  parseResource(joinTokenKind, { metadata: { name: 'new' }, spec: fields as unknown as JoinTokenSpecInput }).spec

function lifetimeOf(ttl: string, method: string): number {
  const ms = parseDuration(ttl)
  if (ms === undefined || ms <= 0) throw badParameter(`ttl: "${ttl}" is no duration; write one such as 30m or 4h`)
  if (method === 'token' && ms > maxTokenTtl) throw badParameter('ttl: a secret token lives for 24h at most; make it shorter')
  if (ms > 1000 * years) throw badParameter('ttl: that is too long')
  return ms
}

function requireSameRules(token: JoinToken, spec: JoinTokenSpec): JoinToken {
  const rulesOf = ({ roles, allow = [], azure }: JoinTokenSpec): string[] =>
    [roles.toSorted(), azure ?? {}, ...allow].map((rule) => JSON.stringify(rule)).toSorted()
  if (isDeepStrictEqual(rulesOf(token.spec), rulesOf(spec))) return token
  throw badParameter(`a token with other rules is named ${token.metadata.name} already; remove it first, or make a token of another name`)
}

const labelsOf = ({ spec }: JoinToken) =>
  Object.entries(spec.suggested_labels ?? {}).map(([name, values]) => ({ name, value: values.join(' ') }))

const toWire = (token: JoinToken): JoinTokenWire => ({
  id: token.metadata.name,
  expiry: token.metadata.expires ?? zeroTime,
  method: token.spec.join_method,
  suggestedLabels: labelsOf(token),
})

const toItem = (token: JoinToken): JoinTokenItem => {
  const { metadata, spec } = token
  return {
    ...toWire(token),
    safeName: safeNameOf(metadata.name, spec.join_method),
    bot_name: spec.bot_name ?? '',
    roles: spec.roles,
    isStatic: false,
    ...(spec.allow && { allow: spec.allow }),
    ...(spec.gcp && { gcp: spec.gcp }),
    ...(spec.github && { github: spec.github }),
    singleUse: spec.usage_mode === 'single_use',
    content: writeResource(joinTokenKind, token),
  }
}
