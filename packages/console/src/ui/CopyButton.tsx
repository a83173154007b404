import { Check, Copy } from 'lucide-react'
import { useEffect, useState } from 'react'
import { IconButton } from './IconButton.tsx'
import { toasts } from './toast.ts'

/** Copies a text; the icon turns into a check for two seconds. A clipboard that refuses says so. */
export function CopyButton({ text, label = 'Copy', size = 24 }: { text: string; label?: string; size?: 24 | 32 }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 2000)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async () => {
    if (await copyText(text)) setCopied(true)
  }
  return (
    <>
      <IconButton icon={copied ? Check : Copy} label={copied ? 'Copied' : label} size={size} onClick={() => void copy()} />
      <span className="sr" role="status">
        {copied ? 'Copied' : ''}
      </span>
    </>
  )
}

/** Puts a text on the clipboard; false (and a toast) when the browser refuses. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    toasts.show({ kind: 'danger', title: 'Could not copy', body: 'The browser did not allow it. Select the text and copy it by hand.' })
    return false
  }
}
