import { useState } from 'react'
import * as z from 'zod/mini'
import { settingPrefix } from '../../api/session-storage.ts'
import { readStored, writeStored } from '../list/use-setting.ts'
import { parseRange, rangeFields } from './range.ts'
import type { Range } from './range.ts'

/** Fields of the address that hold a range; spread them into a screen's search schema. */
export const rangeShape = { range: z.optional(z.string()), from: z.optional(z.string()), to: z.optional(z.string()) }

interface RangeFields {
  range?: string | undefined
  from?: string | undefined
  to?: string | undefined
}

/** The range in force: the address, else the viewer's last choice on this screen, else today. */
export function useRange(
  screen: string,
  fields: RangeFields,
  setFields: (fields: ReturnType<typeof rangeFields>) => void,
): [Range, (range: Range) => void] {
  const key = `${settingPrefix}range_${screen}`
  const [remembered] = useState(() => parseRange(parseStored(readStored(key))))
  const range = parseRange(fields) ?? remembered ?? { name: 'today' as const }
  return [
    range,
    (next) => {
      writeStored(key, JSON.stringify(rangeFields(next)))
      setFields(rangeFields(next))
    },
  ]
}

const storedRange = z.object(rangeShape)

function parseStored(text: string | undefined): RangeFields {
  try {
    const parsed = storedRange.safeParse(JSON.parse(text ?? '{}'))
    return parsed.success ? parsed.data : {}
  } catch {
    return {} // not JSON: the same as nothing remembered
  }
}
